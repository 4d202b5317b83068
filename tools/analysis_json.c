/* SPDX-License-Identifier: Apache-2.0 */
/* An analysis as JSON. Nothing in it depends on how the job ran, on the time or the machine. */
#include "analysis.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TOP_VALUES = 20 };

/* Text that is no UTF-8, as a path of the command line may be, is null. */
static void write_text(FILE *to, const char *text)
{
    json_t *value = json_string(text);
    char *json = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;

    fputs(json ? json : "null", to);
    free(json);
    json_decref(value);
}

static void write_real(FILE *to, double number)
{
    if (isfinite(number))
        write_number(to, number);
    else
        fputs("null", to);
}

static const char *word(int is_true)
{
    return is_true ? "true" : "false";
}

static void write_bounds(const struct bounds *bounds, FILE *to)
{
    fputs(",\n     \"bounds\": {\"min_name\": ", to);
    write_text(to, bounds->min_name);
    fputs(", \"max_name\": ", to);
    write_text(to, bounds->max_name);
    fputs(", \"min\": ", to);
    write_real(to, bounds->min);
    fputs(", \"max\": ", to);
    write_real(to, bounds->max);
    fprintf(to, ", \"min_closed\": %s, \"max_closed\": %s, \"reversed\": %s",
            word(bounds->min_is_closed), word(bounds->max_is_closed), word(bounds->is_reversed));
}

static void write_filter(const struct analysis *analysis, size_t at, FILE *to)
{
    const struct link *link = &analysis->chain.links[at];
    const struct link_counts *counts = &analysis->links[at];
    int stat = link_bounded_stat(link);
    uint64_t below, above;

    fputs(",\n     \"stats\": [", to);
    for (size_t i = 0; i < link->stat_count; i++) {
        fputs(i ? ", " : "", to);
        write_text(to, analysis->chain.stats[link->stats[i]]);
    }
    fputc(']', to);
    if (link->bounds.min_name)
        write_bounds(&link->bounds, to);
    if (stat >= 0) {
        bounds_count(&link->bounds, &analysis->counts.stats[stat].numbers, &below, &above);
        fprintf(to, ", \"below\": %" PRIu64 ", \"above\": %" PRIu64, below, above);
    }
    fputs(link->bounds.min_name ? "}" : "", to);
    fprintf(to,
            ",\n     \"would_drop\": %" PRIu64 ", \"run_in\": %" PRIu64
            ", \"run_dropped\": %" PRIu64,
            counts->would_drop, counts->run_in, counts->run_dropped);
}

static void write_operator(const struct analysis *analysis, size_t at, FILE *to)
{
    const struct link *link = &analysis->chain.links[at];

    fprintf(to, "%s\n    {\"index\": %zu, \"name\": ", at ? "," : "", at);
    write_text(to, link->name);
    fputs(", \"kind\": ", to);
    write_text(to, link->cardinality);
    if (link_is_left_out(link)) {
        fputs(", \"left_out\": true}", to);
        return;
    }
    fprintf(to, ", \"in\": %" PRIu64 ", \"failed\": %" PRIu64, analysis->links[at].in,
            analysis->links[at].failed);
    if (link_is_filter(link))
        write_filter(analysis, at, to);
    fputc('}', to);
}

static void write_quantiles(const struct analysis *analysis, const struct number_bag *bag, FILE *to)
{
    fputs("\"quantiles\": {", to);
    for (size_t i = 0; i < analysis->share_count && bag->count > 0; i++) {
        fputs(i ? ", \"" : "\"", to);
        write_number(to, analysis->shares[i]);
        fputs("\": ", to);
        write_real(to, number_bag_quantile(bag, analysis->shares[i]));
    }
    fputc('}', to);
}

