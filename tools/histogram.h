/* SPDX-License-Identifier: Apache-2.0 */
/* How numbers are spread, in bins that are drawn equally wide. */
#ifndef TOOL_HISTOGRAM_H
#define TOOL_HISTOGRAM_H

#include "number_bag.h"

/* A bin goes from its edge to the next, which the last one alone includes. Numbers that are all the
 * same have a single bin without width. */
struct histogram {
    size_t bin_count; /* 0: no numbers */
    double *edges;    /* bin_count + 1 */
    uint64_t *counts;
    int is_log;      /* edges grow by a factor; the first bin may hold what is below, as zeros */
    int is_whole;    /* of whole numbers, so the last edge is beyond the largest one */
    int has_low_bin; /* the first bin is that one */
};

/* From a sorted bag. The scale is logarithmic when most of the numbers are far below the largest.
 */
void histogram_make(struct histogram *histogram, const struct number_bag *bag);
void histogram_free(struct histogram *histogram);

/* Where a number lies on the axis, 0 to 1; below 0 and above 1: outside of it. */
double histogram_place(const struct histogram *histogram, double number);

#endif
