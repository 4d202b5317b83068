/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis.h"
#include "tool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double plain_shares[] = {0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99};

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* Sorts, each once. */
static void tidy_shares(struct analysis *analysis)
{
    size_t count = 0;

    qsort(analysis->shares, analysis->share_count, sizeof(*analysis->shares), compare);
    for (size_t i = 0; i < analysis->share_count; i++)
        if (count == 0 || analysis->shares[i] != analysis->shares[count - 1])
            analysis->shares[count++] = analysis->shares[i];
    analysis->share_count = count;
}

static int is_share(const json_t *value)
{
    return json_is_number(value) && json_number_value(value) >= 0 && json_number_value(value) <= 1;
}

/* The list `percentiles`; absent and null are none. */
static int add_percentiles(struct analysis *analysis, const json_t *list)
{
    if (list && !json_is_null(list) && !json_is_array(list))
        return -1;
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (!is_share(json_array_get(list, i)))
            return -1;
        analysis->shares[analysis->share_count++] = json_number_value(json_array_get(list, i));
    }
    return 0;
}

int analysis_read_shares(struct analysis *analysis, const pex_spec *spec, const char *job_file,
                         struct console *console)
{
    json_t *list = NULL;
    char *json = NULL;
    int result;

    if (pex_spec_get(spec, "percentiles", &json) == 0)
        list = json_loads(json, JSON_DECODE_ANY, NULL);
    analysis->share_count = sizeof(plain_shares) / sizeof(*plain_shares);
    analysis->shares = tool_realloc(NULL, (analysis->share_count + json_array_size(list)) *
                                              sizeof(*analysis->shares));
    memcpy(analysis->shares, plain_shares, sizeof(plain_shares));
    result = add_percentiles(analysis, list);
    if (result)
        console_error(console, "%s: percentiles: found %s, expected a list of numbers from 0 to 1",
                      job_file, json);
    else
        tidy_shares(analysis);
    json_decref(list);
    pex_free(json);
    return result;
}

static uint64_t count_in(const json_t *object, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(object, key));
}

static void take_counts(struct analysis *analysis, const json_t *summary)
{
    const json_t *operators = json_object_get(summary, "operators");
    size_t links = analysis->chain.link_count;

    analysis->links = tool_realloc(NULL, (links + 1) * sizeof(*analysis->links));
    for (size_t i = 0; i < links; i++) {
        const json_t *operator= json_array_get(operators, i);

        analysis->links[i] = (struct link_counts){.in = count_in(operator, "in"),
                                                  .would_drop = count_in(operator, "would_drop"),
                                                  .run_in = count_in(operator, "run_in"),
                                                  .run_dropped = count_in(operator, "run_dropped"),
                                                  .failed = count_in(operator, "quarantined") +
                                                            count_in(operator, "skipped")};
        analysis->failed += analysis->links[i].failed;
    }
    /* Behind those of the job stands the operator that counts. */
    analysis->rows = count_in(json_array_get(operators, links), "in");
    analysis->kept = count_in(json_array_get(operators, links), "run_in");
    analysis->failed += count_in(json_object_get(summary, "input"), "bad");
}

int analysis_finish(struct analysis *analysis, const char *text)
{
    json_t *summary = json_loads(text, 0, NULL);
    size_t count = analysis->counts.count;

    if (!summary)
        return -1;
    take_counts(analysis, summary);
    json_decref(summary);
    analysis->histograms = tool_realloc(NULL, (count + 1) * sizeof(*analysis->histograms));
    memset(analysis->histograms, 0, (count + 1) * sizeof(*analysis->histograms));
    for (size_t i = 0; i < count; i++) {
        if (number_bag_sort(&analysis->counts.stats[i].numbers))
            return -1;
        value_bag_sort(&analysis->counts.stats[i].values);
        histogram_make(&analysis->histograms[i], &analysis->counts.stats[i].numbers);
    }
    return 0;
}

void analysis_free(struct analysis *analysis)
{
    for (size_t i = 0; i < analysis->counts.count && analysis->histograms; i++)
        histogram_free(&analysis->histograms[i]);
    stats_counts_free(&analysis->counts);
    chain_free(&analysis->chain);
    free(analysis->histograms);
    free(analysis->links);
    free(analysis->shares);
    pex_free(analysis->dataset);
}

double share_of(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0.0;
}

void bounds_count(const struct bounds *bounds, const struct number_bag *bag, uint64_t *below,
                  uint64_t *above)
{
    /* A reversed range keeps its own bounds where they are closed. */
    int below_has_bound = bounds->min_is_closed == bounds->is_reversed;
    int above_has_bound = bounds->max_is_closed == bounds->is_reversed;

    *below = number_bag_below(bag, bounds->min, below_has_bound);
    *above = bag->count - number_bag_below(bag, bounds->max, !above_has_bound);
}

int link_bounded_stat(const struct link *link)
{
    return link->stat_count == 1 && link->bounds.min_name ? (int)link->stats[0] : -1;
}

void write_number(FILE *to, double number)
{
    char text[32];

    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    fputs(text, to);
}
