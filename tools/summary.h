/* SPDX-License-Identifier: Apache-2.0 */
/* The last words of a run: what went in and out, how fast, and where it is. */
#ifndef TOOL_SUMMARY_H
#define TOOL_SUMMARY_H

#include "console.h"

#include <partexec/job.h>

/* How a job ended, and with which counts; a failure's reason is said elsewhere. */
void summary_show(struct console *console, pex_job *job, const pex_spec *spec);

#endif
