/* SPDX-License-Identifier: Apache-2.0 */
#include <partexec/base.h>

#define VERSION (PEX_VERSION_MAJOR * 1000000 + PEX_VERSION_MINOR * 1000 + PEX_VERSION_PATCH)

int32_t pex_version(void)
{
    return VERSION;
}

int32_t pex_abi_version(void)
{
    return PEX_ABI_VERSION;
}

int32_t pex_check_abi(int32_t abi, int32_t version, struct pex_error *err)
{
    if (abi != PEX_ABI_VERSION || version > VERSION)
        return pex_error_set(
            err, PEX_EABI,
            "caller is built for ABI %d, version %d; this library is ABI %d, version "
            "%d: use a library at least as new as the headers",
            (int)abi, (int)version, PEX_ABI_VERSION, VERSION);
    return 0;
}
