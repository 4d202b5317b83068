/* SPDX-License-Identifier: Apache-2.0 */
/* The job: a file or stdin, JSON or YAML, with what the command line changes in it. */
#ifndef TOOL_JOB_FILE_H
#define TOOL_JOB_FILE_H

#include "console.h"
#include "options.h"

#include <partexec/partexec.h>

/*
 * Reads options->operand (a name that ends in .yaml or .yml is YAML, all else JSON, `-` is stdin),
 * then does every --set in order, then --dataset. Returns TOOL_DONE and *spec (pex_spec_release),
 * or another exit code after saying what is wrong.
 */
int job_file_read(const struct options *options, struct console *console, pex_spec **spec);

#endif
