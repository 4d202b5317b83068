/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of a stage. */
#include "data/batch.h"

#include "base/memory.h"
#include "data/edit.h"

#include <string.h>

static int is_stats(const struct pex__path *path)
{
    return strcmp(path->keys[0], PEX__STATS_KEY) == 0;
}

static int32_t make_key(const char *text, struct pex__column_info *info)
{
    const struct pex__new name = {.kind = PEX__NEW_STRING, .text = text, .length = strlen(text)};
    struct pex__buffer key = {0};

    if (pex__new_print(&name, &key) != 0 || pex__buffer_add(&key, ":", 1) != 0) {
        pex__buffer_free(&key);
        return PEX_ENOMEM;
    }
    info->key = key.data;
    info->key_length = key.length;
    return 0;
}

static int32_t describe(struct pex__layout *layout, size_t column)
{
    const struct pex__path *path = &layout->paths[column];
    struct pex__column_info *info = &layout->infos[column];

    info->is_stat = is_stats(path) && path->depth == 2;
    info->is_simple = !is_stats(path) || info->is_stat;
    for (size_t i = 0; i < layout->count; i++) {
        if (!pex__path_overlaps(path, &layout->paths[i]))
            continue;
        layout->overlaps[column] = 1;
        if (!info->is_stat || (int32_t)i != layout->stats)
            info->is_simple = 0;
    }
    return make_key(path->keys[path->depth - 1], info);
}

/* The stats column: found, or appended. */
static int32_t find_stats(struct pex__layout *layout)
{
    const char *const keys[] = {PEX__STATS_KEY};
    struct pex__path *grown;

    for (size_t i = 0; i < layout->count; i++) {
        layout->stats = (int32_t)i;
        if (is_stats(&layout->paths[i]) && layout->paths[i].depth == 1)
            return 0;
    }
    grown = pex__realloc(layout->paths, (layout->count + 1) * sizeof *grown);
    if (grown == NULL)
        return PEX_ENOMEM;
    layout->paths = grown;
    if (pex__path_keys(keys, 1, &grown[layout->count]) != 0)
        return PEX_ENOMEM;
    layout->stats = (int32_t)layout->count++;
    return 0;
}

static int32_t fill(struct pex__layout *layout)
{
    int32_t failed = find_stats(layout);

    if (failed != 0)
        return failed;
    layout->overlaps = pex__calloc(layout->count, 1);
    layout->infos = pex__calloc(layout->count, sizeof *layout->infos);
    if (layout->overlaps == NULL || layout->infos == NULL)
        return PEX_ENOMEM;
    for (size_t i = 0; i < layout->count && failed == 0; i++)
        failed = describe(layout, i);
    return failed != 0 ? failed : pex__paths_create(layout->paths, layout->count, &layout->set);
}

int32_t pex__layout_create(struct pex__path *paths, size_t count, struct pex__layout **layout)
{
    struct pex__layout *made = pex__calloc(1, sizeof *made);
    int32_t failed;

    if (made == NULL) {
        for (size_t i = 0; i < count; i++)
            pex__path_free(&paths[i]);
        pex__free(paths);
        return PEX_ENOMEM;
    }
    made->paths = paths;
    made->count = count;
    failed = fill(made);
    if (failed != 0)
        pex__layout_free(made);
    else
        *layout = made;
    return failed;
}

void pex__layout_free(struct pex__layout *layout)
{
    if (layout == NULL)
        return;
    for (size_t i = 0; i < layout->count; i++) {
        pex__path_free(&layout->paths[i]);
        if (layout->infos != NULL)
            pex__free(layout->infos[i].key);
    }
    pex__free(layout->paths);
    pex__paths_free(layout->set);
    pex__free(layout->overlaps);
    pex__free(layout->infos);
    pex__free(layout);
}

int32_t pex__layout_find(const struct pex__layout *layout, const struct pex__path *path)
{
    for (size_t i = 0; i < layout->count; i++)
        if (pex__path_equal(&layout->paths[i], path))
            return (int32_t)i;
    return -1;
}
