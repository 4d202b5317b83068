/* SPDX-License-Identifier: Apache-2.0 */
/* What an analysis has found, and the forms that it is told in. */
#ifndef TOOL_ANALYSIS_H
#define TOOL_ANALYSIS_H

#include "filters.h"
#include "histogram.h"
#include "stats_operator.h"

#include <stdio.h>

/* Of one operator, see the summary of a job with keep_dropped. */
struct link_counts {
    uint64_t in;
    uint64_t would_drop;
    uint64_t run_in;
    uint64_t run_dropped;
    uint64_t failed;
};

struct analysis {
    const char *job_file;
    char *dataset;   /* as the job has it, JSON text; NULL: it says `dataset` */
    uint64_t rows;   /* that were counted */
    uint64_t kept;   /* of these a run would keep so many */
    uint64_t failed; /* bad lines, and rows that an operator failed */
    struct chain chain;
    struct link_counts *links;    /* beside chain.links */
    struct stats_counts counts;   /* beside chain.stats */
    struct histogram *histograms; /* the same */
    double *shares;               /* of the quantiles, ascending */
    size_t share_count;
};

/*
 * Takes the quantiles from the spec: ours, and `percentiles` of the job. Returns 0, or -1 after
 * saying what is wrong with those.
 */
int analysis_read_shares(struct analysis *analysis, const pex_spec *spec, const char *job_file,
                         struct console *console);

/* Sorts what was counted, and takes the counts of the summary (its JSON text). Returns 0, or -1
 * without memory. */
int analysis_finish(struct analysis *analysis, const char *summary);
void analysis_free(struct analysis *analysis);

/* Between 0 and 1; of nothing: 0. */
double share_of(uint64_t part, uint64_t whole);
/* Rows that a filter's bounds drop on each side, by the numbers of its stat. */
void bounds_count(const struct bounds *bounds, const struct number_bag *bag, uint64_t *below,
                  uint64_t *above);
/* The stat that the bounds of a filter are about: it writes one alone, and has bounds; or -1. */
int link_bounded_stat(const struct link *link);

/* The three forms. None of them fails but by what is wrong with the file. */
void analysis_write_json(const struct analysis *analysis, FILE *to);
void analysis_write_html(const struct analysis *analysis, FILE *to);
void analysis_write_text(const struct analysis *analysis, FILE *to);

/* A number as short as it reads back equal. */
void write_number(FILE *to, double number);

#endif
