/* SPDX-License-Identifier: Apache-2.0 */
/* From files, folders and patterns to the listing of sources. */
#include "data/list.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

#define NEITHER                                                                                    \
    "neither a file nor a folder; save what it gives in a file, or leave it out of the input"

/* Folders that are still to be read: a stack, so that a deep tree needs one descriptor. */
struct folders {
    char **paths;
    size_t count;
    size_t capacity;
};

struct listing {
    struct pex__input *input;
    size_t capacity; /* of input->sources */
    struct folders folders;
    const struct pex__suffixes *suffixes; /* NULL: files of folders have any */
    struct pex_error *err;
};

/* Takes over path, also on failure. */
static int32_t add_file(struct listing *listing, char *path, const struct stat *st)
{
    struct pex__input *input = listing->input;

    if (pex__grow(&input->sources, &listing->capacity, input->source_count + 1,
                  sizeof *input->sources) != 0) {
        pex__free(path);
        return pex__error_memory(listing->err);
    }
    input->sources[input->source_count++] = (struct pex__source){
        .path = path,
        .size = (uint64_t)st->st_size,
        .mtime_ns = st->st_mtim.tv_sec * INT64_C(1000000000) + st->st_mtim.tv_nsec,
    };
    if (access(path, R_OK) != 0)
        return pex_error_set(listing->err, PEX_EIO, "%s: cannot be read; check its permissions",
                             path);
    return 0;
}

/* Takes over path, also on failure. */
static int32_t add_folder(struct listing *listing, char *path)
{
    struct folders *folders = &listing->folders;

    if (pex__grow(&folders->paths, &folders->capacity, folders->count + 1,
                  sizeof *folders->paths) != 0) {
        pex__free(path);
        return pex__error_memory(listing->err);
    }
    folders->paths[folders->count++] = path;
    return 0;
}

static int32_t refuse(struct listing *listing, char *path, int32_t code, const char *reason)
{
    pex_error_set(listing->err, code, "%s: %s", path, reason);
    pex__free(path);
    return code;
}

static char *join(const char *folder, const char *name)
{
    size_t length = strlen(folder), name_size = strlen(name) + 1;
    size_t slash = length > 0 && folder[length - 1] != '/';
    char *path = pex__malloc(length + slash + name_size);

    if (path == NULL)
        return NULL;
    memcpy(path, folder, length);
    if (slash)
        path[length] = '/';
    memcpy(path + length + slash, name, name_size);
    return path;
}

/* jsonl, .jsonl and .JSONL stand for the same. */
static int has_suffix(const char *name, const char *suffix)
{
    size_t length = strlen(name), size = strlen(suffix);

    if (size > length || strcasecmp(name + length - size, suffix) != 0)
        return 0;
    return size == 0 || suffix[0] == '.' || (length > size && name[length - size - 1] == '.');
}

static int is_wanted(const struct listing *listing, const char *name)
{
    const struct pex__suffixes *suffixes = listing->suffixes;

    if (suffixes == NULL || suffixes->count == 0)
        return 1;
    for (size_t i = 0; i < suffixes->count; i++)
        if (has_suffix(name, suffixes->names[i]))
            return 1;
    return 0;
}

static int32_t skip(char *path)
{
    pex__free(path);
    return 0;
}

static int32_t add_entry(struct listing *listing, const char *folder, int fd, const char *name)
{
    struct stat st, target;
    char *path;
    int32_t code;

    if (name[0] == '.')
        return 0;
    path = join(folder, name);
    if (path == NULL)
        return pex__error_memory(listing->err);
    if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
        code = pex__error_system(listing->err, "cannot examine", path, errno);
        pex__free(path);
        return code;
    }
    if (S_ISDIR(st.st_mode))
        return add_folder(listing, path);
    if (!is_wanted(listing, name))
        return skip(path);
    if (S_ISREG(st.st_mode))
        return add_file(listing, path, &st);
    if (!S_ISLNK(st.st_mode))
        return refuse(listing, path, PEX_EINVAL, NEITHER);
    if (fstatat(fd, name, &target, 0) != 0)
        return refuse(listing, path, PEX_ENOENT,
                      "a symbolic link that leads nowhere; take it out of the folder, or mend it");
    if (S_ISREG(target.st_mode))
        return add_file(listing, path, &target);
    if (!S_ISDIR(target.st_mode))
        return refuse(listing, path, PEX_EINVAL, NEITHER);
    /* A link to a folder could lead back to where we are. */
    pex__free(path);
    return 0;
}

static int32_t read_folder(struct listing *listing, const char *path)
{
    struct dirent *entry;
    int32_t code = 0;
    DIR *dir = opendir(path);

    if (dir == NULL)
        return pex__error_system(listing->err, "cannot open the folder", path, errno);
    for (;;) {
        errno = 0;
        entry = readdir(dir);
        if (entry == NULL && errno != 0)
            code = pex__error_system(listing->err, "cannot read the folder", path, errno);
        if (entry == NULL || code != 0)
            break;
        code = add_entry(listing, path, dirfd(dir), entry->d_name);
        if (code != 0)
            break;
    }
    closedir(dir);
    return code;
}

