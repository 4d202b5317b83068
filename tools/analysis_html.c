/* SPDX-License-Identifier: Apache-2.0 */
/* An analysis as one page, which loads nothing and runs no script. */
#include "analysis.h"
#include "html.h"
#include "plot.h"

#include <math.h>
#include <string.h>

enum { TOP_VALUES = 20 };

static const char style[] =
    ":root{color-scheme:light dark;--page:#f6f7f9;--card:#fff;--text:#1c2127;--faint:#626b76;"
    "--rule:#d9dde3;--bar:#3f72af;--cut:#c2410c}\n"
    "@media(prefers-color-scheme:dark){:root{--page:#14171b;--card:#1d2126;--text:#e4e7eb;"
    "--faint:#9aa4b0;--rule:#363c45;--bar:#77a7dd;--cut:#f08a4b}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;padding:1.2rem;background:var(--page);color:var(--text);"
    "font:15px/1.45 system-ui,sans-serif;overflow-wrap:anywhere}\n"
    "header,main{max-width:84rem;margin:0 auto}\n"
    "h1{font-size:1.35rem;margin:0 0 .3rem}h2{font-size:1.05rem;margin:0 0 .4rem}\n"
    "p{margin:.3rem 0}.faint,figcaption{color:var(--faint)}\n"
    "a{color:inherit;unicode-bidi:isolate}\n"
    ".card{background:var(--card);border:1px solid var(--rule);border-radius:6px;"
    "padding:.9rem 1rem;min-width:0}\n"
    ".wide{margin:1rem 0;overflow-x:auto}\n"
    ".stats{display:grid;gap:1rem;"
    "grid-template-columns:repeat(auto-fill,minmax(min(100%,30rem),1fr))}\n"
    "table{border-collapse:collapse;width:100%}\n"
    "th,td{text-align:left;padding:.25rem .9rem .25rem 0;border-bottom:1px solid var(--rule);"
    "vertical-align:top}\n"
    "th{font-weight:600;color:var(--faint)}tr:last-child td{border-bottom:0}\n"
    "td.n,th.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}\n"
    "th.n:last-child,td.n:last-child{padding-right:0}\n"
    "@media(min-width:44.01rem){.filters td:first-child,.filters "
    "td:nth-child(3){white-space:nowrap}}"
    "@media(max-width:44rem){body{padding:.6rem}.filters tr:first-child{display:none}"
    ".filters td{display:inline-block;border:0;padding:0 .9rem 0 0}"
    ".filters td:first-child{display:block;font-weight:600}"
    ".filters td[data-is]::before{content:attr(data-is) ' ';color:var(--faint)}"
    ".filters tr:not(:first-child){display:block;padding:.35rem 0;border-bottom:1px solid "
    "var(--rule)}"
    ".filters tr:last-child{border:0}}\n"
    "figure{margin:.6rem 0}\n"
    "svg{display:block;width:100%;height:11rem;border-bottom:1px solid var(--faint)}\n"
    ".bar{fill:var(--bar)}.hit{fill:transparent}g:hover .hit{fill:var(--faint);opacity:.18}\n"
    ".cut{fill:var(--cut);opacity:.16}\n"
    ".bound{stroke:var(--cut);stroke-width:1.5;vector-effect:non-scaling-stroke}\n"
    ".axis,.line{position:relative;height:1.35em;font-size:.8rem}\n"
    ".axis{color:var(--faint)}.line{color:var(--cut);font-weight:600}\n"
    ".tick,.at{position:absolute;transform:translateX(-50%);white-space:nowrap}\n"
    ".left{transform:none}.right{transform:translateX(-100%)}\n"
    "figcaption{font-size:.8rem}\n"
    "dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(5.6rem,1fr));gap:.4rem .8rem;"
    "margin:.6rem 0 0}\n"
    "dt{font-size:.8rem;color:var(--faint)}dd{margin:0;font-variant-numeric:tabular-nums}\n"
    ".share{display:inline-block;width:5rem;height:.6em;margin-left:.5rem;vertical-align:middle}\n"
    ".share i{display:block;height:100%;background:var(--bar)}\n";

static void write_head(const struct analysis *analysis, FILE *to)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"generator\" content=\"partexec analyze\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" "
          "content=\"default-src 'none';style-src 'unsafe-inline'\">\n<title>",
          to);
    html_text(to, analysis->job_file);
    fprintf(to, ": analysis</title>\n<style>\n%s</style>\n</head>\n<body>\n", style);
}

