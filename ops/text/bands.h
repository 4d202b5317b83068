/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MinHash with bands (Broder 1997; Leskovec, Rajaraman, Ullman, Mining of Massive Datasets, 3.4):
 * the permutations, and how many bands of how many values tell texts of a similarity apart.
 */
#ifndef PEX_TEXT_BANDS_H
#define PEX_TEXT_BANDS_H

#include <stddef.h>
#include <stdint.h>

/* The values (a, b) of `count` permutations h -> (a h + b mod 2^64) mod (2^61 - 1), as NumPy's
 * RandomState(42) draws them: a from 1, b from 0, both below 2^61 - 1. */
void pex__permutations(uint64_t *a, uint64_t *b, size_t count);

/*
 * The bands and rows per band, together at most `count` values, with the least sum of false
 * positives below and false negatives above the threshold: the integrals of 1 - (1 - s^rows)^bands
 * over [0, threshold] and of its complement over [threshold, 1]. The first such pair by bands.
 */
void pex__bands_choose(double threshold, size_t count, size_t *bands, size_t *rows);

/* What tells one band from another: a hash of its values. */
uint64_t pex__band_hash(const uint32_t *values, size_t count);

#endif