static void write_numbers(const struct analysis *analysis, const struct number_bag *bag, FILE *to)
{
    double mean = bag->count ? number_bag_mean(bag) : NAN;

    fprintf(to, "\"exact\": %s, \"rounding\": ", word(bag->rounded_bits == 0));
    write_real(to, number_bag_rounding(bag));
    fputs(",\n      \"mean\": ", to);
    write_real(to, mean);
    fputs(", \"std\": ", to);
    write_real(to, bag->count > 1 ? number_bag_deviation(bag, mean) : NAN);
    fputs(", \"min\": ", to);
    write_real(to, bag->min);
    fputs(", \"max\": ", to);
    write_real(to, bag->max);
    fputs(",\n      ", to);
    write_quantiles(analysis, bag, to);
}

static void write_histogram(const struct histogram *histogram, FILE *to)
{
    fprintf(to, ",\n      \"histogram\": {\"scale\": \"%s\", \"edges\": [",
            histogram->is_log ? "log" : "linear");
    for (size_t i = 0; i <= histogram->bin_count && histogram->bin_count > 0; i++) {
        fputs(i ? ", " : "", to);
        write_real(to, histogram->edges[i]);
    }
    fputs("], \"counts\": [", to);
    for (size_t i = 0; i < histogram->bin_count; i++)
        fprintf(to, "%s%" PRIu64, i ? ", " : "", histogram->counts[i]);
    fputs("]}", to);
}

/* A value is JSON again; one that was too long, or no text, is its beginning as a text. */
static void write_value(const struct value_slot *slot, FILE *to)
{
    json_t *value = json_loads(slot->json, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);

    if (value && strlen(slot->json) == slot->length)
        fputs(slot->json, to);
    else
        write_text(to, slot->json);
    json_decref(value);
}

static void write_values(const struct value_bag *bag, FILE *to)
{
    fprintf(to,
            ",\n      \"values\": {\"rows\": %" PRIu64 ", \"count\": %" PRIu64 ", \"distinct\": ",
            bag->rows, bag->count);
    if (bag->is_full)
        fputs("null", to);
    else
        fprintf(to, "%zu", bag->distinct);
    fputs(", \"most_frequent\": [", to);
    for (size_t i = 0; i < bag->slot_count && i < TOP_VALUES; i++) {
        fputs(i ? ", {\"value\": " : "{\"value\": ", to);
        write_value(&bag->slots[i], to);
        fprintf(to, ", \"count\": %" PRIu64 "}", bag->slots[i].count);
    }
    fputs("]}", to);
}

static void write_stat(const struct analysis *analysis, size_t at, FILE *to)
{
    const struct stat_counts *stat = &analysis->counts.stats[at];
    const struct number_bag *bag = &stat->numbers;

    fputs(at ? ",\n    " : "\n    ", to);
    write_text(to, analysis->chain.stats[at]);
    fprintf(to,
            ": {\"count\": %" PRIu64 ", \"missing\": %" PRIu64 ", \"nan\": %" PRIu64
            ", \"infinite\": %" PRIu64 ",\n      ",
            bag->count, stat->missing, bag->nans, bag->infinities);
    write_numbers(analysis, bag, to);
    write_histogram(&analysis->histograms[at], to);
    if (stat->values.rows > 0)
        write_values(&stat->values, to);
    fputc('}', to);
}

void analysis_write_json(const struct analysis *analysis, FILE *to)
{
    fputs("{\n  \"partexec_analysis\": 1,\n  \"job\": ", to);
    write_text(to, analysis->job_file);
    fprintf(to, ",\n  \"dataset_path\": %s,\n", analysis->dataset ? analysis->dataset : "null");
    fprintf(to,
            "  \"rows\": %" PRIu64 ",\n  \"kept\": %" PRIu64 ",\n  \"failed\": %" PRIu64
            ",\n  \"operators\": [",
            analysis->rows, analysis->kept, analysis->failed);
    for (size_t i = 0; i < analysis->chain.link_count; i++)
        write_operator(analysis, i, to);
    fputs("\n  ],\n  \"stats\": {", to);
    for (size_t i = 0; i < analysis->counts.count; i++)
        write_stat(analysis, i, to);
    fputs(analysis->counts.count ? "\n  }\n}\n" : "}\n}\n", to);
}
