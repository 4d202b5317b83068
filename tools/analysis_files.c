/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis_files.h"
#include "tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What stands near the beginning of each file. */
static const char json_mark[] = "\"partexec_analysis\"";
static const char html_mark[] = "content=\"partexec analyze\"";

/* Takes a suffix off the end of text, unless nothing else is there. */
static void strip(char *text, const char *suffix)
{
    size_t length = strlen(text), size = strlen(suffix);

    if (length > size && strcmp(text + length - size, suffix) == 0 &&
        text[length - size - 1] != '/')
        text[length - size] = '\0';
}

static char *name_of_export(const pex_spec *spec)
{
    static const char *const suffixes[] = {"/", ".gz", ".zst", ".jsonl", ".json"};
    json_t *value;
    char *json, *base = NULL, *name = NULL;

    if (pex_spec_get(spec, "export_path", &json))
        return NULL;
    value = json_loads(json, JSON_DECODE_ANY, NULL);
    if (json_is_string(value) && *json_string_value(value))
        base = tool_format("%s", json_string_value(value));
    for (size_t i = 0; base && i < sizeof(suffixes) / sizeof(*suffixes); i++)
        strip(base, suffixes[i]);
    if (base)
        name = tool_format("%s.analysis", base);
    free(base);
    json_decref(value);
    pex_free(json);
    return name;
}

static char *name_of_option(const char *to)
{
    char *name = tool_format("%s", to);

    strip(name, ".json");
    strip(name, ".html");
    return name;
}

static int is_marked(const char *path, const char *mark, struct console *console)
{
    FILE *file = fopen(path, "re");
    char head[1024];
    size_t length = 0;
    int error = errno;

    if (file) {
        length = fread(head, 1, sizeof(head) - 1, file);
        error = ferror(file) ? errno : 0;
        fclose(file);
    }
    head[length] = '\0';
    if (error == ENOENT || (error == 0 && (length == 0 || strstr(head, mark))))
        return 1;
    if (error)
        console_error(console, "%s: %s", path, strerror(error));
    else
        console_error(console,
                      "%s: is there already, and is no analysis; move it, or give another name "
                      "with --to",
                      path);
    return 0;
}

/* The folder of a path, or one above it that is there. */
static int is_writable_folder(const char *path, struct console *console)
{
    char *folder = tool_format("%s", path);
    char *slash;
    int is_good = 0;

    do {
        slash = strrchr(folder, '/');
        if (slash)
            slash[slash == folder] = '\0';
        is_good = access(slash ? folder : ".", W_OK | X_OK) == 0;
    } while (!is_good && errno == ENOENT && slash && slash != folder);
    if (!is_good)
        console_error(console, "%s: cannot be written in %s: %s", path, slash ? folder : ".",
                      strerror(errno));
    free(folder);
    return is_good;
}

int analysis_files_name(struct analysis_files *files, const char *to, const pex_spec *spec,
                        const char *job_file, struct console *console)
{
    char *name = to ? name_of_option(to) : name_of_export(spec);

    *files = (struct analysis_files){0};
    if (!name) {
        console_error(console,
                      "%s: export_path: found nothing, and the analysis goes beside it; give a "
                      "name with --to, as in --to first-look",
                      job_file);
        return TOOL_REFUSED;
    }
    files->json = tool_format("%s.json", name);
    files->html = tool_format("%s.html", name);
    free(name);
    return is_marked(files->json, json_mark, console) &&
                   is_marked(files->html, html_mark, console) &&
                   is_writable_folder(files->json, console)
               ? TOOL_DONE
               : TOOL_REFUSED;
}

void analysis_files_free(struct analysis_files *files)
{
    free(files->json);
    free(files->html);
}

/* The folders on the way to a file. */
static int make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        int failed;

        *slash = '\0';
        failed = mkdir(path, 0777) && errno != EEXIST;
        *slash = '/';
        if (failed)
            return -1;
    }
    return 0;
}

static int write_whole(const char *path, void (*write)(const struct analysis *, FILE *),
                       const struct analysis *analysis)
{
    FILE *file = fopen(path, "we");
    int failed;

    if (!file)
        return -1;
    write(analysis, file);
    failed = ferror(file);
    return fclose(file) || failed ? -1 : 0;
}

static int write_file(char *path, void (*write)(const struct analysis *, FILE *),
                      const struct analysis *analysis, struct console *console)
{
    char *partial = tool_format("%s.partial", path);
    int result = TOOL_DONE;

    if (make_folders(path) || write_whole(partial, write, analysis) || rename(partial, path)) {
        console_error(console, "%s: cannot be written: %s", path, strerror(errno));
        unlink(partial);
        result = TOOL_FAILED;
    }
    free(partial);
    return result;
}

int analysis_files_write(const struct analysis_files *files, const struct analysis *analysis,
                         struct console *console)
{
    int result = write_file(files->json, analysis_write_json, analysis, console);

    return result == TOOL_DONE ? write_file(files->html, analysis_write_html, analysis, console)
                               : result;
}
