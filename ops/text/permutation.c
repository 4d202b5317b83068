/* SPDX-License-Identifier: Apache-2.0 */
#include "permutation.h"

#include <stdbool.h>

__extension__ typedef unsigned __int128 uint128;

/* PCG64: a linear congruential generator of 128 bits, whose output is rotated (XSL-RR). */
struct pcg {
    uint128 state;
    uint128 increment;
    uint32_t rest; /* numpy hands out 64 bits in two halves, the lower one first */
    bool has_rest;
};

static uint128 join(uint64_t high, uint64_t low)
{
    return (uint128)high << 64 | low;
}

static void step(struct pcg *pcg)
{
    const uint128 multiplier = join(0x2360ed051fc65da4, 0x4385df649fccf645);
    pcg->state = pcg->state * multiplier + pcg->increment;
}

/* SeedSequence(42).generate_state(4): the first two words are the state, the others the stream. */
static void seed(struct pcg *pcg)
{
    *pcg = (struct pcg){.increment = join(0x7d282a1b64d420b7, 0x336579714692d5ff) << 1 | 1};
    step(pcg);
    pcg->state += join(0x9f1e2e6dcd540ab7, 0xd57873dc79fb94b6);
    step(pcg);
}

static uint32_t next(struct pcg *pcg)
{
    if (pcg->has_rest) {
        pcg->has_rest = false;
        return pcg->rest;
    }
    step(pcg);
    uint64_t mixed = (uint64_t)(pcg->state >> 64) ^ (uint64_t)pcg->state;
    unsigned turn = (unsigned)(pcg->state >> 122);
    mixed = mixed >> turn | mixed << (-turn & 63);
    pcg->has_rest = true;
    pcg->rest = (uint32_t)(mixed >> 32);
    return (uint32_t)mixed;
}

/* A number from 0 to `last`: of so many bits, drawn until it is not above. */
static uint32_t up_to(struct pcg *pcg, uint32_t last)
{
    uint32_t mask = UINT32_MAX >> __builtin_clz(last | 1), value;
    do
        value = next(pcg) & mask;
    while (value > last);
    return value;
}

void pex__permutation(uint32_t *index, size_t count)
{
    struct pcg pcg;
    seed(&pcg);
    for (size_t i = 0; i < count; i++)
        index[i] = (uint32_t)i;
    for (size_t i = count; i-- > 1;) {
        uint32_t other = up_to(&pcg, (uint32_t)i);
        uint32_t kept = index[i];
        index[i] = index[other];
        index[other] = kept;
    }
}
