/* SPDX-License-Identifier: Apache-2.0 */
/* A job of the command from submit to its end: events, progress, signals, the exit code. */
#ifndef TOOL_JOB_RUN_H
#define TOOL_JOB_RUN_H

#include "engine.h"
#include "progress.h"

struct job_run {
    struct console *console;
    struct engine engine;
    struct progress progress;
    pex_spec *spec;
    pex_job *job;
    /* Called with the record of a row that failed, if the job was submitted with row_events. */
    void (*on_row)(void *user, const char *record);
    void *user;
    int signal_fd;
    int is_pull;
    int is_over;
};

/*
 * Gets ready for signals. Returns TOOL_DONE, or another exit code after saying what is wrong. The
 * spec is the caller's.
 */
int job_run_open(struct job_run *run, struct console *console);

/* Ends the engine, and does not return if a call keeps it from ending. */
void job_run_close(struct job_run *run, int result);

/*
 * Submits run->spec with these options, whose events are set here. A refusal is told under the name
 * of the job's file. Returns TOOL_DONE, or the exit code.
 */
int job_run_submit(struct job_run *run, const char *job_file, struct pex_job_options *options);

/*
 * Until the job is over; rows of a pull job are taken and given back. Returns the exit code, after
 * saying why it is another than TOOL_DONE. run->job is there until job_run_close.
 */
int job_run_follow(struct job_run *run, enum progress_mode mode);

#endif
