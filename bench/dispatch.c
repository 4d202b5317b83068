/* SPDX-License-Identifier: Apache-2.0 */
#include "dispatch.h"

#include <getopt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { SIDES = 4, MOST_PAIRS = 200, PATIENCE = 5 };
enum { BARE, ENGINE, TBB, UV };

static const struct side {
    const char *name;
    void (*run)(const struct cell *cell);
} sides[SIDES] = {
    {"bare", bare_run},
    {"engine", engine_run},
    {"oneTBB", tbb_run},
    {"uv", uv_run_cell},
};

/* The share of a CPU that others may take while a round counts as undisturbed. */
#define FOREIGN 0.1

struct sample {
    double wall_ns, cpu_ns;
};

void dispatch_spin(uint64_t turns)
{
    uint64_t value = turns | 1;

    for (uint64_t i = 0; i < turns; i++) {
        value ^= value << 13;
        value ^= value >> 7;
        value ^= value << 17;
    }
    __asm__ volatile("" : : "r"(value));
}

void dispatch_finish(uint64_t *expected, uint64_t batch)
{
    if (*expected != batch) {
        fprintf(stderr, "dispatch: batch %llu finished in the place of %llu\n",
                (unsigned long long)batch, (unsigned long long)*expected);
        exit(1);
    }
    *expected = batch + 1;
}

struct bare {
    const struct cell *cell;
    uint64_t batches;
};

static void *run_bare(void *argument)
{
    const struct bare *bare = argument;

    for (uint64_t i = 0; i < bare->batches; i++)
        for (int32_t k = 0; k < bare->cell->operators; k++)
            dispatch_spin(bare->cell->turns);
    return NULL;
}

/* The bodies alone, shared out beforehand. With a single operator that has a budget of 1 there is
 * nothing to share. */
void bare_run(const struct cell *cell)
{
    int threads = cell->operators == 1 && cell->budgeted >= 0 ? 1 : DISPATCH_THREADS;
    struct bare bare = {cell, cell->batches / (uint64_t)threads};
    pthread_t thread[DISPATCH_THREADS];

    for (int i = 0; i < threads; i++)
        if (pthread_create(&thread[i], NULL, run_bare, &bare) != 0)
            abort();
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
}

