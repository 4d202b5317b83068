/* SPDX-License-Identifier: Apache-2.0 */
#include "data/pack.h"

#include "base/memory.h"

#include <libdeflate.h>
#include <string.h>
#include <strings.h>
#include <zstd.h>

/* The defaults of gzip and zstd. */
enum { GZIP_LEVEL = 6, ZSTD_LEVEL = 3 };

struct pex__packer {
    struct libdeflate_compressor *gzip; /* or */
    ZSTD_CCtx *zstd;
};

int32_t pex__pack_of(const char *path)
{
    size_t length = strlen(path);

    for (int32_t pack = PEX__PACK_GZIP; pack <= PEX__PACK_ZSTD; pack++) {
        size_t size = strlen(pex__pack_suffix(pack));

        if (length > size && strcasecmp(path + length - size, pex__pack_suffix(pack)) == 0)
            return pack;
    }
    return PEX__PACK_NONE;
}

const char *pex__pack_suffix(int32_t pack)
{
    static const char *const suffixes[] = {"", ".gz", ".zst"};

    return suffixes[pack];
}

size_t pex__pack_bound(int32_t pack, size_t length)
{
    if (pack == PEX__PACK_GZIP)
        return libdeflate_gzip_compress_bound(NULL, length);
    return ZSTD_compressBound(length);
}

/* The size in its head lets a reader unpack a frame in one go, the checksum lets it trust that. */
static ZSTD_CCtx *make_zstd(void)
{
    ZSTD_CCtx *made = ZSTD_createCCtx();

    if (made == NULL)
        return NULL;
    if (ZSTD_isError(ZSTD_CCtx_setParameter(made, ZSTD_c_compressionLevel, ZSTD_LEVEL)) ||
        ZSTD_isError(ZSTD_CCtx_setParameter(made, ZSTD_c_checksumFlag, 1)) ||
        ZSTD_isError(ZSTD_CCtx_setParameter(made, ZSTD_c_contentSizeFlag, 1))) {
        ZSTD_freeCCtx(made);
        return NULL;
    }
    return made;
}

int32_t pex__packer_create(int32_t pack, struct pex__packer **packer)
{
    struct pex__packer *made = pex__calloc(1, sizeof *made);

    if (made == NULL)
        return PEX_ENOMEM;
    if (pack == PEX__PACK_GZIP)
        made->gzip = libdeflate_alloc_compressor(GZIP_LEVEL);
    else
        made->zstd = make_zstd();
    if (made->gzip == NULL && made->zstd == NULL) {
        pex__free(made);
        return PEX_ENOMEM;
    }
    *packer = made;
    return 0;
}

int32_t pex__pack(struct pex__packer *packer, const char *data, size_t length,
                  struct pex__buffer *out)
{
    size_t bound = pex__pack_bound(packer->gzip != NULL ? PEX__PACK_GZIP : PEX__PACK_ZSTD, length);
    size_t packed;

    if (pex__buffer_reserve(out, bound) != 0)
        return PEX_ENOMEM;
    if (packer->gzip != NULL)
        packed =
            libdeflate_gzip_compress(packer->gzip, data, length, out->data + out->length, bound);
    else
        packed = ZSTD_compress2(packer->zstd, out->data + out->length, bound, data, length);
    /* With room for the worst only memory can be missing. */
    if (packer->gzip != NULL ? packed == 0 : ZSTD_isError(packed))
        return PEX_ENOMEM;
    out->length += packed;
    return 0;
}

void pex__packer_free(struct pex__packer *packer)
{
    if (packer == NULL)
        return;
    libdeflate_free_compressor(packer->gzip);
    ZSTD_freeCCtx(packer->zstd);
    pex__free(packer);
}
