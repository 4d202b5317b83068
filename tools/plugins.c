/* SPDX-License-Identifier: Apache-2.0 */
#include "plugins.h"
#include "tool.h"

#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The folder of this program, or NULL when /proc does not say. */
static char *program_folder(void)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    char *slash;

    if (length < 0)
        return NULL;
    path[length] = '\0';
    slash = strrchr(path, '/');
    if (!slash)
        return NULL;
    *slash = '\0';
    return tool_format("%s", path);
}

/* A folder name as a pattern that matches just it. */
static char *quote_pattern(const char *folder)
{
    char *quoted = tool_realloc(NULL, 2 * strlen(folder) + 1);
    char *to = quoted;

    for (; *folder; folder++) {
        if (strchr("*?[\\", *folder))
            *to++ = '\\';
        *to++ = *folder;
    }
    *to = '\0';
    return quoted;
}

/* Adds what matches `pattern` below folder. */
static void add_matches(struct plugin_files *files, const char *folder, const char *pattern)
{
    char *quoted = quote_pattern(folder);
    char *full = tool_format("%s/%s", quoted, pattern);
    glob_t found;

    if (glob(full, 0, NULL, &found) == 0) {
        size_t count = files->count + found.gl_pathc;

        files->paths = tool_realloc(files->paths, count * sizeof(*files->paths));
        for (size_t i = 0; i < found.gl_pathc; i++)
            files->paths[files->count++] = tool_format("%s", found.gl_pathv[i]);
        globfree(&found);
    }
    free(quoted);
    free(full);
}

static int is_build_tree(const char *program)
{
    const char *name = strrchr(program, '/');
    char *mark = tool_format("%s/../meson-private", program);
    int is_meson = access(mark, F_OK) == 0;

    free(mark);
    return is_meson && name && strcmp(name, "/tools") == 0;
}

static void find_installed(struct plugin_files *files, const char *program)
{
    if (program) {
        files->folder = tool_format("%s/../%s/partexec", program, PEX_TOOL_LIBDIR);
        add_matches(files, files->folder, "*.so");
        if (files->count > 0)
            return;
        free(files->folder);
    }
    files->folder = tool_format("%s", PEX_TOOL_PLUGIN_DIR);
    add_matches(files, files->folder, "*.so");
}

void plugin_files_find(struct plugin_files *files)
{
    char *program = program_folder();

    memset(files, 0, sizeof(*files));
    if (program && is_build_tree(program))
        add_matches(files, program, "../ops/*/*.so");
    else
        find_installed(files, program);
    free(program);
}

static int is_plugin_named(const char *path, const char *name)
{
    const char *file = strrchr(path, '/') + 1;
    size_t length = strlen(name);

    return strncmp(file, name, length) == 0 && strcmp(file + length, ".so") == 0;
}

static char *plugin_path(const struct plugin_files *own, const char *name)
{
    if (strchr(name, '/'))
        return tool_format("%s", name);
    for (size_t i = 0; i < own->count && access(name, F_OK) != 0; i++) {
        if (is_plugin_named(own->paths[i], name))
            return tool_format("%s", own->paths[i]);
    }
    return tool_format("./%s", name);
}

void plugin_files_asked(struct plugin_files *files, const struct plugin_files *own,
                        const char *name)
{
    char *path = plugin_path(own, name);
    struct stat status;

    memset(files, 0, sizeof(*files));
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        files->folder = path;
        add_matches(files, path, "*.so");
        return;
    }
    files->paths = tool_realloc(NULL, sizeof(*files->paths));
    files->paths[files->count++] = path;
}

void plugin_files_free(struct plugin_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        free(files->paths[i]);
    free(files->paths);
    free(files->folder);
}
