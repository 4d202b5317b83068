/* SPDX-License-Identifier: Apache-2.0 */
#include "chinese.h"

int32_t pex__chinese_check(struct pex_error *err)
{
    return pex_error_set(err, PEX_ENOTSUP,
                         "this build has no OpenCC; build it with -Dopencc=enabled (Debian: "
                         "libopencc-dev)");
}

int32_t pex__chinese_open(struct pex_string_view mode, struct pex__chinese **chinese,
                          struct pex_error *err)
{
    (void)mode;
    (void)chinese;
    return pex__chinese_check(err);
}

int32_t pex__chinese_convert(struct pex__chinese *chinese, struct pex_string_view text,
                             struct pex__bytes *out)
{
    (void)chinese;
    (void)text;
    (void)out;
    return PEX_ENOTSUP;
}

void pex__chinese_close(struct pex__chinese *chinese)
{
    (void)chinese;
}
