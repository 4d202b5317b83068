/* SPDX-License-Identifier: Apache-2.0 */
#include "groups.h"

#include <stdlib.h>

int32_t pex__groups_init(struct pex__groups *groups, const pex_keys *keys, struct pex_error *err)
{
    uint64_t rows = pex_keys_rows(keys), memory = pex_keys_memory(keys);
    uint64_t need = rows * sizeof(*groups->parent);
    if (rows >= UINT32_MAX)
        return pex_error_set(err, PEX_ELIMIT,
                             "%llu rows are more than the 4294967294 that can be compared in one "
                             "job; divide the input",
                             (unsigned long long)rows);
    if (need + PEX__GROUPS_REST > memory)
        return pex_error_set(err, PEX_ELIMIT,
                             "%llu rows need %llu bytes to be grouped, and memory_limit leaves "
                             "%llu; set a memory_limit of at least %llu",
                             (unsigned long long)rows, (unsigned long long)need,
                             (unsigned long long)memory,
                             (unsigned long long)(2 * (need + PEX__GROUPS_REST)));
    groups->parent = malloc(need ? need : 1);
    if (!groups->parent)
        return pex_error_set(err, PEX_ENOMEM, "out of memory to group %llu rows",
                             (unsigned long long)rows);
    for (size_t row = 0; row < rows; row++)
        groups->parent[row] = (uint32_t)row;
    groups->rows = rows;
    groups->memory = memory - need;
    return 0;
}

void pex__groups_free(struct pex__groups *groups)
{
    free(groups->parent);
}

int32_t pex__groups_keep_first(struct pex__groups *groups, pex_keys *keys)
{
    int32_t rc = 0;
    for (size_t row = 0; !rc && row < groups->rows; row++)
        if (groups->parent[row] != row)
            rc = pex_keys_decide(keys, row, 0);
    return rc;
}
