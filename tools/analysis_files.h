/* SPDX-License-Identifier: Apache-2.0 */
/* The two files of an analysis: their names, and writing them whole or not at all. */
#ifndef TOOL_ANALYSIS_FILES_H
#define TOOL_ANALYSIS_FILES_H

#include "analysis.h"

struct analysis_files {
    char *json;
    char *html;
};

/*
 * Names the files: NAME.json and NAME.html of --to NAME, else NAME.analysis.* of the spec's
 * export_path. A file that is there and no analysis is never replaced. Returns TOOL_DONE, or
 * TOOL_REFUSED after saying what is wrong; to be freed in either case.
 */
int analysis_files_name(struct analysis_files *files, const char *to, const pex_spec *spec,
                        const char *job_file, struct console *console);
void analysis_files_free(struct analysis_files *files);

/* Returns TOOL_DONE, or TOOL_FAILED after saying what is wrong. */
int analysis_files_write(const struct analysis_files *files, const struct analysis *analysis,
                         struct console *console);

#endif
