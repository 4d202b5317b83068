/* SPDX-License-Identifier: Apache-2.0 */
#include "chinese.h"

#include <opencc.h>
#include <stdio.h>
#include <string.h>

/* What OpenCC returns instead of a converter. */
#define NO_CONVERTER ((opencc_t)-1)

enum { MODE_LONGEST = 16 };

int32_t pex__chinese_check(struct pex_error *err)
{
    (void)err;
    return 0;
}

int32_t pex__chinese_open(struct pex_string_view mode, struct pex__chinese **chinese,
                          struct pex_error *err)
{
    /* With its folder: OpenCC would take a file of this name in the current directory first. */
    char config[sizeof(OPENCC_FOLDER) + MODE_LONGEST + sizeof("/.json")];
    snprintf(config, sizeof(config), "%s/%.*s.json", OPENCC_FOLDER,
             mode.length < MODE_LONGEST ? (int)mode.length : MODE_LONGEST, mode.data);
    opencc_t opencc = opencc_open(config);
    if (opencc == NO_CONVERTER)
        return pex_error_set(err, PEX_EIO,
                             "OpenCC cannot read %s, or a dictionary that it names; install its "
                             "dictionaries (Debian: libopencc-data)",
                             config);
    *chinese = opencc;
    return 0;
}

static int32_t convert_piece(opencc_t opencc, struct pex_string_view piece, struct pex__bytes *out)
{
    if (piece.length == 0)
        return 0;
    char *converted = opencc_convert_utf8(opencc, piece.data, piece.length);
    if (!converted)
        return PEX_EDATA;
    int32_t rc = pex__bytes_append(out, converted, strlen(converted));
    opencc_convert_utf8_free(converted);
    return rc;
}

/* In pieces, as OpenCC takes a byte of zero for the end. */
int32_t pex__chinese_convert(struct pex__chinese *chinese, struct pex_string_view text,
                             struct pex__bytes *out)
{
    for (;;) {
        const char *zero = text.length > 0 ? memchr(text.data, '\0', text.length) : NULL;
        struct pex_string_view piece = {text.data, zero ? (size_t)(zero - text.data) : text.length};
        int32_t rc = convert_piece(chinese, piece, out);
        if (!rc && zero)
            rc = pex__bytes_append(out, "", 1);
        if (rc || !zero)
            return rc;
        text.data = zero + 1;
        text.length -= piece.length + 1;
    }
}

void pex__chinese_close(struct pex__chinese *chinese)
{
    if (chinese)
        opencc_close(chinese);
}