static int32_t read_folders(struct listing *listing)
{
    struct folders *folders = &listing->folders;
    int32_t code = 0;

    while (folders->count > 0) {
        char *path = folders->paths[--folders->count];

        if (code == 0)
            code = read_folder(listing, path);
        pex__free(path);
    }
    return code;
}

/* Adds what an existing path stands for. */
static int32_t add_path(struct listing *listing, const char *path, const struct stat *st)
{
    char *copy = pex__strdup(path);
    int32_t code;

    if (copy == NULL)
        return pex__error_memory(listing->err);
    if (S_ISREG(st->st_mode))
        return add_file(listing, copy, st);
    if (!S_ISDIR(st->st_mode))
        return refuse(listing, copy, PEX_EINVAL, NEITHER);
    code = add_folder(listing, copy);
    return code != 0 ? code : read_folders(listing);
}

static int is_pattern(const char *path)
{
    return strpbrk(path, "*?[") != NULL;
}

/* A folder that is not there matches nothing; one that may not be read must not be passed over. */
static int stop_glob(const char *path, int error)
{
    return error != ENOENT && error != ENOTDIR;
}

static int32_t add_matches(struct listing *listing, const char *pattern)
{
    glob_t found = {0};
    struct stat st;
    int32_t code = 0;
    int result = glob(pattern, GLOB_NOSORT, stop_glob, &found);

    if (result == GLOB_NOMATCH)
        code = pex_error_set(listing->err, PEX_ENOENT,
                             "%s: no file has this name or matches this pattern; check the path "
                             "(relative paths start at the current folder)",
                             pattern);
    else if (result == GLOB_NOSPACE)
        code = pex__error_memory(listing->err);
    else if (result != 0)
        code = pex_error_set(listing->err, PEX_EIO,
                             "%s: a folder of the pattern cannot be read; check its permissions",
                             pattern);
    for (size_t i = 0; code == 0 && i < found.gl_pathc; i++) {
        if (stat(found.gl_pathv[i], &st) != 0)
            code = pex__error_system(listing->err, "cannot examine", found.gl_pathv[i], errno);
        else
            code = add_path(listing, found.gl_pathv[i], &st);
    }
    globfree(&found);
    return code;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(((const struct pex__source *)a)->path, ((const struct pex__source *)b)->path);
}

static int32_t add_argument(struct listing *listing, const char *path)
{
    struct pex__input *input = listing->input;
    size_t first = input->source_count;
    struct stat st;
    int32_t code;

    if (*path == '\0')
        return pex_error_set(listing->err, PEX_ENOENT,
                             "an input path is empty; name a file, folder "
                             "or pattern");
    if (stat(path, &st) == 0)
        code = add_path(listing, path, &st);
    else if (errno != ENOENT && errno != ENOTDIR)
        code = pex__error_system(listing->err, "cannot examine", path, errno);
    else if (is_pattern(path))
        code = add_matches(listing, path);
    else
        code = pex_error_set(listing->err, PEX_ENOENT,
                             "%s: no such file or folder; check the path (relative paths start at "
                             "the current folder)",
                             path);
    if (code != 0)
        return code;
    if (input->source_count == first)
        return pex_error_set(listing->err, PEX_ENOENT,
                             "%s: holds no file%s (entries whose names start with a dot, and links "
                             "to folders, are left out); name a folder with files",
                             path,
                             listing->suffixes != NULL && listing->suffixes->count > 0
                                 ? " with one of the suffixes"
                                 : "");
    qsort(input->sources + first, input->source_count - first, sizeof *input->sources,
          compare_paths);
    return 0;
}

/* Formats, and the place of each source in the space of offsets. */
static int32_t finish(struct pex__input *input, int32_t format, struct pex_error *err)
{
    int32_t code;

    for (size_t i = 0; i < input->source_count; i++) {
        struct pex__source *source = &input->sources[i];

        code = pex__list_format(source, format, err);
        if (code != 0)
            return code;
        source->begin = input->bytes;
        input->bytes += source->size;
    }
    if (input->source_count > UINT32_MAX)
        return pex_error_set(err, PEX_ELIMIT,
                             "%zu input files are more than row ids can tell apart",
                             input->source_count);
    return 0;
}

int32_t pex__input_list(const char *const *paths, size_t count, int32_t format,
                        const struct pex__suffixes *suffixes, struct pex__input **input,
                        struct pex_error *err)
{
    struct listing listing = {.suffixes = suffixes, .err = err};
    int32_t code = 0;

    if (count == 0)
        return pex_error_set(err, PEX_ENOENT,
                             "the list of input paths is empty; name at least one "
                             "file, folder or pattern");
    listing.input = pex__calloc(1, sizeof *listing.input);
    if (listing.input == NULL)
        return pex__error_memory(err);
    for (size_t i = 0; i < count && code == 0; i++)
        code = add_argument(&listing, paths[i]);
    if (code == 0)
        code = finish(listing.input, format, err);
    for (size_t i = 0; i < listing.folders.count; i++)
        pex__free(listing.folders.paths[i]);
    pex__free(listing.folders.paths);
    if (code != 0) {
        pex__input_free(listing.input);
        return code;
    }
    *input = listing.input;
    return 0;
}
