/* SPDX-License-Identifier: Apache-2.0 */
/* A fast 64-bit checksum: finds damage, resists nobody. */
#ifndef PEX_BASE_HASH_H
#define PEX_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The same value on every machine of one byte order. Chain runs of bytes by passing the last value
 * as the next seed; the split then counts. */
uint64_t pex__hash64(const void *data, size_t length, uint64_t seed);

#endif
