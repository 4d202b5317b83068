/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel.h"

#include <string.h>

#if defined(__x86_64__)
#include <stdbool.h>

/* popcnt and bmi come with every machine that has AVX2, but nothing promises it. */
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("popcnt");
}

static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");
}

const struct pex__kernel *pex__kernel_at(size_t index)
{
    const struct pex__kernel *usable[5] = {&pex__kernel_plain, &pex__kernel_sse2};
    size_t count = 2;
    if (has_avx2())
        usable[count++] = &pex__kernel_avx2;
    if (has_avx512())
        usable[count++] = &pex__kernel_avx512;
    return index < count ? usable[index] : NULL;
}
#else
const struct pex__kernel *pex__kernel_at(size_t index)
{
    return index == 0 ? &pex__kernel_plain : NULL;
}
#endif

const struct pex__kernel *pex__kernel_best(void)
{
    const struct pex__kernel *best = NULL, *kernel;
    for (size_t i = 0; (kernel = pex__kernel_at(i)); i++)
        best = kernel;
    return best;
}

/* U+0009, U+0084, U+00A0, U+2000 to U+200D, U+202F, U+205F, U+2060, U+3000, U+FFFC. */
size_t pex__blank_size(const char *text, size_t length)
{
    const unsigned char *s = (const unsigned char *)text;
    if (s[0] == '\t')
        return 1;
    if (s[0] == 0xC2)
        return length >= 2 && (s[1] == 0x84 || s[1] == 0xA0) ? 2 : 0;
    if (length < 3)
        return 0;
    switch (s[0]) {
    case 0xE2:
        if (s[1] == 0x80)
            return s[2] <= 0x8D || s[2] == 0xAF ? 3 : 0;
        return s[1] == 0x81 && (s[2] == 0x9F || s[2] == 0xA0) ? 3 : 0;
    case 0xE3:
        return s[1] == 0x80 && s[2] == 0x80 ? 3 : 0;
    case 0xEF:
        return s[1] == 0xBF && s[2] == 0xBC ? 3 : 0;
    default:
        return 0;
    }
}
