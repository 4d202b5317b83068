/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every scanner against the reference and every text kernel against the plain one, on any bytes.
 *
 *   CC=clang-14 meson setup build-fuzz -Db_lundef=false \
 *       -Dc_args=-fsanitize=fuzzer-no-link,address,undefined
 * -Dc_link_args=-fsanitize=address,undefined ninja -C build-fuzz tests/scan/fuzz_scan
 *   build-fuzz/tests/scan/fuzz_scan FOUND tests/scan/corpus
 *
 * Without libFuzzer the corpus is replayed through the same entry (replay.c).
 */
#include "compare.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pex__paths *paths = compare_paths();
    const char *found = compare_scanners(paths, (const char *)data, size);

    if (found == NULL)
        found = compare_texts((const char *)data, size);
    pex__paths_free(paths);
    if (found != NULL) {
        fprintf(stderr, "differs: %s\n", found);
        abort();
    }
    return 0;
}
