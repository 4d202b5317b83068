/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/export.h"

#include "base/memory.h"
#include "data/pack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_DIGITS = 5 };

/* Text of both, to be freed with pex__free. */
static char *join(const char *a, size_t length, const char *b)
{
    char *made = pex__malloc(length + strlen(b) + 1);

    if (made == NULL)
        return NULL;
    memcpy(made, a, length);
    strcpy(made + length, b);
    return made;
}

/* Where the EXT of a base name begins: at its last dot, in front of what says how it is packed; a
 * dot in front belongs to the name. */
static size_t name_length(const char *base, int32_t pack)
{
    size_t length = strlen(base) - strlen(pex__pack_suffix(pack)), at = length;

    while (at > 1 && base[at - 1] != '.')
        at--;
    return at > 1 ? at - 1 : length;
}

static void set_folder(struct pex__export_form *form, const char *path)
{
    size_t length = strlen(path);

    while (length > 1 && path[length - 2] == '/')
        length--;
    form->folder = pex__strndup(path, length);
    form->name = pex__strdup("part");
    form->ext = join(".jsonl", sizeof ".jsonl" - 1, pex__pack_suffix(form->pack));
    /* Beside the folder: in it, it would be taken for rows. */
    if (form->has_stats)
        form->stats = join(path, length - 1, "_stats.jsonl");
}

static void set_file(struct pex__export_form *form, const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash != NULL ? slash + 1 : path;
    size_t folder = (size_t)(base - path), name = name_length(base, form->pack);

    form->folder = pex__strndup(path, folder);
    form->name = pex__strndup(base, name);
    form->ext = pex__strdup(base + name);
    if (form->has_stats)
        form->stats = join(path, folder + name, "_stats.jsonl");
}

int32_t pex__export_form_set(struct pex__export_form *form, const char *path)
{
    if (form->kind == PEX__EXPORT_FOLDER)
        set_folder(form, path);
    else
        set_file(form, path);
    return form->folder == NULL || form->name == NULL || form->ext == NULL ||
                   (form->has_stats && form->stats == NULL)
               ? PEX_ENOMEM
               : 0;
}

void pex__export_form_free(struct pex__export_form *form)
{
    pex__free(form->folder);
    pex__free(form->name);
    pex__free(form->ext);
    pex__free(form->stats);
}

char *pex__export_path(const struct pex__export_form *form, size_t index)
{
    size_t room = strlen(form->folder) + strlen(form->name) + strlen(form->ext) + 32;
    char *path = pex__malloc(room);

    if (path == NULL)
        return NULL;
    if (form->kind == PEX__EXPORT_FILE)
        snprintf(path, room, "%s%s%s", form->folder, form->name, form->ext);
    else
        snprintf(path, room, "%s%s-%0*zu%s", form->folder, form->name, LEAST_DIGITS, index,
                 form->ext);
    return path;
}

int pex__export_has_name(const struct pex__export_form *form, const char *base)
{
    size_t length = strlen(form->name), digits;

    if (strncmp(base, form->name, length) != 0)
        return 0;
    base += length;
    if (form->kind == PEX__EXPORT_FILE)
        return strcmp(base, form->ext) == 0;
    if (*base++ != '-')
        return 0;
    digits = strspn(base, "0123456789");
    return digits >= LEAST_DIGITS && (digits == LEAST_DIGITS || *base != '0') &&
           strcmp(base + digits, form->ext) == 0;
}