static double clock_ns(clockid_t id)
{
    struct timespec time;

    clock_gettime(id, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static struct sample measure(const struct side *side, const struct cell *cell)
{
    double wall = clock_ns(CLOCK_MONOTONIC), cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);

    side->run(cell);
    return (struct sample){clock_ns(CLOCK_MONOTONIC) - wall,
                           clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu};
}

/* Turns of the spin in a microsecond: the most that any of several tries reached. */
static double calibrate(void)
{
    const uint64_t turns = 2000000;
    double best = 0;

    for (int i = 0; i < 20; i++) {
        double begin = clock_ns(CLOCK_THREAD_CPUTIME_ID), took;

        dispatch_spin(turns);
        took = clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
        if ((double)turns / took * 1e3 > best)
            best = (double)turns / took * 1e3;
    }
    return best;
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

static double median(const double *values, int count)
{
    double sorted[MOST_PAIRS];

    memcpy(sorted, values, (size_t)count * sizeof *values);
    qsort(sorted, (size_t)count, sizeof *sorted, compare);
    return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

/* CPU time of the whole machine, that of a hypervisor's other guests included. */
static double busy_ns(void)
{
    unsigned long long user, nice, system, idle, wait, irq, soft, steal;
    FILE *file = fopen("/proc/stat", "r");
    int count = 0;

    if (file != NULL) {
        count = fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &system,
                       &idle, &wait, &irq, &soft, &steal);
        fclose(file);
    }
    if (count != 8)
        return 0;
    return (double)(user + nice + system + irq + soft + steal) * 1e9 / (double)sysconf(_SC_CLK_TCK);
}

/* Each side in turn, each round from another side on. Non-zero: others took part of the machine. */
static int take_round(const struct cell *cell, int first, struct sample round[SIDES])
{
    double wall = clock_ns(CLOCK_MONOTONIC), cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    double busy = busy_ns(), foreign;

    for (int k = 0; k < SIDES; k++)
        round[(first + k) % SIDES] = measure(&sides[(first + k) % SIDES], cell);
    foreign = busy_ns() - busy - (clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu);
    return foreign > FOREIGN * (clock_ns(CLOCK_MONOTONIC) - wall);
}

/* A disturbed round is taken again, a few times. Returns how many stayed disturbed. */
static int take_rounds(const struct cell *cell, int pairs, struct sample samples[][SIDES])
{
    int disturbed = 0;

    for (int side = 0; side < SIDES; side++)
        measure(&sides[side], cell);
    for (int i = 0; i < pairs; i++) {
        int is_disturbed = 1;

        for (int tries = 0; tries < PATIENCE && is_disturbed; tries++)
            is_disturbed = take_round(cell, i, samples[i]);
        disturbed += is_disturbed;
    }
    return disturbed;
}

struct summary {
    double wall[SIDES], cpu[SIDES]; /* ns of overhead per batch */
    double wall_ratio, cpu_ratio;   /* engine over oneTBB, of the overheads */
    double time_ratio;              /* engine over oneTBB, of the whole times */
    double efficiency[SIDES];
};

/* The overhead of a side is what it took beyond the bare bodies of its own round. */
static void summarize(const struct cell *cell, int pairs, struct sample samples[][SIDES],
                      struct summary *summary)
{
    double wall[SIDES][MOST_PAIRS], cpu[SIDES][MOST_PAIRS], efficiency[SIDES][MOST_PAIRS];
    double wall_ratio[MOST_PAIRS], cpu_ratio[MOST_PAIRS], time_ratio[MOST_PAIRS];
    double batches = (double)cell->batches;

    for (int i = 0; i < pairs; i++) {
        const struct sample *bare = &samples[i][BARE];

        for (int side = 0; side < SIDES; side++) {
            const struct sample *own = &samples[i][side];

            wall[side][i] = DISPATCH_THREADS * (own->wall_ns - bare->wall_ns) / batches;
            cpu[side][i] = (own->cpu_ns - bare->cpu_ns) / batches;
            efficiency[side][i] = bare->wall_ns / own->wall_ns;
        }
        wall_ratio[i] = wall[ENGINE][i] / wall[TBB][i];
        cpu_ratio[i] = cpu[ENGINE][i] / cpu[TBB][i];
        time_ratio[i] = samples[i][ENGINE].wall_ns / samples[i][TBB].wall_ns;
    }
    for (int side = 0; side < SIDES; side++) {
        summary->wall[side] = median(wall[side], pairs);
        summary->cpu[side] = median(cpu[side], pairs);
        summary->efficiency[side] = median(efficiency[side], pairs);
    }
    summary->wall_ratio = median(wall_ratio, pairs);
    summary->cpu_ratio = median(cpu_ratio, pairs);
    summary->time_ratio = median(time_ratio, pairs);
}

/* Behind a long body the overhead is a small difference of large times: its ratio says nothing. */
static void print_ratios(const struct cell *cell, const struct summary *s)
{
    if (cell->body_us <= 1)
        printf(" %6.2f %6.2f", s->wall_ratio, s->cpu_ratio);
    else
        printf("      -      -");
    printf(" %6.2f |", s->time_ratio);
}

static void print_cell(const struct cell *cell, const struct summary *s, int disturbed)
{
    printf("%4.0f %3d %6s |", cell->body_us, (int)cell->operators, cell->budgeted >= 0 ? "1" : "-");
    for (int side = ENGINE; side < SIDES; side++)
        printf(" %7.0f", s->wall[side]);
    printf(" |");
    for (int side = ENGINE; side < SIDES; side++)
        printf(" %7.0f", s->cpu[side]);
    printf(" |");
    print_ratios(cell, s);
    for (int side = ENGINE; side < SIDES; side++)
        printf(" %6.1f", 100 * s->efficiency[side]);
    printf(" | %4d\n", disturbed);
    fflush(stdout);
}

static void print_head(int parts)
{
    printf("ns per batch beyond the bare bodies: wall x %d threads, and CPU; medians. Ratios are "
           "engine\n"
           "over oneTBB, round by round: of these two, and of the whole time. A body is that of a "
           "whole\n"
           "batch, in us. Active partitions: %d. Disturbed: rounds in which others used the "
           "machine.\n\n",
           DISPATCH_THREADS, parts);
    printf("                |          wall           |           CPU           |"
           "   engine / oneTBB    |    efficiency %%     |\n"
           "body ops budget |  engine  oneTBB      uv |  engine  oneTBB      uv |"
           "   wall    CPU   time | engine oneTBB     uv | disturbed\n");
}

/* About 60 ms a run, so that starting and ending a job do not show. */
static uint64_t batch_count(double body_us)
{
    return body_us < 2 ? 60000 : body_us <= 20 ? 8000 : 1200;
}

static void run_cells(double turns_per_us, int pairs, int parts)
{
    static const double bodies[] = {0, 1, 10, 20, 100};
    static const int32_t operators[] = {1, 6};
    struct sample samples[MOST_PAIRS][SIDES];

    print_head(parts);
    for (size_t b = 0; b < sizeof bodies / sizeof bodies[0]; b++) {
        for (int k = 0; k < 4; k++) {
            int32_t count = operators[k / 2];
            struct cell cell = {bodies[b],
                                count,
                                k % 2 ? count / 2 : -1,
                                parts,
                                batch_count(bodies[b]),
                                (uint64_t)(bodies[b] * turns_per_us / count)};
            struct summary summary;

            int disturbed = take_rounds(&cell, pairs, samples);

            summarize(&cell, pairs, samples, &summary);
            print_cell(&cell, &summary, disturbed);
        }
    }
}

/* One cell for a profiler: the engine alone. */
static void run_one(double turns_per_us, const char *text, int parts)
{
    struct cell cell = {0, 1, -1, parts, 0, 0};
    int budget = 0;
    struct sample sample;

    if (sscanf(text, "%lf,%d,%d", &cell.body_us, &cell.operators, &budget) != 3 ||
        cell.operators < 1 || cell.operators > DISPATCH_OPERATORS) {
        fprintf(stderr, "dispatch: -o wants BODY_US,OPERATORS,BUDGET (0: none)\n");
        exit(2);
    }
    if (budget != 0)
        cell.budgeted = cell.operators / 2;
    cell.batches = 50 * batch_count(cell.body_us);
    cell.turns = (uint64_t)(cell.body_us * turns_per_us / cell.operators);
    sample = measure(&sides[ENGINE], &cell);
    printf("%.0f ns wall x threads, %.0f ns CPU per batch, bodies included\n",
           DISPATCH_THREADS * sample.wall_ns / (double)cell.batches,
           sample.cpu_ns / (double)cell.batches);
}

static void run_life(const char *plugin, int rounds)
{
    printf("\nA context, %d rounds:                    least  median     90%%     99%%\n", rounds);
    if (life_report(NULL, rounds) != 0 || (plugin != NULL && life_report(plugin, rounds) != 0))
        exit(1);
}

static void print_machine(double turns_per_us)
{
    struct utsname name;
    double load = 0;

    uname(&name);
    getloadavg(&load, 1);
    printf("%ld CPUs, Linux %s, load %.2f, spin %.0f turns/us\n\n", sysconf(_SC_NPROCESSORS_ONLN),
           name.release, load, turns_per_us);
}

int main(int argc, char **argv)
{
    int pairs = 15, parts = 1, rounds = 300, option;
    const char *profile = NULL, *plugin = NULL;
    double turns_per_us;

    while ((option = getopt(argc, argv, "n:p:r:o:t:")) != -1) {
        switch (option) {
        case 'n':
            pairs = atoi(optarg);
            break;
        case 'p':
            parts = atoi(optarg);
            break;
        case 'r':
            rounds = atoi(optarg);
            break;
        case 'o':
            profile = optarg;
            break;
        case 't':
            plugin = optarg;
            break;
        default:
            fprintf(stderr,
                    "usage: dispatch [-n ROUNDS] [-p PARTITIONS] [-r LIVES] [-t TEXT_PLUGIN] "
                    "[-o BODY_US,OPERATORS,BUDGET]\n");
            return 2;
        }
    }
    if (pairs < 1 || pairs > MOST_PAIRS || parts < 1 || parts > 8 || rounds < 1) {
        fprintf(stderr, "dispatch: rounds 1..%d, partitions 1..8, lives from 1 on\n", MOST_PAIRS);
        return 2;
    }
    /* Before the first piece of work: libuv makes its pool then. */
    setenv("UV_THREADPOOL_SIZE", "2", 1);
    turns_per_us = calibrate();
    print_machine(turns_per_us);
    engine_open();
    tbb_open();
    if (profile != NULL)
        run_one(turns_per_us, profile, parts);
    else
        run_cells(turns_per_us, pairs, parts);
    tbb_close();
    engine_close();
    if (profile == NULL)
        run_life(plugin, rounds);
    return 0;
}
