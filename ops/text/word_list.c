/* SPDX-License-Identifier: Apache-2.0 */
#include "word_list.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

struct entry {
    uint64_t hash;
    char *word; /* NULL: an empty place */
    size_t length;
};

struct pex__word_list {
    struct entry *place;
    size_t mask;
    size_t count;
    size_t longest;
};

/* One walk over the files of a folder. */
struct reading {
    const char *kind;
    const char *folder;
    struct pex_string_view language;
    struct pex__word_list *list;
    bool is_all; /* the union is wanted, and no file has a language "all" */
    bool is_found;
    size_t files;
    struct pex_error *err;
};

static struct entry *find(const struct pex__word_list *list, uint64_t hash, const char *word,
                          size_t length)
{
    size_t at = (size_t)hash & list->mask;
    while (list->place[at].word &&
           (list->place[at].hash != hash || list->place[at].length != length ||
            memcmp(list->place[at].word, word, length) != 0))
        at = (at + 1) & list->mask;
    return &list->place[at];
}

static int32_t grow(struct pex__word_list *list)
{
    struct pex__word_list larger = *list;
    larger.mask = 2 * list->mask + 1;
    larger.place = calloc(larger.mask + 1, sizeof(*larger.place));
    if (!larger.place)
        return PEX_ENOMEM;
    for (size_t i = 0; i <= list->mask; i++) {
        const struct entry *entry = &list->place[i];
        if (entry->word)
            *find(&larger, entry->hash, entry->word, entry->length) = *entry;
    }
    free(list->place);
    *list = larger;
    return 0;
}

static int32_t add(struct pex__word_list *list, const char *word, size_t length)
{
    uint64_t hash = XXH3_64bits(word, length);
    struct entry *entry = find(list, hash, word, length);
    if (entry->word)
        return 0;
    char *copy = malloc(length + 1);
    if (!copy)
        return PEX_ENOMEM;
    memcpy(copy, word, length);
    *entry = (struct entry){hash, copy, length};
    if (length > list->longest)
        list->longest = length;
    return ++list->count > list->mask / 2 ? grow(list) : 0;
}

static int32_t add_words(struct reading *reading, const char *path, const char *language,
                         json_t *words)
{
    size_t index;
    json_t *word;
    if (!json_is_array(words))
        return pex_error_set(reading->err, PEX_EINVAL,
                             "parameter '%s_dir': %s: the value of \"%s\" must be a list of words",
                             reading->kind, path, language);
    json_array_foreach(words, index, word)
    {
        if (!json_is_string(word))
            return pex_error_set(reading->err, PEX_EINVAL,
                                 "parameter '%s_dir': %s: word %zu of \"%s\" is no string",
                                 reading->kind, path, index, language);
        if (add(reading->list, json_string_value(word), json_string_length(word)))
            return pex_error_set(reading->err, PEX_ENOMEM, "out of memory for a list of words");
    }
    return 0;
}

static bool is_wanted(const struct reading *reading, const char *language)
{
    return strlen(language) == reading->language.length &&
           !memcmp(language, reading->language.data, reading->language.length);
}

static int32_t read_file(struct reading *reading, const char *path)
{
    json_error_t error;
    const char *language;
    json_t *words, *root = json_load_file(path, 0, &error);
    int32_t rc = 0;
    if (!root)
        return pex_error_set(reading->err, PEX_EINVAL,
                             "parameter '%s_dir': %s, line %d: %s; it must be a JSON object of "
                             "lists of words",
                             reading->kind, path, error.line, error.text);
    if (!json_is_object(root))
        rc = pex_error_set(reading->err, PEX_EINVAL,
                           "parameter '%s_dir': %s: must be a JSON object of lists of words",
                           reading->kind, path);
    json_object_foreach(root, language, words)
    {
        bool is_this = is_wanted(reading, language);
        reading->is_found |= is_this;
        if (!rc && (is_this || reading->is_all))
            rc = add_words(reading, path, language, words);
    }
    json_decref(root);
    return rc;
}

static bool is_list(const struct reading *reading, const char *name)
{
    size_t length = strlen(name);
    return length >= 5 && !strcmp(name + length - 5, ".json") && strstr(name, reading->kind);
}

static int32_t walk(struct reading *reading)
{
    struct dirent *entry;
    int32_t rc = 0;
    DIR *folder = opendir(reading->folder);
    if (!folder)
        return pex_error_set(reading->err, PEX_EINVAL,
                             "parameter '%s_dir': the folder %s cannot be read: %s", reading->kind,
                             reading->folder, strerror(errno));
    while (!rc && (entry = readdir(folder))) {
        char *path;
        if (!is_list(reading, entry->d_name))
            continue;
        if (asprintf(&path, "%s/%s", reading->folder, entry->d_name) < 0) {
            rc = pex_error_set(reading->err, PEX_ENOMEM, "out of memory for a path");
            break;
        }
        reading->files++;
        rc = read_file(reading, path);
        free(path);
    }
    closedir(folder);
    if (!rc && !reading->files)
        rc = pex_error_set(reading->err, PEX_EINVAL,
                           "parameter '%s_dir': the folder %s has no file named *%s*.json",
                           reading->kind, reading->folder, reading->kind);
    return rc;
}

static int32_t make(struct reading *reading)
{
    reading->list = calloc(1, sizeof(*reading->list));
    if (!reading->list)
        return PEX_ENOMEM;
    reading->list->mask = 255;
    reading->list->place = calloc(256, sizeof(*reading->list->place));
    return reading->list->place ? 0 : PEX_ENOMEM;
}

int32_t pex__word_list_read(const char *kind, struct pex_string_view folder,
                            struct pex_string_view language, struct pex__word_list **list,
                            struct pex_error *err)
{
    struct reading reading = {.kind = kind, .language = language, .err = err};
    if (folder.length == 0)
        return pex_error_set(err, PEX_EINVAL,
                             "parameter '%s_dir' is missing: no list comes with the operator; name "
                             "a folder with files *%s*.json, {\"en\": [\"word\", ..]}",
                             kind, kind);
    char *path = calloc(folder.length + 1, 1);
    if (path)
        memcpy(path, folder.data, folder.length);
    int32_t rc = path ? make(&reading) : PEX_ENOMEM;
    reading.folder = path;
    if (rc)
        pex_error_set(err, rc, "out of memory for a list of words");
    else
        rc = walk(&reading);
    if (!rc && !reading.is_found && is_wanted(&reading, "all")) {
        reading.is_all = reading.is_found = true;
        rc = walk(&reading);
    }
    if (!rc && !reading.is_found)
        rc = pex_error_set(err, PEX_EINVAL,
                           "parameter 'lang': no file of %s has a list for \"%.*s\"", path,
                           (int)language.length, language.data);
    free(path);
    if (rc)
        pex__word_list_free(reading.list);
    else
        *list = reading.list;
    return rc;
}

void pex__word_list_free(struct pex__word_list *list)
{
    if (!list)
        return;
    for (size_t i = 0; list->place && i <= list->mask; i++)
        free(list->place[i].word);
    free(list->place);
    free(list);
}

bool pex__word_list_has(const struct pex__word_list *list, const char *word, size_t length)
{
    return length <= list->longest &&
           find(list, XXH3_64bits(word, length), word, length)->word != NULL;
}

size_t pex__word_list_longest(const struct pex__word_list *list)
{
    return list->longest;
}
