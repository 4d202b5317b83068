/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The range test that all filters on a number share. Both bounds belong to the range unless
 * min_closed_interval or max_closed_interval is false. reversed_range keeps what is outside, and
 * turns both of these flags around, so that a value on a bound is kept in either direction.
 */
#ifndef PEX_TEXT_INTERVAL_H
#define PEX_TEXT_INTERVAL_H

#include <partexec/plugin.h>

#include <stdbool.h>

struct pex__interval {
    int64_t first; /* whole bounds: the integers inside, first to last, none if first > last */
    int64_t last;
    /* A long double holds every int64 and every double, so that comparisons are exact. */
    long double min;
    long double max;
    bool min_closed;
    bool max_closed;
    bool is_reversed;
};

/* The three flags, for the parameter table of a filter. */
#define PEX__INTERVAL_PARAMS                                                                       \
    {.name = "min_closed_interval",                                                                \
     .default_json = "true",                                                                       \
     .help = "Whether the lower bound itself is inside the range.",                                \
     .type = PEX_PARAM_BOOL},                                                                      \
        {.name = "max_closed_interval",                                                            \
         .default_json = "true",                                                                   \
         .help = "Whether the upper bound itself is inside the range.",                            \
         .type = PEX_PARAM_BOOL},                                                                  \
    {                                                                                              \
        .name = "reversed_range", .default_json = "false",                                         \
        .help = "Keep what is outside of the range; also turns both *_closed_interval around.",    \
        .type = PEX_PARAM_BOOL                                                                     \
    }

/* Reads the bounds, under their names, both int64 or both double, and the flags. Returns 0 or a
 * code of the getters. */
int32_t pex__interval_init(struct pex__interval *interval, const pex_params *params,
                           const char *const bounds[2]);

bool pex__interval_keeps_number(const struct pex__interval *interval,
                                const struct pex_number *number);

/* The rest is for whole bounds. */

bool pex__interval_keeps(const struct pex__interval *interval, int64_t value);

/* Whether all values from low to high share one decision, which then is in *keep. */
bool pex__interval_decides(const struct pex__interval *interval, int64_t low, int64_t high,
                           bool *keep);

/* The smallest count from which on the decision no longer changes. */
size_t pex__interval_enough(const struct pex__interval *interval);

#endif