static void write_title(const struct analysis *analysis, FILE *to)
{
    fputs("<header>\n<h1>", to);
    html_text(to, analysis->job_file);
    fputs("</h1>\n<p>", to);
    html_count(to, analysis->rows);
    fputs(analysis->rows == 1 ? " row" : " rows", to);
    if (analysis->dataset) {
        fputs(" of ", to);
        html_text(to, analysis->dataset);
    }
    fputs(", none of them dropped. With the bounds of the job a run would keep <strong>", to);
    html_count(to, analysis->kept);
    fputs(" (", to);
    html_share(to, analysis->kept, analysis->rows);
    fputs(")</strong>.</p>\n", to);
    if (analysis->failed > 0) {
        fputs("<p>", to);
        html_count(to, analysis->failed);
        fputs(analysis->failed == 1 ? " row failed and is" : " rows failed and are", to);
        fputs(" in no statistic.</p>\n", to);
    }
    fputs("</header>\n<main>\n", to);
}

/* min <= stat <= max, as far as there are bounds; of a reversed range what it keeps. */
static void write_range(const struct bounds *bounds, FILE *to)
{
    const char *lower = bounds->min_is_closed ? "\xE2\x89\xA5 " : "&gt; ";
    const char *upper = bounds->max_is_closed ? "\xE2\x89\xA4 " : "&lt; ";
    int has_min = isfinite(bounds->min), has_max = isfinite(bounds->max);

    if (bounds->is_reversed) {
        lower = bounds->min_is_closed ? "\xE2\x89\xA4 " : "&lt; ";
        upper = bounds->max_is_closed ? "\xE2\x89\xA5 " : "&gt; ";
    }
    if (!has_min && !has_max) {
        fputs(bounds->is_reversed ? "nothing" : "everything", to);
        return;
    }
    if (has_min) {
        fputs(lower, to);
        html_number(to, bounds->min);
    }
    if (has_min && has_max)
        fputs(bounds->is_reversed ? " or " : " and ", to);
    if (has_max) {
        fputs(upper, to);
        html_number(to, bounds->max);
    }
}

static void write_stat_links(const struct analysis *analysis, const struct link *link, FILE *to)
{
    if (link->stat_count == 0)
        fputs("<span class=\"faint\">no stat</span>", to);
    for (size_t i = 0; i < link->stat_count; i++) {
        fprintf(to, "%s<a href=\"#s%zu\">", i ? ", " : "", link->stats[i]);
        html_text(to, analysis->chain.stats[link->stats[i]]);
        fputs("</a>", to);
    }
}

static void write_filter_row(const struct analysis *analysis, size_t at, FILE *to)
{
    const struct link *link = &analysis->chain.links[at];
    const struct link_counts *counts = &analysis->links[at];

    fputs("<tr><td>", to);
    html_text(to, link->name);
    fputs("</td><td>", to);
    write_stat_links(analysis, link, to);
    fputs("</td><td>", to);
    if (link->bounds.min_name)
        write_range(&link->bounds, to);
    fputs("</td><td class=\"n\" data-is=\"drops\">", to);
    html_count(to, counts->would_drop);
    fputs("</td><td class=\"n\">", to);
    html_share(to, counts->would_drop, counts->in);
    fputs("</td><td class=\"n\" data-is=\"in a run\">", to);
    html_share(to, counts->run_dropped, counts->run_in);
    fputs("</td></tr>\n", to);
}

static void write_left_out(const struct analysis *analysis, FILE *to)
{
    const char *before = "<p class=\"faint\">Left out, as they need the rows that filters keep: ";

    for (size_t i = 0; i < analysis->chain.link_count; i++) {
        if (!link_is_left_out(&analysis->chain.links[i]))
            continue;
        fputs(before, to);
        html_text(to, analysis->chain.links[i].name);
        before = ", ";
    }
    fputs(*before == ',' ? ".</p>\n" : "", to);
}

static void write_filters(const struct analysis *analysis, FILE *to)
{
    fputs("<section class=\"card wide\">\n<table class=\"filters\">\n<tr><th>Filter</th>"
          "<th>Stat</th><th>Keeps</th><th class=\"n\">Drops</th><th class=\"n\">of all rows</th>"
          "<th class=\"n\">in a run</th></tr>\n",
          to);
    for (size_t i = 0; i < analysis->chain.link_count; i++)
        if (link_is_filter(&analysis->chain.links[i]))
            write_filter_row(analysis, i, to);
    fputs(
        "</table>\n<p class=\"faint\">In a run: of the rows that the filters before it keep.</p>\n",
        to);
    write_left_out(analysis, to);
    fputs("</section>\n", to);
}

/* What a filter does to the stat of this card, by the side of its range. */
static void write_effect(const struct analysis *analysis, size_t at, FILE *to)
{
    const struct link *link = &analysis->chain.links[at];
    const struct number_bag *bag = &analysis->counts.stats[link->stats[0]].numbers;
    uint64_t below, above;

    bounds_count(&link->bounds, bag, &below, &above);
    fputs("<p>", to);
    html_text(to, link->name);
    fputs(" keeps ", to);
    write_range(&link->bounds, to);
    fputs(": drops ", to);
    html_share(to, analysis->links[at].would_drop, analysis->links[at].in);
    if (!link->bounds.is_reversed && below > 0 && above > 0) {
        fputs(" (below ", to);
        html_share(to, below, bag->count);
        fputs(", above ", to);
        html_share(to, above, bag->count);
        fputc(')', to);
    }
    fputs(".</p>\n", to);
}

