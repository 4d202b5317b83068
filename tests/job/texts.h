/* SPDX-License-Identifier: Apache-2.0 */
/* Rows as bytes: odd ones to feed, and what comes out of a job. */
#ifndef PEX_TESTS_JOB_TEXTS_H
#define PEX_TESTS_JOB_TEXTS_H

#include "host.h"

struct text {
    char *data;
    size_t length;
    size_t capacity;
};
void text_add(struct text *text, const char *data, size_t length);
void text_free(struct text *text);
/* Appends about `count` lines, with all that a JSON lines file may hold: blank lines, CRLF, bad
 * rows, blanks around; in front a byte order mark now and then, and at the end an LF now and then.
 */
void text_add_odd(struct text *text, size_t count, uint64_t *seed);
void text_write(const struct text *text, const char *path);
/* What the file holds; a file that is not there is a failure. */
struct text text_read(const char *path);
/* Counts how often `part` is in the text. */
size_t text_count(const struct text *text, const char *part);
/* The text with every `part` taken out. */
struct text text_without(const struct text *text, const char *part);
void text_expect(const struct text *found, const struct text *expected);

/* Takes all rows of a pull job up to its end. */
struct text pull_text(pex_job *job);

/* Releases the job after it is over in this state. */
void job_end(pex_job *job, int32_t state);
/* The value of a member of the summary of an ended job: the first of this name. */
int64_t summary_value(pex_job *job, const char *name);

#endif
