/* SPDX-License-Identifier: Apache-2.0 */
#include "data/input.h"

#include "base/memory.h"
#include "data/reader.h"

void pex__input_free(struct pex__input *input)
{
    if (input == NULL)
        return;
    for (size_t i = 0; i < input->source_count; i++)
        pex__free(input->sources[i].path);
    pex__free(input->sources);
    pex__free(input);
}

size_t pex__input_find(const struct pex__input *input, uint64_t offset)
{
    size_t low = 0, high = input->source_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct pex__source *source = &input->sources[middle];

        if (source->begin >= offset || source->begin + source->size > offset)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}
