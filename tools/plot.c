/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The drawing is stretched to the width of the page, so all that must keep its form, letters and
 * the width of lines, is HTML or does not scale.
 */
#include "plot.h"
#include "html.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 1000, HEIGHT = 200, TICKS = 6, COUNT_SKEW = 10 };

/* Labels nearer than this share of the width would touch on a narrow page. */
static const double tick_distance = 0.15;

/* The heights of bars. */
struct heights {
    uint64_t most;
    int is_log;
};

/* Logarithmic when one bar would make all others flat. */
static struct heights find_heights(const struct histogram *histogram)
{
    struct heights heights = {0};
    uint64_t second = 0;

    for (size_t i = 0; i < histogram->bin_count; i++) {
        uint64_t count = histogram->counts[i];

        if (count > heights.most) {
            second = heights.most;
            heights.most = count;
        } else if (count > second) {
            second = count;
        }
    }
    heights.is_log = second > 0 && heights.most / second >= COUNT_SKEW;
    return heights;
}

/* At least a line, so that a bin with a row in it is seen. */
static double height_of(const struct heights *heights, uint64_t count)
{
    double share = (double)count / (double)heights->most;

    if (count == 0)
        return 0;
    if (heights->is_log)
        share = log1p((double)count) / log1p((double)heights->most);
    return share * HEIGHT < 1.5 ? 1.5 : share * HEIGHT;
}

/* What a pointer on a bar is told. */
static void write_bin_title(const struct histogram *histogram, size_t bin, uint64_t below,
                            uint64_t count, FILE *to)
{
    double low = histogram->edges[bin], high = histogram->edges[bin + 1];

    fputs("<title>", to);
    html_number(to, low);
    if (histogram->is_whole && high - low > 1) {
        fputs(" to ", to);
        html_number(to, high - 1);
    } else if (!histogram->is_whole && high > low) {
        fputs(" to ", to);
        html_number(to, high);
    }
    fputs(": ", to);
    html_count(to, histogram->counts[bin]);
    fputs(histogram->counts[bin] == 1 ? " row, " : " rows, ", to);
    html_share(to, histogram->counts[bin], count);
    fputs("; below: ", to);
    html_share(to, below, count);
    fputs("</title>", to);
}

static void write_bars(const struct histogram *histogram, const struct heights *heights,
                       uint64_t count, FILE *to)
{
    double width = (double)WIDTH / (double)histogram->bin_count;
    double gap = width * (histogram->bin_count > 1 ? 0.08 : 0.9);
    uint64_t below = 0;

    for (size_t i = 0; i < histogram->bin_count; i++) {
        double height = height_of(heights, histogram->counts[i]);

        fputs("<g>", to);
        write_bin_title(histogram, i, below, count, to);
        fprintf(to, "<rect class=\"hit\" x=\"%.2f\" y=\"0\" width=\"%.2f\" height=\"%d\"/>",
                (double)i * width, width, HEIGHT);
        fprintf(to, "<rect class=\"bar\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>",
                (double)i * width + gap / 2, HEIGHT - height, width - gap, height);
        fputs("</g>\n", to);
        below += histogram->counts[i];
    }
}

static int is_constant(const struct histogram *histogram)
{
    return histogram->edges[0] == histogram->edges[histogram->bin_count];
}

/* The end of what is kept: a whole number that is kept ends where the next one begins. */
static double cut_place(const struct histogram *histogram, double bound, int is_upper,
                        int is_closed)
{
    if (is_constant(histogram))
        return bound < histogram->edges[0]   ? 0
               : bound > histogram->edges[0] ? 1
                                             : is_upper == is_closed;
    /* Zeros, as a rule, which have the first bar for themselves. */
    if (histogram->has_low_bin && bound == histogram->edges[0] && is_upper == is_closed)
        return histogram_place(histogram, histogram->edges[1]);
    if (histogram->is_whole)
        bound = is_upper ? (is_closed ? floor(bound) + 1 : ceil(bound))
                         : (is_closed ? ceil(bound) : floor(bound) + 1);
    return histogram_place(histogram, bound);
}

static double clamp(double place)
{
    return place < 0 ? 0 : place > 1 ? 1 : place;
}

static void write_shade(double from, double until, FILE *to)
{
    if (until > from)
        fprintf(to, "<rect class=\"cut\" x=\"%.2f\" y=\"0\" width=\"%.2f\" height=\"%d\"/>",
                from * WIDTH, (until - from) * WIDTH, HEIGHT);
}

/* A bound at the end of the axis, or outside, parts nothing. */
static int is_inside(double place)
{
    return place > 0 && place < 1;
}

static void write_line(double place, FILE *to)
{
    if (is_inside(place))
        fprintf(to, "<line class=\"bound\" x1=\"%.2f\" y1=\"0\" x2=\"%.2f\" y2=\"%d\"/>",
                place * WIDTH, place * WIDTH, HEIGHT);
}

static void place_bounds(const struct histogram *histogram, const struct bounds *bounds,
                         double *low, double *high)
{
    /* Of a reversed range the lower side is what ends at min. */
    *low = isfinite(bounds->min)
               ? cut_place(histogram, bounds->min, bounds->is_reversed, bounds->min_is_closed)
               : -1;
    *high = isfinite(bounds->max)
                ? cut_place(histogram, bounds->max, !bounds->is_reversed, bounds->max_is_closed)
                : 2;
}

