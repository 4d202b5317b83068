/* SPDX-License-Identifier: Apache-2.0 */
#include "data/isa.h"

#include "data/scan.h"

const char *pex__isa_name(int32_t isa)
{
    static const char *const names[PEX__ISA_COUNT] = {"plain", "sse4.2", "avx2", "avx512", "neon"};

    return isa >= 0 && isa < PEX__ISA_COUNT ? names[isa] : "none";
}

#if defined(__x86_64__)

static int is_here(int32_t isa)
{
    switch (isa) {
    case PEX__ISA_PLAIN:
        return 1;
    case PEX__ISA_SSE:
        return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
    case PEX__ISA_AVX2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
               __builtin_cpu_supports("bmi2");
    case PEX__ISA_AVX512:
        return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("bmi2");
    default:
        return 0;
    }
}

int32_t pex__isa_best(void)
{
    int32_t isa = PEX__ISA_AVX512;

    while (!is_here(isa))
        isa--;
    return isa;
}

const struct pex__kernels *pex__isa_kernels(int32_t isa)
{
    static const struct pex__kernels *const table[PEX__ISA_COUNT] = {
        [PEX__ISA_PLAIN] = &pex__kernels_plain,
        [PEX__ISA_SSE] = &pex__kernels_sse,
        [PEX__ISA_AVX2] = &pex__kernels_avx2,
        [PEX__ISA_AVX512] = &pex__kernels_avx512,
    };

    return is_here(isa) ? table[isa] : NULL;
}

#elif defined(__aarch64__)

int32_t pex__isa_best(void)
{
    return PEX__ISA_NEON;
}

const struct pex__kernels *pex__isa_kernels(int32_t isa)
{
    return isa == PEX__ISA_NEON    ? &pex__kernels_neon
           : isa == PEX__ISA_PLAIN ? &pex__kernels_plain
                                   : NULL;
}

#else

int32_t pex__isa_best(void)
{
    return PEX__ISA_PLAIN;
}

const struct pex__kernels *pex__isa_kernels(int32_t isa)
{
    return isa == PEX__ISA_PLAIN ? &pex__kernels_plain : NULL;
}

#endif
