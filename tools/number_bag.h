/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often which number came: exact as long as there are not too many different ones, beyond that
 * rounded, by as few binary digits as it takes. What comes out is the same in whatever order the
 * numbers went in. Not thread-safe.
 */
#ifndef TOOL_NUMBER_BAG_H
#define TOOL_NUMBER_BAG_H

#include <stddef.h>
#include <stdint.h>

struct number_slot;

struct number_bag {
    struct number_slot *slots;
    size_t slot_count;
    size_t distinct;
    size_t limit;        /* of distinct numbers; from 4096 on the rounding is below a half */
    int rounded_bits;    /* low bits of a double that are not told apart; 0: exact */
    uint64_t count;      /* finite numbers */
    uint64_t infinities; /* of both signs */
    uint64_t nans;
    double min, max; /* never rounded */
    int is_whole;    /* all of them are whole numbers */

    /* Behind number_bag_sort: ascending. */
    double *values;
    uint64_t *counts;
};

void number_bag_init(struct number_bag *bag, size_t limit);
void number_bag_free(struct number_bag *bag);

/* Returns 0, or -1 without memory. */
int number_bag_add(struct number_bag *bag, double number);

/* Sorts, after which nothing can be added; for the functions below. Returns 0, or -1. */
int number_bag_sort(struct number_bag *bag);

/* The most by which a number may be off, as a share of it. */
double number_bag_rounding(const struct number_bag *bag);
/* All of these need a number in the bag at least. */
double number_bag_mean(const struct number_bag *bag);
/* With n - 1 below; needs two numbers. */
double number_bag_deviation(const struct number_bag *bag, double mean);
/* share: 0 to 1; between two numbers it lies on the line from one to the other. */
double number_bag_quantile(const struct number_bag *bag, double share);
/* How many are below `bound`, or on it if with_bound. */
uint64_t number_bag_below(const struct number_bag *bag, double bound, int with_bound);

#endif
