/* SPDX-License-Identifier: Apache-2.0 */
/* How far a job is, on stderr: a bar, lines, or JSON lines. */
#ifndef TOOL_PROGRESS_H
#define TOOL_PROGRESS_H

#include "console.h"
#include "options.h"

#include <partexec/job.h>

enum progress_form { FORM_NONE, FORM_BAR, FORM_LINES, FORM_JSON };

struct progress {
    struct console *console;
    enum progress_form form;
    int64_t next_ns; /* when the next report is due, on the monotonic clock */
    int32_t stage;   /* the latest of which a partition ended, */
    int32_t ended;   /* and how many of its partitions did */
};

/* Chooses the form: `auto` is a bar on a terminal, else lines, or nothing with --quiet. */
void progress_open(struct progress *progress, struct console *console, enum progress_mode mode);

/* Milliseconds until the next report is due, for poll; -1: never. */
int progress_wait_ms(const struct progress *progress);

/* Counts a PEX_EVENT_PARTITION. */
void progress_partition(struct progress *progress, const struct pex_event *event);

/* Reports if it is time. */
void progress_tick(struct progress *progress, pex_job *job);

/* Takes the bar away; the JSON form gets its last line. */
void progress_close(struct progress *progress, pex_job *job);

#endif
