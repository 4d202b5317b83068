#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Length filter over JSON rows: the command `partexec run` against the limit loop (limit.cpp).

Makes its own input, runs both in turn on two threads and on one, and reports medians of the ratios
of runs that stood next to each other. See docs/performance.md.
"""
import argparse
import filecmp
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.dirname(HERE)

# Least ratio of our speed to the peer's, on two threads.
TARGETS = {"english": 1.2, "shuffled": 1.2, "escaped": 1.2, "cjk": 1.0, "short": 0.75, "numbers": 1.5}
# Most CPU seconds for a GB of text. Of other corpora the peer itself takes more; there the cost may be
# what the ratio of speeds allows.
CPU_PER_GB = 0.7
TEXTS = ("english", "shuffled", "escaped", "cjk")
TWO_OVER_ONE = 1.8
PEAK_RSS = 64e6


# A run is disturbed when others took more than this share of the machine meanwhile.
FOREIGN = 0.06
# Rounds are taken until enough are undisturbed, at most so many times the number asked for.
PATIENCE = 5


class Run:
    """What one process took."""

    def __init__(self, wall, cpu, rss, foreign):
        self.wall, self.cpu, self.rss, self.own = wall, cpu, rss, None
        self.is_quiet = foreign < FOREIGN * wall * os.cpu_count()


def busy_seconds():
    """CPU time of the whole machine, that of a hypervisor's other guests included."""
    with open("/proc/stat") as file:
        ticks = list(map(int, file.readline().split()[1:9]))
    return (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")


def measure(command):
    begin = busy_seconds()
    done = subprocess.run([os.path.join(HERE, "measure")] + command, capture_output=True, text=True)
    foreign = busy_seconds() - begin
    if done.returncode != 0:
        sys.exit("%s: exit %d\n%s" % (" ".join(command), done.returncode, done.stderr))
    wall, user, system, rss = map(float, done.stderr.splitlines()[-1].split())
    return Run(wall, user + system, rss, foreign - user - system), done.stdout


class Bench:
    def __init__(self, options):
        self.options = options
        self.folder = options.cache
        self.outputs = os.path.join(self.folder, "out")
        shutil.rmtree(self.outputs, ignore_errors=True)
        os.makedirs(self.outputs)
        self.count = 0

    def corpus(self, kind, size):
        path = os.path.join(self.folder, "%s-%d-%d.jsonl" % (kind, size, self.options.seed))
        if not os.path.exists(path):
            subprocess.run([os.path.join(HERE, "corpus"), kind, str(size), str(self.options.seed),
                            path + ".partial"], check=True)
            os.rename(path + ".partial", path)
        return path

    def fresh(self):
        """A name that no file had: writing over an old one costs several times as much."""
        self.count += 1
        return os.path.join(self.outputs, "%d.jsonl" % self.count)

    def limit(self, path, threads, mode):
        output = self.fresh()
        run, text = measure([os.path.join(HERE, "limit"), path, output, str(threads), mode])
        run.own = float(text)
        return run, output

    def ours(self, path, threads, settings=()):
        output = self.fresh()
        name = "job%d" % self.count
        job = os.path.join(self.outputs, name + ".json")
        with open(job, "w") as file:
            json.dump({"dataset_path": path, "export_path": output, "work_dir": self.outputs,
                       "job_id": name, "np": threads, "checkpoint": {"enabled": False},
                       "process": [{"text_length_filter": {"min_len": 100, "max_len": 100000}}]},
                      file)
        command = [self.options.command, "run", job, "--plugin", self.options.plugin, "--quiet"]
        for setting in settings:
            command += ["--set", setting]
        run, _ = measure(command)
        with open(os.path.join(self.outputs, name, "summary.json")) as file:
            run.own = json.load(file)["seconds"]
        return run, output

    def same(self, kind, path, mode):
        """Both keep the same rows; this run also warms the caches."""
        ours, theirs = self.ours(path, 2)[1], self.limit(path, 2, mode)[1]
        if not filecmp.cmp(ours, theirs, shallow=False):
            sys.exit("%s: the outputs differ: %s, %s" % (kind, ours, theirs))
        os.unlink(ours)
        os.unlink(theirs)

    def rounds(self, sides):
        """Runs the sides in turn, each round from another one on; side -> runs."""
        runs = {name: [] for name in sides}
        names = list(sides)
        for i in range(PATIENCE * self.options.pairs):
            for name in names[i % len(names):] + names[:i % len(names)]:
                run, output = sides[name]()
                os.unlink(output)
                runs[name].append(run)
            if sum(all(runs[name][k].is_quiet for name in names)
                   for k in range(i + 1)) >= self.options.pairs:
                break
        return runs


class Pairs:
    """Runs of two sides that stood next to each other; the undisturbed ones, if there are any."""

    def __init__(self, above, below):
        quiet = [(a, b) for a, b in zip(above, below) if a.is_quiet and b.is_quiet]
        self.pairs = quiet or list(zip(above, below))
        self.mark = "" if quiet else " (disturbed)"

    def ratios(self, value):
        return sorted(value(a) / value(b) for a, b in self.pairs)

    def ratio(self, value=lambda run: run.wall):
        return statistics.median(self.ratios(value))


def median(runs, value):
    return statistics.median([value(run) for run in runs if run.is_quiet] or map(value, runs))


def verdict(value, target, is_most=False):
    good = value <= target if is_most else value >= target
    return "ok" if good else "SHORT"


def report(kind, size, runs, mode):
    ours, peer, ours_1, peer_1 = (runs[k] for k in ("ours 2", "peer 2", "ours 1", "peer 1"))
    speed = lambda side: size / 1e6 / median(side, lambda run: run.wall)
    cost = lambda side: median(side, lambda run: run.cpu) / size * 1e9
    against, two = Pairs(peer, ours), Pairs(ours_1, ours)
    low_high = against.ratios(lambda run: run.wall)
    cpu, rss = cost(ours), max(run.rss for run in ours)
    most = CPU_PER_GB if kind in TEXTS else cost(peer) / TARGETS[kind]
    print("%-9s partexec %5.0f MB/s (1 thread %5.0f)   %s %5.0f (%5.0f)   %d rounds, %d pairs%s" %
          (kind, speed(ours), speed(ours_1), mode, speed(peer), speed(peer_1), len(ours),
           len(against.pairs), against.mark))
    print("          ratio %.2f [%.2f .. %.2f], target %.2f: %s   (by their own clocks %.2f, on one "
          "thread %.2f)" % (against.ratio(), low_high[0], low_high[-1], TARGETS[kind],
                            verdict(against.ratio(), TARGETS[kind]),
                            against.ratio(lambda run: run.own), Pairs(peer_1, ours_1).ratio()))
    print("          CPU %.2f s/GB, at most %.2f: %s (1 thread %.2f, peer %.2f)   two threads over "
          "one %.2f%s, target %.1f: %s (peer %.2f)   peak %.1f MB: %s" %
          (cpu, most, verdict(cpu, most, True), cost(ours_1), cost(peer), two.ratio(),
           two.mark, TWO_OVER_ONE, verdict(two.ratio(), TWO_OVER_ONE), Pairs(peer_1, peer).ratio(),
           rss / 1e6, verdict(rss, PEAK_RSS, True)), flush=True)


def bench_kind(bench, kind, size):
    path = bench.corpus(kind, size)
    size = os.path.getsize(path)
    mode = "dom" if kind == "numbers" else "ondemand"
    bench.same(kind, path, mode)
    runs = bench.rounds({
        "ours 2": lambda: bench.ours(path, 2),
        "peer 2": lambda: bench.limit(path, 2, mode),
        "ours 1": lambda: bench.ours(path, 1),
        "peer 1": lambda: bench.limit(path, 1, mode),
    })
    report(kind, size, runs, mode)


def bench_growth(bench, size):
    """Peak memory must not follow the size of the file."""
    peaks = []
    for part in (size // 8, size // 2, size):
        run, output = bench.ours(bench.corpus("english", part), 2)
        os.unlink(output)
        peaks.append("%.0f MB: %.1f" % (part / 1e6, run.rss / 1e6))
    print("peak resident MB by size of the file: " + ", ".join(peaks))


def machine():
    with open("/proc/cpuinfo") as file:
        names = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
    print("%s, %d CPUs usable, Linux %s, load %.2f" %
          (names[0] if names else "unknown CPU", len(os.sched_getaffinity(0)), os.uname().release,
           os.getloadavg()[0]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mb", type=int, default=1000, help="size of each corpus (1000)")
    parser.add_argument("--pairs", type=int, default=9, help="undisturbed rounds wanted (9)")
    parser.add_argument("--kinds", default=",".join(TARGETS), help="corpora, with commas between")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cache", help="where corpora stay and outputs go",
                        default=os.path.join(tempfile.gettempdir(), "partexec-bench"))
    parser.add_argument("--command", default=os.path.join(BUILD, "tools", "partexec"))
    parser.add_argument("--plugin", default=os.path.join(BUILD, "ops", "text", "text.so"))
    options = parser.parse_args()
    unknown = set(options.kinds.split(",")) - set(TARGETS)
    if unknown:
        parser.error("no such corpus: %s; there are %s" % (", ".join(unknown), ", ".join(TARGETS)))
    machine()
    bench = Bench(options)
    for kind in options.kinds.split(","):
        bench_kind(bench, kind, options.mb * 1000000)
    bench_growth(bench, options.mb * 1000000)
    shutil.rmtree(bench.outputs)


if __name__ == "__main__":
    main()
