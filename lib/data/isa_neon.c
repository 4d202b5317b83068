/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels with NEON. */
#include "data/isa_neon.h"

#include "data/scan_mark.h"
#include "data/scan_numbers.h"
#include "data/text_kernel.h"

const struct pex__kernels pex__kernels_neon = {
    .mark = mark,
    .numbers = numbers,
    .decode = decode,
    .escape = escape,
    .escaped_bound = escaped_bound,
    .valid = valid,
};
