/* SPDX-License-Identifier: Apache-2.0 */
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S INT64_C(1000000000)
#define NS_PER_MS INT64_C(1000000)

enum { WIDTH_MAX = 200, WIDTH_UNKNOWN = 80, BAR_LEAST = 10, BAR_MOST = 40 };

/* Between two reports; a job that ends before the first one stays silent but for its summary. */
static const int64_t interval_ns[] = {
    [FORM_BAR] = NS_PER_S / 5, [FORM_LINES] = 5 * NS_PER_S, [FORM_JSON] = NS_PER_S};

/* What is shown, computed once for every form. */
struct view {
    struct pex_progress now;
    double seconds;
    double done;        /* 0 .. 1, or negative while nothing can be said */
    double eta_seconds; /* negative: unknown */
    double megabytes_per_second;
};

static int64_t clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * NS_PER_S + now.tv_nsec;
}

/*
 * Stages weigh the same, as nothing else is known of them. The first goes by input bytes, a later
 * one, which reads what the one before wrote, by partitions.
 */
static double fraction_done(const struct progress *progress, const struct pex_progress *now)
{
    double part = 0;

    if (now->stages <= 0 || now->bytes_total == 0)
        return -1;
    if (now->stage == 0)
        part = (double)now->bytes / (double)now->bytes_total;
    else if (progress->stage == now->stage && now->partitions > 0)
        part = (double)progress->ended / now->partitions;
    part = part > 1 ? 1 : part;
    return (now->stage + part) / now->stages;
}

static int look(const struct progress *progress, pex_job *job, struct view *view)
{
    memset(view, 0, sizeof(*view));
    view->now.struct_size = sizeof(view->now);
    if (pex_job_progress(job, &view->now))
        return -1;
    view->seconds = (double)view->now.elapsed_ns / (double)NS_PER_S;
    view->done = fraction_done(progress, &view->now);
    view->eta_seconds = -1;
    if (view->done > 0)
        view->eta_seconds = view->seconds * (1 - view->done) / view->done;
    if (pex_job_state(job) >= PEX_JOB_DONE)
        view->eta_seconds = 0;
    if (view->seconds > 0)
        view->megabytes_per_second = (double)view->now.bytes / 1e6 / view->seconds;
    return 0;
}

static void print_duration(char *text, size_t size, double seconds)
{
    long long whole = seconds < 0 || seconds > 1e9 ? -1 : (long long)(seconds + 0.5);

    if (whole < 0)
        snprintf(text, size, "-:--");
    else if (whole < 3600)
        snprintf(text, size, "%lld:%02lld", whole / 60, whole % 60);
    else
        snprintf(text, size, "%lld:%02lld:%02lld", whole / 3600, whole / 60 % 60, whole % 60);
}

/* Four digits or less, whatever the count. */
static void print_count(char *text, size_t size, uint64_t count)
{
    if (count < 10000)
        snprintf(text, size, "%llu", (unsigned long long)count);
    else if (count < 1000000)
        snprintf(text, size, "%.0fk", (double)count / 1e3);
    else if (count < 1000000000)
        snprintf(text, size, "%.2fM", (double)count / 1e6);
    else
        snprintf(text, size, "%.2fG", (double)count / 1e9);
}

/* 0 when stderr is no terminal, or one that has no size. */
static int terminal_width(void)
{
    struct winsize size;

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size))
        return 0;
    return size.ws_col;
}

static void fill_bar(char *bar, int width, double done)
{
    int full = done < 0 ? 0 : (int)(done * width + 0.5);

    bar[0] = '[';
    for (int i = 0; i < width; i++)
        bar[1 + i] = i < full ? '#' : '.';
    strcpy(bar + 1 + width, "] ");
}

