/* SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"
#include "job/keys.h"

#include <string.h>

void pex__notes_free(struct pex__notes *notes)
{
    for (size_t i = 0; i < notes->count; i++)
        pex__free(notes->note[i].name);
    pex__free(notes->note);
    memset(notes, 0, sizeof *notes);
}

static int is_name(const char *name)
{
    size_t length = name != NULL ? strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") : 0;

    return length > 0 && name[length] == '\0';
}

int32_t pex_keys_note(pex_keys *keys, const char *name, uint64_t value)
{
    struct pex__notes *notes;
    size_t i = 0;
    char *copy;

    if (keys == NULL || !is_name(name))
        return PEX_EINVAL;
    notes = &keys->notes;
    while (i < notes->count && strcmp(notes->note[i].name, name) != 0)
        i++;
    if (i == notes->count) {
        copy = pex__strdup(name);
        if (copy == NULL ||
            pex__grow(&notes->note, &notes->capacity, i + 1, sizeof *notes->note) != 0) {
            pex__free(copy);
            return PEX_ENOMEM;
        }
        notes->note[i].name = copy;
        notes->count++;
    }
    notes->note[i].value = value;
    return 0;
}
