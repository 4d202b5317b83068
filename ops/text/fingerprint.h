/* SPDX-License-Identifier: Apache-2.0 */
/* Fingerprints of 64 bits with the rows they are of. */
#ifndef PEX_TEXT_FINGERPRINT_H
#define PEX_TEXT_FINGERPRINT_H

#include <stddef.h>
#include <stdint.h>

struct pex__fingerprint {
    uint64_t bits;
    uint32_t row;
};

/* Sorts by the bits, in place; the order of equal ones is not defined. */
void pex__fingerprints_sort(struct pex__fingerprint *item, size_t count);

#endif
