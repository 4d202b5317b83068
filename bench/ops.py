#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""MB/s of text of every text operator on one core, beside the reference's figure.

The operator's own calls on the library's batches, by the CPU clock of the thread (op_clock.c): on a
machine that others use, wall time says little. The reference's figures begin with texts that are
strings already, so ours do; what making them out of JSON takes is a line of its own. See
docs/performance.md.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.dirname(HERE)
KINDS = ("english", "shuffled", "cjk", "escaped")

# MB/s of Data-Juicer 1.6.1 on one core of the machine on which its answers were recorded: its batched
# call on 10 MB of web, code and LaTeX text; of de-duplicators the hashing only, so of ours `observe`.
REFERENCE = {
    "text_length_filter": 747, "words_num_filter": 8.10, "alphanumeric_filter": 16.2,
    "special_characters_filter": 39.3, "average_line_length_filter": 318,
    "maximum_line_length_filter": 253, "character_repetition_filter": 4.58,
    "word_repetition_filter": 5.61, "stopwords_filter": 7.20, "flagged_words_filter": 7.24,
    "general_field_filter": 368, "whitespace_normalization_mapper": 27.2,
    "punctuation_normalization_mapper": 20.1, "clean_links_mapper": 11.9, "clean_email_mapper": 1.64,
    "clean_ip_mapper": 8.83, "clean_copyright_mapper": 472, "clean_html_mapper": 140,
    "expand_macro_mapper": 320, "remove_bibliography_mapper": 561, "remove_comments_mapper": 347,
    "remove_header_mapper": 383, "remove_long_words_mapper": 5.97,
    "remove_words_with_incorrect_substrings_mapper": 3.33,
    "remove_non_chinese_character_mapper": 26.5, "remove_repeat_sentences_mapper": 2.64,
    "remove_specific_chars_mapper": 85.6, "remove_table_text_mapper": 0.67,
    "replace_content_mapper": 106, "text_chunk_mapper": 310, "chinese_convert_mapper": 329,
    "document_deduplicator": 276, "document_line_deduplicator": 34.0,
    "document_minhash_deduplicator": 2.68, "document_minhash_deduplicator_with_uid": 2.67,
    "document_simhash_deduplicator": 4.90,
}
# How many times as fast where the reference is below SLOW; above it there is no target.
SLOW, FACTOR = 40, 50
FACTORS = {"document_minhash_deduplicator": 10, "document_minhash_deduplicator_with_uid": 10,
           "document_simhash_deduplicator": 7, "character_repetition_filter": 20,
           "document_line_deduplicator": 15}
# Where the defaults do nothing.
PARAMS = {"general_field_filter": {"filter_condition": "meta.id >= 0"},
          "replace_content_mapper": {"pattern": "http[^ ]+", "repl": ""},
          "text_chunk_mapper": {"max_len": 1000}}
WORDS = "the of and to in is that it for as with on be are this was by not".split()


