/* SPDX-License-Identifier: Apache-2.0 */
#include <partexec/scope.h>

int32_t pex_scope_share(int32_t policy, int32_t num_proc, int32_t active, int32_t rank)
{
    if (policy < PEX_SCOPE_FLOOR || policy > PEX_SCOPE_ELASTIC)
        return PEX_EINVAL;
    if (num_proc <= 0)
        return num_proc;
    if (active <= 0 || rank < 0 || rank >= active)
        return 0;
    if (policy == PEX_SCOPE_FLOOR)
        return num_proc >= active ? num_proc / active : 1;
    return num_proc / active + (rank < num_proc % active ? 1 : 0);
}
