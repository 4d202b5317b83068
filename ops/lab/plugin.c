/* SPDX-License-Identifier: Apache-2.0 */
#include "lab.h"

PEX_PLUGIN_DEFINE("lab", "0.1.0")

PEX_PLUGIN_ENTRY(pex_context *registry)
{
    static const struct pex_operator *const operators[] = {
        &pex__lab_spin_mapper,   &pex__lab_sleep_mapper, &pex__lab_model_mapper,
        &pex__lab_shared_mapper, &pex__lab_fail_mapper,  &pex__lab_fail_once_mapper,
        &pex__lab_expand_mapper, &pex__lab_alloc_mapper, &pex__lab_append_mapper,
        &pex__lab_batch_mapper,  &pex__lab_drop_filter,  &pex__lab_hang_mapper,
        &pex__lab_crash_mapper,  &pex__lab_count_global, &pex__lab_repeat_global,
    };
    for (size_t i = 0; i < LAB_COUNT(operators); i++) {
        struct pex__lab_shared *shared = pex__lab_shared_new();
        if (!shared)
            return PEX_ENOMEM;
        int32_t rc =
            pex_operator_register(registry, operators[i], shared, pex__lab_shared_free, NULL);
        if (rc) {
            pex__lab_shared_free(shared);
            return rc;
        }
    }
    return 0;
}