class Bench:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.words = os.path.join(folder, "words")
        os.mkdir(self.words)
        for name in ("stopwords", "flagged_words"):
            with open(os.path.join(self.words, name + ".json"), "w") as file:
                json.dump({"en": WORDS}, file)

    def corpus(self, kind):
        """Rows with an id each, and their text alone; returns its bytes, too."""
        rows, text = (os.path.join(self.folder, kind + end) for end in (".jsonl", ".txt"))
        made = os.path.join(self.folder, "made")
        subprocess.run([os.path.join(HERE, "corpus"), kind, str(self.options.mb * 1000000), "1", made],
                       check=True)
        size = 0
        with open(made, encoding="utf-8") as source, open(text, "wb") as plain, \
                open(rows, "w", encoding="utf-8") as target:
            for number, line in enumerate(source):
                data = json.loads(line)["text"].encode()
                size += len(data)
                plain.write(data)
                target.write('{"__dj__uid": %d, ' % number + line[1:])
        os.unlink(made)
        return rows, text, size

    def params(self, name):
        if name in ("stopwords_filter", "flagged_words_filter"):
            return {name.replace("_filter", "_dir"): self.words}
        return PARAMS.get(name, {})

    def seconds(self, name, rows):
        """CPU time of one run: in the operator's calls on rows, and in making the texts before."""
        job = os.path.join(self.folder, "job.json")
        with open(job, "w") as file:
            json.dump({"dataset_path": rows, "export_path": os.path.join(self.folder, "out.jsonl"),
                       "work_dir": self.folder, "job_id": "job", "np": 1,
                       "checkpoint": {"enabled": False},
                       "process": [{"clocked_" + name: self.params(name)}]}, file)
        done = subprocess.run([self.options.command, "run", job, "--plugin", self.options.clock,
                               "--quiet"],
                              capture_output=True, text=True, check=False,
                              env=dict(os.environ, PEX_BENCH_PLUGIN=self.options.plugin))
        if done.returncode != 0:
            sys.exit("%s: %s" % (name, done.stderr))
        with open(os.path.join(self.folder, "job", "summary.json")) as file:
            counts = json.load(file)["operators"][0]
        failed = counts["quarantined"] + counts["skipped"]
        if failed:
            sys.exit("%s: %d rows failed, so this is no measure of it" % (name, failed))
        for file in ("job/summary.json", "out.jsonl"):
            os.unlink(os.path.join(self.folder, file))
        calls, _, texts = map(float, done.stderr.splitlines()[-1].split())
        return max(calls, 1e-6), max(texts, 1e-6)

    def speed(self, name, rows, size, part=0):
        return size / 1e6 / statistics.median(self.seconds(name, rows)[part]
                                              for _ in range(self.options.runs))


def operators(options):
    listing = subprocess.run([options.command, "ops", "--json", "--plugin", options.plugin],
                             capture_output=True, text=True, check=True).stdout
    there = {op["name"] for op in json.loads(listing)}
    return [name for name in REFERENCE if name in there]


def verdict(name, speeds):
    """The least of all kinds of text, and where that is less than wanted."""
    times = {kind: speed / REFERENCE[name] for kind, speed in speeds.items()}
    least = min(times.values())
    if REFERENCE[name] >= SLOW:
        return "%6.1f times" % least
    factor = FACTORS.get(name, FACTOR)
    short = [kind for kind in times if times[kind] < factor]
    return "%6.1f times, target %d: %s" % (least, factor,
                                           "SHORT on " + ", ".join(short) if short else "ok")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mb", type=int, default=50, help="size of each corpus (50)")
    parser.add_argument("--runs", type=int, default=3, help="runs of each operator (3)")
    parser.add_argument("--only", default="", help="operators, with commas between")
    parser.add_argument("--command", default=os.path.join(BUILD, "tools", "partexec"))
    parser.add_argument("--plugin", default=os.path.join(BUILD, "ops", "text", "text.so"))
    parser.add_argument("--clock", default=os.path.join(HERE, "op_clock.so"))
    options = parser.parse_args()
    wanted = set(filter(None, options.only.split(",")))
    with tempfile.TemporaryDirectory(prefix="partexec-ops-") as folder:
        bench = Bench(options, folder)
        corpora = {kind: bench.corpus(kind) for kind in KINDS}
        print("MB of text per CPU second in the calls of the operator, medians of %d runs" % options.runs)
        print("%-40s" % "" + "".join("%9s" % kind for kind in KINDS) + "%10s" % "reference")
        scans = [subprocess.run([os.path.join(HERE, "scan_text"), text], capture_output=True,
                                text=True, check=True).stdout for _, text, _ in corpora.values()]
        print("%-40s" % "memchr over the text" + "".join("%9.0f" % float(scan) for scan in scans))
        print("%-40s" % "making the text out of JSON" +
              "".join("%9.0f" % bench.speed("document_deduplicator", rows, size, 1)
                      for rows, _, size in corpora.values()))
        for name in operators(options):
            if wanted and name not in wanted:
                continue
            speeds = {kind: bench.speed(name, rows, size)
                      for kind, (rows, _, size) in corpora.items()}
            print("%-40s" % name + "".join("%9.0f" % speeds[kind] for kind in KINDS) +
                  "%10.2f  %s" % (REFERENCE[name], verdict(name, speeds)), flush=True)


if __name__ == "__main__":
    main()