static void write_term(const char *name, double number, FILE *to)
{
    fprintf(to, "<div><dt>%s</dt><dd>", name);
    html_number(to, number);
    fputs("</dd></div>\n", to);
}

static void write_quantiles(const struct analysis *analysis, const struct number_bag *bag, FILE *to)
{
    char name[40];

    for (size_t i = 0; i < analysis->share_count; i++) {
        snprintf(name, sizeof(name), "%.6g %%", 100 * analysis->shares[i]);
        write_term(name, number_bag_quantile(bag, analysis->shares[i]), to);
    }
}

static void write_numbers(const struct analysis *analysis, const struct number_bag *bag, FILE *to)
{
    double mean = number_bag_mean(bag);

    fputs("<dl>\n<div><dt>rows</dt><dd>", to);
    html_count(to, bag->count);
    fputs("</dd></div>\n", to);
    write_term("mean", mean, to);
    if (bag->count > 1)
        write_term("std", number_bag_deviation(bag, mean), to);
    write_term("min", bag->min, to);
    write_quantiles(analysis, bag, to);
    write_term("max", bag->max, to);
    fputs("</dl>\n", to);
    if (bag->rounded_bits > 0)
        fprintf(to,
                "<p class=\"faint\">More different numbers than are told apart: all but min and "
                "max are within %.2g %% of the exact value.</p>\n",
                100 * number_bag_rounding(bag));
}

/* Rows that have no number here. */
static void write_others(const struct stat_counts *stat, FILE *to)
{
    const struct {
        const char *name;
        uint64_t count;
    } others[] = {{"without this stat", stat->missing},
                  {"not a number (NaN)", stat->numbers.nans},
                  {"infinite", stat->numbers.infinities},
                  {"with a value that is no number", stat->values.rows}};

    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
        if (others[i].count == 0)
            continue;
        fputs("<p>Rows ", to);
        fputs(others[i].name, to);
        fputs(": ", to);
        html_count(to, others[i].count);
        fputs(".</p>\n", to);
    }
}

static void write_values(const struct value_bag *bag, FILE *to)
{
    if (bag->rows == 0)
        return;
    if (bag->is_full) {
        fprintf(to,
                "<p class=\"faint\">More than %zu different values, which are not counted one by "
                "one.</p>\n",
                bag->limit);
        return;
    }
    fputs("<table>\n", to);
    for (size_t i = 0; i < bag->slot_count && i < TOP_VALUES; i++) {
        const struct value_slot *slot = &bag->slots[i];

        fputs("<tr><td>", to);
        html_text(to, slot->json);
        fputs(strlen(slot->json) < slot->length ? "&hellip;</td><td class=\"n\">"
                                                : "</td><td class=\"n\">",
              to);
        html_count(to, slot->count);
        fprintf(to, "<span class=\"share\"><i style=\"width:%.1f%%\"></i></span></td></tr>\n",
                100 * share_of(slot->count, bag->slots[0].count));
    }
    fputs("</table>\n", to);
    if (bag->distinct > TOP_VALUES)
        fprintf(to, "<p class=\"faint\">The most frequent of %zu different values.</p>\n",
                bag->distinct);
}

static void write_stat(const struct analysis *analysis, size_t at, FILE *to)
{
    const struct stat_counts *stat = &analysis->counts.stats[at];

    fprintf(to, "<section class=\"card\" id=\"s%zu\">\n<h2>", at);
    html_text(to, analysis->chain.stats[at]);
    fputs("</h2>\n", to);
    for (size_t i = 0; i < analysis->chain.link_count; i++)
        if (link_bounded_stat(&analysis->chain.links[i]) == (int)at)
            write_effect(analysis, i, to);
    write_others(stat, to);
    if (stat->numbers.count > 0) {
        plot_write(analysis, at, to);
        write_numbers(analysis, &stat->numbers, to);
    } else if (stat->values.rows == 0) {
        fputs("<p class=\"faint\">No row has it.</p>\n", to);
    }
    write_values(&stat->values, to);
    fputs("</section>\n", to);
}

void analysis_write_html(const struct analysis *analysis, FILE *to)
{
    write_head(analysis, to);
    write_title(analysis, to);
    write_filters(analysis, to);
    fputs("<div class=\"stats\">\n", to);
    for (size_t i = 0; i < analysis->counts.count; i++)
        write_stat(analysis, i, to);
    fputs("</div>\n</main>\n</body>\n</html>\n", to);
}
