/* SPDX-License-Identifier: Apache-2.0 */
#include "histogram.h"
#include "tool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 60, SKEW = 30 };

/* Below this share of the largest number a logarithmic axis does not go. */
static const double low_share = 1e-6;

static double smallest_positive(const struct number_bag *bag)
{
    size_t at = 0;

    while (at + 1 < bag->distinct && bag->values[at] <= 0)
        at++;
    return bag->values[at];
}

static int is_skewed(const struct number_bag *bag)
{
    double middle, smallest = smallest_positive(bag);

    if (bag->min < 0 || bag->max <= 0)
        return 0;
    middle = number_bag_quantile(bag, 0.5);
    return bag->max > SKEW * (middle > smallest ? middle : smallest);
}

static void add_edge(struct histogram *histogram, double edge)
{
    histogram->edges[histogram->bin_count++] = edge;
}

/* Whole numbers are not split, so bins of small ones may be wider than the factor asks for. */
static void make_log(struct histogram *histogram, const struct number_bag *bag)
{
    double low = smallest_positive(bag), factor, edge;

    if (low < bag->max * low_share)
        low = bag->max * low_share;
    if (bag->is_whole)
        low = ceil(low);
    factor = pow(bag->max / low, 1.0 / BINS);
    histogram->is_log = 1;
    histogram->has_low_bin = bag->min < low;
    if (histogram->has_low_bin)
        add_edge(histogram, bag->min);
    for (int i = 0; i < BINS; i++) {
        edge = low * pow(factor, i);
        if (bag->is_whole)
            edge = ceil(edge);
        if (histogram->bin_count == 0 || edge > histogram->edges[histogram->bin_count - 1])
            add_edge(histogram, edge);
    }
    histogram->edges[histogram->bin_count] = bag->is_whole ? bag->max + 1 : bag->max;
}

static void make_linear(struct histogram *histogram, const struct number_bag *bag)
{
    double width = (bag->max - bag->min) / BINS;

    if (bag->is_whole)
        width = ceil((bag->max - bag->min + 1) / BINS);
    for (int i = 0; i < BINS && (i == 0 || bag->min + i * width <= bag->max); i++)
        if (i == 0 || bag->min + i * width > histogram->edges[histogram->bin_count - 1])
            add_edge(histogram, bag->min + i * width);
    histogram->edges[histogram->bin_count] =
        bag->is_whole ? bag->min + (double)histogram->bin_count * width : bag->max;
}

static void fill(struct histogram *histogram, const struct number_bag *bag)
{
    size_t bin = 0;

    for (size_t i = 0; i < bag->distinct; i++) {
        while (bin + 1 < histogram->bin_count && bag->values[i] >= histogram->edges[bin + 1])
            bin++;
        histogram->counts[bin] += bag->counts[i];
    }
}

void histogram_make(struct histogram *histogram, const struct number_bag *bag)
{
    size_t size = BINS + 2;

    memset(histogram, 0, sizeof(*histogram));
    if (bag->count == 0)
        return;
    histogram->edges = tool_realloc(NULL, size * sizeof(*histogram->edges));
    histogram->counts = tool_realloc(NULL, size * sizeof(*histogram->counts));
    memset(histogram->counts, 0, size * sizeof(*histogram->counts));
    histogram->is_whole = bag->is_whole;
    if (bag->min == bag->max) {
        add_edge(histogram, bag->min);
        histogram->edges[1] = bag->max;
    } else if (is_skewed(bag)) {
        make_log(histogram, bag);
    } else {
        make_linear(histogram, bag);
    }
    fill(histogram, bag);
}

void histogram_free(struct histogram *histogram)
{
    free(histogram->edges);
    free(histogram->counts);
}

double histogram_place(const struct histogram *histogram, double number)
{
    const double *edges = histogram->edges;
    size_t bins = histogram->bin_count, bin = 0;
    double share;

    if (bins == 0 || number < edges[0])
        return -1;
    if (number > edges[bins])
        return 2;
    if (edges[0] == edges[bins])
        return 0.5;
    while (bin + 1 < bins && number >= edges[bin + 1])
        bin++;
    share = (number - edges[bin]) / (edges[bin + 1] - edges[bin]);
    if (histogram->is_log && edges[bin] > 0)
        share = log(number / edges[bin]) / log(edges[bin + 1] / edges[bin]);
    return ((double)bin + share) / (double)bins;
}
