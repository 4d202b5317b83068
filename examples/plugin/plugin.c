/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plugin of two operators. It needs a compiler and the public headers, nothing else:
 *
 *     cc -shared -fPIC -fvisibility=hidden $(pkg-config --cflags partexec) *.c -o masking.so
 *     partexec plugin-check ./masking.so
 *     partexec run job.yaml --plugin ./masking.so
 */
#include "operators.h"

PEX_PLUGIN_DEFINE("masking", "1.0")

PEX_PLUGIN_ENTRY(pex_context *registry)
{
    struct tally *tally = tally_new();
    int32_t rc;

    if (tally == NULL)
        return PEX_ENOMEM;
    rc = pex_operator_register(registry, &mask_digits_mapper, tally, tally_free, NULL);
    if (rc != 0) {
        tally_free(tally); /* a registration that failed has not taken it over */
        return rc;
    }
    /* From here on tally is the library's, also if what follows fails. */
    return pex_operator_register(registry, &values_filter, NULL, NULL, NULL);
}
