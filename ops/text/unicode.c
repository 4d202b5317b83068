/* SPDX-License-Identifier: Apache-2.0 */
#include "unicode.h"

const struct pex__lower *pex__unicode_lower_of(uint32_t point)
{
    size_t low = 0, high = pex__unicode_lower_count - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (pex__unicode_lower[middle].from < point)
            low = middle + 1;
        else
            high = middle;
    }
    return &pex__unicode_lower[low];
}