static void show_bar(const struct progress *progress, const struct view *view)
{
    char text[WIDTH_MAX], rows[16], eta[24], bar[BAR_MOST + 4] = "", line[WIDTH_MAX + BAR_MOST + 4];
    int width = terminal_width();
    int room;

    if (width <= 0 || width > WIDTH_MAX)
        width = width <= 0 ? WIDTH_UNKNOWN : WIDTH_MAX;
    print_count(rows, sizeof(rows), view->now.rows);
    print_duration(eta, sizeof(eta), view->eta_seconds);
    snprintf(text, sizeof(text), "%3.0f %%  %s rows  %.1f MB/s  ETA %s  %d active",
             view->done < 0 ? 0 : view->done * 100, rows, view->megabytes_per_second, eta,
             view->now.active_partitions);
    /* A full line would wrap, and could not be redrawn: one column stays free. */
    room = width - 1 - (int)strlen(text) - (int)strlen("[] ");
    if (room >= BAR_LEAST)
        fill_bar(bar, room < BAR_MOST ? room : BAR_MOST, view->done);
    snprintf(line, sizeof(line), "%s%s", bar, text);
    line[width - 1] = '\0';
    console_bar(progress->console, line);
}

static void show_line(const struct progress *progress, const struct view *view)
{
    char text[256], left[24];

    print_duration(left, sizeof(left), view->eta_seconds);
    snprintf(text, sizeof(text),
             "partexec: %3.0f %%: %llu rows, %.1f of %.1f MB, %.1f MB/s, %d partitions active, "
             "%s left",
             view->done < 0 ? 0 : view->done * 100, (unsigned long long)view->now.rows,
             (double)view->now.bytes / 1e6, (double)view->now.bytes_total / 1e6,
             view->megabytes_per_second, view->now.active_partitions, left);
    console_line(progress->console, text);
}

static void show_json(const struct progress *progress, const struct view *view)
{
    char text[256], eta[32] = "null";

    if (view->eta_seconds >= 0)
        snprintf(eta, sizeof(eta), "%.1f", view->eta_seconds);
    snprintf(text, sizeof(text),
             "{\"rows\": %llu, \"bytes\": %llu, \"bytes_total\": %llu, \"seconds\": %.3f, "
             "\"active_partitions\": %d, \"eta_seconds\": %s}",
             (unsigned long long)view->now.rows, (unsigned long long)view->now.bytes,
             (unsigned long long)view->now.bytes_total, view->seconds, view->now.active_partitions,
             eta);
    console_line(progress->console, text);
}

static void show(const struct progress *progress, pex_job *job)
{
    struct view view;

    if (look(progress, job, &view))
        return;
    if (progress->form == FORM_BAR)
        show_bar(progress, &view);
    else if (progress->form == FORM_LINES)
        show_line(progress, &view);
    else
        show_json(progress, &view);
}

static int can_redraw(void)
{
    const char *terminal = getenv("TERM");

    return isatty(STDERR_FILENO) && terminal && *terminal && strcmp(terminal, "dumb") != 0;
}

static enum progress_form choose_form(enum progress_mode mode, int is_quiet)
{
    if (mode == PROGRESS_BAR)
        return FORM_BAR;
    if (mode == PROGRESS_JSON)
        return FORM_JSON;
    if (mode == PROGRESS_OFF || is_quiet)
        return FORM_NONE;
    return can_redraw() ? FORM_BAR : FORM_LINES;
}

void progress_open(struct progress *progress, struct console *console, enum progress_mode mode)
{
    *progress = (struct progress){.console = console};
    progress->form = choose_form(mode, console->is_quiet);
    if (progress->form != FORM_NONE)
        progress->next_ns = clock_ns() + interval_ns[progress->form];
}

int progress_wait_ms(const struct progress *progress)
{
    int64_t left;

    if (progress->form == FORM_NONE)
        return -1;
    left = progress->next_ns - clock_ns();
    return left > 0 ? (int)((left + NS_PER_MS - 1) / NS_PER_MS) : 0;
}

void progress_partition(struct progress *progress, const struct pex_event *event)
{
    if (event->stage > progress->stage) {
        progress->stage = event->stage;
        progress->ended = 0;
    }
    progress->ended += event->stage == progress->stage;
}

void progress_tick(struct progress *progress, pex_job *job)
{
    if (progress->form == FORM_NONE || clock_ns() < progress->next_ns)
        return;
    show(progress, job);
    progress->next_ns = clock_ns() + interval_ns[progress->form];
}

void progress_close(struct progress *progress, pex_job *job)
{
    if (progress->form == FORM_BAR)
        console_bar(progress->console, "");
    else if (progress->form == FORM_JSON)
        show(progress, job);
}
