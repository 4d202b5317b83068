/* SPDX-License-Identifier: Apache-2.0 */
/* JSON text, member by member. The first failure sticks, so callers look once, at the end. */
#ifndef PEX_PLAN_WRITER_H
#define PEX_PLAN_WRITER_H

#include "base/buffer.h"

#include <jansson.h>

struct pex__writer {
    struct pex__buffer *out;
    int32_t failed;
    int32_t follows; /* a member stands before the next one */
};

/* name: of the member, or NULL inside a list. bracket: one of "{}[]". */
void pex__write_open(struct pex__writer *writer, const char *name, char bracket);
void pex__write_close(struct pex__writer *writer, char bracket);
void pex__write_text(struct pex__writer *writer, const char *name, const char *text);
void pex__write_view(struct pex__writer *writer, const char *name, const char *text, size_t length);
void pex__write_int64(struct pex__writer *writer, const char *name, int64_t number);
/* An infinity, which stands for "no bound", is null. */
void pex__write_double(struct pex__writer *writer, const char *name, double number);
/* "a|b" as a list of texts. */
void pex__write_choices(struct pex__writer *writer, const char *name, const char *choices);
void pex__write_bool(struct pex__writer *writer, const char *name, int truth);
void pex__write_value(struct pex__writer *writer, const char *name, const json_t *value);
/* Text that is JSON already. */
void pex__write_raw(struct pex__writer *writer, const char *name, const char *json);

#endif
