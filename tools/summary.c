/* SPDX-License-Identifier: Apache-2.0 */
#include "summary.h"
#include "tool.h"

#include <stdlib.h>
#include <unistd.h>

#include <jansson.h>

static long long count_in(const json_t *summary, const char *part, const char *key)
{
    const json_t *object = part ? json_object_get(summary, part) : summary;

    return json_integer_value(json_object_get(object, key));
}

static long long dropped_rows(const json_t *summary)
{
    const json_t *operators = json_object_get(summary, "operators");
    long long dropped = 0;

    for (size_t i = 0; i < json_array_size(operators); i++)
        dropped += json_integer_value(json_object_get(json_array_get(operators, i), "dropped"));
    return dropped;
}

static void show_counts(struct console *console, const json_t *summary)
{
    double seconds = json_number_value(json_object_get(summary, "seconds"));
    double megabytes = (double)count_in(summary, "input", "bytes") / 1e6;
    const char *state = json_string_value(json_object_get(summary, "state"));

    console_notice(console,
                   "%s in %.2f s: %lld rows and %lld bad lines in, %lld out, %lld dropped, "
                   "%lld quarantined, %.1f MB/s",
                   state ? state : "ended", seconds, count_in(summary, "input", "rows"),
                   count_in(summary, "input", "bad"), count_in(summary, "output", "rows"),
                   dropped_rows(summary), count_in(summary, NULL, "quarantined"),
                   seconds > 0 ? megabytes / seconds : 0.0);
}

static void show_export(struct console *console, const pex_spec *spec)
{
    json_t *path;
    char *json;

    if (pex_spec_get(spec, "export_path", &json))
        return;
    path = json_loads(json, JSON_DECODE_ANY, NULL);
    if (json_is_string(path))
        console_notice(console, "output: %s", json_string_value(path));
    json_decref(path);
    pex_free(json);
}

static void show_quarantine(struct console *console, pex_job *job)
{
    const char *folder = pex_job_folder(job);
    char *path;

    if (!folder)
        return;
    path = tool_format("%s/quarantine.jsonl", folder);
    if (access(path, F_OK) == 0)
        console_notice(console, "quarantine: %s", path);
    free(path);
}

void summary_show(struct console *console, pex_job *job, const pex_spec *spec)
{
    json_t *summary = NULL;
    char *json;

    if (pex_job_summary(job, &json) == 0) {
        summary = json_loads(json, 0, NULL);
        pex_free(json);
    }
    show_counts(console, summary);
    if (pex_job_state(job) == PEX_JOB_DONE)
        show_export(console, spec);
    show_quarantine(console, job);
    json_decref(summary);
}
