/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/writer.h"

#include "plan/value.h"

#include <math.h>
#include <string.h>

/* Notes the first failure. */
static void keep(struct pex__writer *writer, int32_t code)
{
    if (writer->failed == 0)
        writer->failed = code;
}

/* What stands before a value: a comma, and its name. */
static void begin(struct pex__writer *writer, const char *name)
{
    if (writer->follows)
        keep(writer, pex__buffer_text(writer->out, ","));
    writer->follows = 1;
    if (name == NULL)
        return;
    keep(writer, pex__buffer_json(writer->out, name, strlen(name)));
    keep(writer, pex__buffer_text(writer->out, ":"));
}

void pex__write_open(struct pex__writer *writer, const char *name, char bracket)
{
    begin(writer, name);
    keep(writer, pex__buffer_add(writer->out, &bracket, 1));
    writer->follows = 0;
}

void pex__write_close(struct pex__writer *writer, char bracket)
{
    keep(writer, pex__buffer_add(writer->out, &bracket, 1));
    writer->follows = 1;
}

void pex__write_text(struct pex__writer *writer, const char *name, const char *text)
{
    pex__write_view(writer, name, text, strlen(text));
}

void pex__write_view(struct pex__writer *writer, const char *name, const char *text, size_t length)
{
    begin(writer, name);
    keep(writer, pex__buffer_json(writer->out, text, length));
}

void pex__write_int64(struct pex__writer *writer, const char *name, int64_t number)
{
    begin(writer, name);
    keep(writer, pex__buffer_print(writer->out, "%lld", (long long)number));
}

void pex__write_double(struct pex__writer *writer, const char *name, double number)
{
    json_t *value;

    if (isinf(number)) {
        pex__write_raw(writer, name, "null");
        return;
    }
    value = json_real(number);
    if (value != NULL)
        pex__write_value(writer, name, value);
    else
        keep(writer, PEX_ENOMEM);
    json_decref(value);
}

void pex__write_choices(struct pex__writer *writer, const char *name, const char *choices)
{
    pex__write_open(writer, name, '[');
    for (const char *at = choices; *at != '\0';) {
        size_t size = strcspn(at, "|");

        pex__write_view(writer, NULL, at, size);
        at += size + (at[size] == '|');
    }
    pex__write_close(writer, ']');
}

void pex__write_bool(struct pex__writer *writer, const char *name, int truth)
{
    pex__write_raw(writer, name, truth ? "true" : "false");
}

void pex__write_value(struct pex__writer *writer, const char *name, const json_t *value)
{
    begin(writer, name);
    keep(writer, pex__value_text(value, writer->out));
}

void pex__write_raw(struct pex__writer *writer, const char *name, const char *json)
{
    begin(writer, name);
    keep(writer, pex__buffer_text(writer->out, json));
}