static void write_bounds(const struct histogram *histogram, const struct bounds *bounds, FILE *to)
{
    double low, high;

    place_bounds(histogram, bounds, &low, &high);
    if (bounds->is_reversed) {
        write_shade(clamp(low), clamp(high), to);
    } else {
        write_shade(0, clamp(low), to);
        write_shade(clamp(high), 1, to);
    }
    write_line(low, to);
    write_line(high, to);
}

static void write_label(const char *class, double place, FILE *to)
{
    const char *side = place < 0.08 ? " left" : place > 0.92 ? " right" : "";

    fprintf(to, "<span class=\"%s%s\" style=\"left:%.2f%%\">", class, side, place * 100);
}

/* Each in a line of its own, so that no two cover each other. */
static void write_bound_label(const char *name, double bound, double place, FILE *to)
{
    if (!is_inside(place))
        return;
    fputs("<div class=\"line\">", to);
    write_label("at", place, to);
    html_text(to, name);
    fputc(' ', to);
    html_number(to, bound);
    fputs("</span></div>", to);
}

static void write_bound_labels(const struct histogram *histogram, const struct bounds *bounds,
                               FILE *to)
{
    double low, high;

    place_bounds(histogram, bounds, &low, &high);
    write_bound_label(bounds->min_name, bounds->min, low, to);
    write_bound_label(bounds->max_name, bounds->max, high, to);
}

/* 1, 2 or 5 times a power of ten: the least that gives no more than TICKS. */
static double tick_step(double range)
{
    double step = pow(10, floor(log10(range / TICKS)));

    for (int i = 0; range / step > TICKS; i++)
        step *= i % 3 == 1 ? 2.5 : 2;
    return step;
}

struct ticks {
    const struct histogram *histogram;
    double shift; /* from the edge of a bar to its middle, where bars are of one number each */
    double last;  /* where the one before lies */
    FILE *to;
};

static void write_tick(struct ticks *ticks, double number)
{
    double place = histogram_place(ticks->histogram, number) + ticks->shift;

    if (place < 0 || place > 1 || place - ticks->last < tick_distance)
        return;
    write_label("tick", place, ticks->to);
    html_number(ticks->to, number);
    fputs("</span>", ticks->to);
    ticks->last = place;
}

static void write_log_ticks(struct ticks *ticks)
{
    const struct histogram *histogram = ticks->histogram;
    double low = histogram->edges[histogram->has_low_bin ? 1 : 0];
    double high = histogram->edges[histogram->bin_count];
    int is_narrow = high / low < 1000;

    if (histogram->has_low_bin)
        write_tick(ticks, histogram->edges[0]);
    for (double decade = pow(10, floor(log10(low))); decade <= high; decade *= 10) {
        write_tick(ticks, decade);
        if (is_narrow) {
            write_tick(ticks, 2 * decade);
            write_tick(ticks, 5 * decade);
        }
    }
}

static void write_linear_ticks(struct ticks *ticks)
{
    const struct histogram *histogram = ticks->histogram;
    double low = histogram->edges[0], high = histogram->edges[histogram->bin_count], step;

    if (low == high) {
        write_tick(ticks, low);
        return;
    }
    step = tick_step(high - low);
    if (histogram->is_whole && step < 1)
        step = 1;
    for (double i = ceil(low / step); i * step <= high; i++)
        write_tick(ticks, i * step);
}

static void write_axis(const struct histogram *histogram, FILE *to)
{
    int is_single = histogram->is_whole && !is_constant(histogram) &&
                    histogram->edges[1] - histogram->edges[0] == 1 && !histogram->is_log;
    struct ticks ticks = {histogram, is_single ? 0.5 / (double)histogram->bin_count : 0, -1, to};

    fputs("<div class=\"axis\">", to);
    if (histogram->is_log)
        write_log_ticks(&ticks);
    else
        write_linear_ticks(&ticks);
    fputs("</div>\n", to);
}

static void write_caption(const struct histogram *histogram, const struct heights *heights,
                          uint64_t count, FILE *to)
{
    fputs("<figcaption>Tallest bar: ", to);
    html_count(to, heights->most);
    fputs(heights->most == 1 ? " row, " : " rows, ", to);
    html_share(to, heights->most, count);
    fputc('.', to);
    if (histogram->is_log)
        fputs(" Logarithmic axis.", to);
    if (histogram->has_low_bin)
        fputs(" The first bar holds what is below it.", to);
    if (heights->is_log)
        fputs(" Heights are logarithmic too, so that rare values are seen.", to);
    fputs("</figcaption>\n", to);
}

void plot_write(const struct analysis *analysis, size_t at, FILE *to)
{
    const struct histogram *histogram = &analysis->histograms[at];
    uint64_t count = analysis->counts.stats[at].numbers.count;
    struct heights heights = find_heights(histogram);

    fputs("<figure>\n", to);
    for (size_t i = 0; i < analysis->chain.link_count; i++)
        if (link_bounded_stat(&analysis->chain.links[i]) == (int)at)
            write_bound_labels(histogram, &analysis->chain.links[i].bounds, to);
    fprintf(to,
            "<svg viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" role=\"img\" "
            "aria-label=\"Histogram of ",
            WIDTH, HEIGHT);
    html_text(to, analysis->chain.stats[at]);
    fputs("\">\n", to);
    for (size_t i = 0; i < analysis->chain.link_count; i++)
        if (link_bounded_stat(&analysis->chain.links[i]) == (int)at)
            write_bounds(histogram, &analysis->chain.links[i].bounds, to);
    write_bars(histogram, &heights, count, to);
    fputs("</svg>\n", to);
    write_axis(histogram, to);
    write_caption(histogram, &heights, count, to);
    fputs("</figure>\n", to);
}
