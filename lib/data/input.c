/* SPDX-License-Identifier: Apache-2.0 */
#include "data/input.h"

#include "base/memory.h"
#include "data/buffers.h"
#include "data/decode.h"
#include "data/feed.h"
#include "data/reader.h"

#include <partexec/dataset.h>

void pex__input_free(struct pex__input *input)
{
    if (input == NULL)
        return;
    for (size_t i = 0; i < input->source_count; i++)
        pex__free(input->sources[i].path);
    pex__free(input->sources);
    pex__input_let_go(input);
    pex__free(input);
}

void pex__input_let_go(struct pex__input *input)
{
    if (input->buffers != NULL)
        pex__buffers_unref(input->buffers);
    if (input->feed != NULL)
        pex__feed_unref(input->feed);
    input->buffers = NULL;
    input->feed = NULL;
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

static int is_compressed(const struct pex__source *source)
{
    return source->codec != PEX__CODEC_NONE && source->format == PEX_FORMAT_JSONL;
}

int pex__input_is_stream(const struct pex__input *input, const struct pex__place *begin,
                         const struct pex__place *end)
{
    for (size_t i = begin->source; i < input->source_count; i++) {
        if (i > end->source || (i == end->source && end->row == 0))
            break;
        if (is_compressed(&input->sources[i]))
            return 1;
    }
    return 0;
}

size_t pex__input_compressed(const struct pex__input *input)
{
    size_t count = 0;

    for (size_t i = 0; i < input->source_count; i++)
        count += (size_t)is_compressed(&input->sources[i]);
    return count;
}

uint64_t pex__input_decoder_cost(const struct pex__input *input, size_t buffer_bytes)
{
    uint64_t most = 0, cost;

    for (size_t i = 0; i < input->source_count; i++) {
        cost = is_compressed(&input->sources[i])
                   ? pex__decoder_cost(&input->sources[i], buffer_bytes)
                   : 0;
        most = cost > most ? cost : most;
    }
    return most;
}
