/* SPDX-License-Identifier: Apache-2.0 */
/* Where a job reads and writes: work_dir, job_id. */
#include "plan/build.h"

#include "base/error.h"
#include "base/memory.h"
#include "plan/value.h"

#include <stdio.h>
#include <string.h>

#define JOB_ID_MAX 128
#define JOB_ID_MARK "{job_id}"

const char *pex__build_path(struct pex__build *build, const char *key)
{
    const json_t *value = pex__spec_given(build->spec, key);
    char found[80];

    if (value == NULL || !json_is_string(value))
        return NULL;
    if (pex__value_is_text(value) && *json_string_value(value) != '\0')
        return json_string_value(value);
    pex__build_fail(build, PEX_ESPEC, "%s: found %s, expected a path", key,
                    pex__value_show(value, found, sizeof found));
    return NULL;
}

/* WORK beside the export. */
static char *default_work_dir(const char *export_path)
{
    struct pex__buffer text = {0};
    size_t length = strlen(export_path);

    /* A folder of parts ends in a slash: what is beside it, is in front of its name. */
    while (length > 1 && export_path[length - 1] == '/')
        length--;
    while (length > 0 && export_path[length - 1] != '/')
        length--;
    if (pex__buffer_add(&text, export_path, length) != 0 ||
        pex__buffer_add(&text, ".partexec", sizeof ".partexec") != 0)
        pex__buffer_free(&text);
    return text.data;
}

/* Takes "{job_id}" off the end of work_dir; anywhere else it has no meaning. */
static void set_work_dir(struct pex__build *build, const char *given)
{
    struct pex__plan *plan = build->plan;
    size_t length = strlen(given), mark = sizeof JOB_ID_MARK - 1;
    const char *at = strstr(given, JOB_ID_MARK);

    while (length > 1 && given[length - 1] == '/')
        length--;
    if (at != NULL && (at + mark != given + length || (at != given && at[-1] != '/'))) {
        pex__build_fail(build, PEX_ESPEC,
                        "work_dir: found \"%s\", expected " JOB_ID_MARK " as its last part only",
                        given);
        return;
    }
    if (strstr(given, "://") != NULL) {
        pex__build_fail(build, PEX_ESPEC, "work_dir: found \"%s\", expected a local path", given);
        return;
    }
    plan->work_dir_is_folder = at != NULL;
    if (at != NULL)
        length -= mark;
    while (length > 1 && given[length - 1] == '/')
        length--;
    plan->work_dir = length != 0 ? pex__strndup(given, length) : pex__strdup(".");
    if (plan->work_dir == NULL)
        pex__build_join(build, PEX_ENOMEM);
}

static void set_job_id(struct pex__build *build)
{
    const json_t *value = pex__spec_given(build->spec, "job_id");
    const char *id = json_string_value(value);
    char digits[24], found[80];

    if (json_is_integer(value)) {
        snprintf(digits, sizeof digits, "%lld", (long long)json_integer_value(value));
        id = digits;
    } else if (!json_is_string(value))
        return;
    if ((id != digits && !pex__value_is_text(value)) || *id == '\0' || strchr(id, '/') != NULL ||
        strcmp(id, ".") == 0 || strcmp(id, "..") == 0 || strlen(id) > JOB_ID_MAX) {
        pex__build_fail(build, PEX_ESPEC,
                        "job_id: found %s, expected a plain file name of at most %d bytes",
                        pex__value_show(value, found, sizeof found), JOB_ID_MAX);
        return;
    }
    build->plan->job_id = pex__strdup(id);
    if (build->plan->job_id == NULL)
        pex__build_join(build, PEX_ENOMEM);
}

void pex__build_paths(struct pex__build *build)
{
    struct pex__plan *plan = build->plan;
    const char *work_dir;

    set_job_id(build);
    pex__build_export(build);
    work_dir = pex__build_path(build, "work_dir");
    if (work_dir != NULL)
        set_work_dir(build, work_dir);
    else if (plan->export_path != NULL) {
        plan->work_dir = default_work_dir(plan->export_path);
        if (plan->work_dir == NULL)
            pex__build_join(build, PEX_ENOMEM);
    }
}
