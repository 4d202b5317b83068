/* SPDX-License-Identifier: Apache-2.0 */
/* An analysis as a table for a terminal. */
#include "analysis.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void print_cell(FILE *to, int has_number, double number)
{
    if (has_number)
        fprintf(to, "  %11.6g", number);
    else
        fprintf(to, "  %11s", "-");
}

static int name_width(char *const *names, size_t count)
{
    size_t width = 4;

    for (size_t i = 0; i < count; i++)
        if (strlen(names[i]) > width)
            width = strlen(names[i]);
    return width < 40 ? (int)width : 40;
}

/* Names are data: what would steer a terminal is left out. */
static void print_name(FILE *to, const char *name, int width)
{
    int printed = 0;

    for (const char *at = name; *at; at++) {
        printed += ((unsigned char)*at & 0xC0) != 0x80;
        fputc((unsigned char)*at < ' ' || *at == 0x7F ? '?' : *at, to);
    }
    fprintf(to, "%*s", printed < width ? width - printed : 0, "");
}

static void print_stat(const struct analysis *analysis, size_t at, int width, FILE *to)
{
    static const double shares[] = {0.05, 0.5, 0.95};
    const struct number_bag *bag = &analysis->counts.stats[at].numbers;
    double mean = bag->count ? number_bag_mean(bag) : 0;

    print_name(to, analysis->chain.stats[at], width);
    fprintf(to, "  %11" PRIu64, bag->count);
    print_cell(to, bag->count > 0, mean);
    print_cell(to, bag->count > 1, bag->count > 1 ? number_bag_deviation(bag, mean) : 0);
    print_cell(to, bag->count > 0, bag->min);
    for (size_t i = 0; i < sizeof(shares) / sizeof(*shares); i++)
        print_cell(to, bag->count > 0, bag->count ? number_bag_quantile(bag, shares[i]) : 0);
    print_cell(to, bag->count > 0, bag->max);
    fputc('\n', to);
}

static void print_side(FILE *to, const char *name, double bound)
{
    if (!isfinite(bound))
        return;
    fprintf(to, " %s ", name);
    write_number(to, bound);
}

static void print_share(FILE *to, uint64_t part, uint64_t whole)
{
    if (whole)
        fprintf(to, "%6.2f %%  ", 100 * share_of(part, whole));
    else
        fputs("     -    ", to);
}

static void print_filter(const struct analysis *analysis, size_t at, FILE *to)
{
    const struct link *link = &analysis->chain.links[at];
    const struct link_counts *counts = &analysis->links[at];

    print_share(to, counts->would_drop, counts->in);
    print_share(to, counts->run_dropped, counts->run_in);
    fputs(link->name, to);
    if (link->bounds.min_name) {
        print_side(to, link->bounds.min_name, link->bounds.min);
        print_side(to, link->bounds.max_name, link->bounds.max);
        fputs(link->bounds.is_reversed ? " reversed_range" : "", to);
    }
    fputc('\n', to);
}

void analysis_write_text(const struct analysis *analysis, FILE *to)
{
    int width = name_width(analysis->chain.stats, analysis->counts.count);

    fprintf(to, "%-*s  %11s  %11s  %11s  %11s  %11s  %11s  %11s  %11s\n", width, "stat", "numbers",
            "mean", "std", "min", "5%", "50%", "95%", "max");
    for (size_t i = 0; i < analysis->counts.count; i++)
        print_stat(analysis, i, width, to);
    fputs("\n   drops   in a run  filter\n", to);
    for (size_t i = 0; i < analysis->chain.link_count; i++)
        if (link_is_filter(&analysis->chain.links[i]))
            print_filter(analysis, i, to);
    fprintf(to, "\nA run would keep %" PRIu64 " of %" PRIu64 " rows, %.2f %%.\n", analysis->kept,
            analysis->rows, 100 * share_of(analysis->kept, analysis->rows));
}
