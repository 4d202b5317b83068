/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels with AVX-512. */
#include "data/isa_avx512.h"

#include "data/scan_mark.h"
#include "data/scan_numbers.h"
#include "data/text_kernel.h"

const struct pex__kernels pex__kernels_avx512 = {
    .mark = mark,
    .numbers = numbers,
    .decode = decode,
    .escape = escape,
    .escaped_bound = escaped_bound,
    .valid = valid,
};
