#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""MB/s of text of every text operator on one core, beside the reference's figure."""
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
# call on 10 MB of web, code and LaTeX text; of de-duplicators the hashing only.
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
    "document_minhash_deduplicator": 2.68, "document_simhash_deduplicator": 4.90,
}
# How many times as fast where the reference is below SLOW; above it there is no target.
SLOW, FACTOR = 40, 50
FACTORS = {"document_minhash_deduplicator": 10, "document_simhash_deduplicator": 7,
           "character_repetition_filter": 20, "document_line_deduplicator": 15}
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
        """Rows, and their text alone; returns its bytes, too."""
        rows, text = (os.path.join(self.folder, kind + end) for end in (".jsonl", ".txt"))
        subprocess.run([os.path.join(HERE, "corpus"), kind, str(self.options.mb * 1000000), "1", rows],
                       check=True)
        size = 0
        with open(rows, encoding="utf-8") as source, open(text, "wb") as target:
            for number, line in enumerate(source):
                data = json.loads(line)["text"].encode()
                size += len(data)
                target.write(data)
        return rows, text, size

    def params(self, name):
        if name in ("stopwords_filter", "flagged_words_filter"):
            return {name.replace("_filter", "_dir"): self.words}
        return {"general_field_filter": {"filter_condition": "id >= 0"},
                "replace_content_mapper": {"pattern": "http[^ ]+", "repl": ""}}.get(name, {})

    def seconds(self, name, rows):
        """Of the operator's calls in one run, on one worker."""
        job = os.path.join(self.folder, "job.json")
        output = os.path.join(self.folder, "out.jsonl")
        with open(job, "w") as file:
            json.dump({"dataset_path": rows, "export_path": output, "work_dir": self.folder,
                       "job_id": "job", "np": 1, "checkpoint": {"enabled": False},
                       "process": [{name: self.params(name)}]}, file)
        command = [self.options.command, "run", job, "--plugin", self.options.plugin, "--quiet"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit("%s: %s" % (name, done.stderr))
        with open(os.path.join(self.folder, "job", "summary.json")) as file:
            summary = json.load(file)
        for name in ("job/summary.json", "out.jsonl"):
            os.unlink(os.path.join(self.folder, name))
        return max(summary["operators"][0]["seconds"], 1e-6)

    def speed(self, name, rows, size):
        return size / 1e6 / statistics.median(self.seconds(name, rows)
                                              for _ in range(self.options.runs))


def operators(options):
    listing = subprocess.run([options.command, "ops", "--json", "--plugin", options.plugin],
                             capture_output=True, text=True, check=True).stdout
    there = {op["name"] for op in json.loads(listing)}
    return [name for name in REFERENCE if name in there]


def verdict(name, speed):
    factor = FACTORS.get(name, FACTOR)
    if REFERENCE[name] >= SLOW:
        return "%5.1f times" % (speed / REFERENCE[name])
    return "%5.0f times, target %d: %s" % (speed / REFERENCE[name], factor,
                                           "ok" if speed >= factor * REFERENCE[name] else "SHORT")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mb", type=int, default=50, help="size of each corpus (50)")
    parser.add_argument("--runs", type=int, default=3, help="runs of each operator (3)")
    parser.add_argument("--only", default="", help="operators, with commas between")
    parser.add_argument("--command", default=os.path.join(BUILD, "tools", "partexec"))
    parser.add_argument("--plugin", default=os.path.join(BUILD, "ops", "text", "text.so"))
    options = parser.parse_args()
    wanted = set(filter(None, options.only.split(",")))
    with tempfile.TemporaryDirectory(prefix="partexec-ops-") as folder:
        bench = Bench(options, folder)
        corpora = {kind: bench.corpus(kind) for kind in KINDS}
        print("MB/s of text in the calls of the operator, one worker, medians of %d runs" % options.runs)
        print("%-46s" % "" + "".join("%10s" % kind for kind in KINDS) + "%11s" % "reference")
        scans = [subprocess.run([os.path.join(HERE, "scan_text"), text], capture_output=True,
                                text=True, check=True).stdout for _, text, _ in corpora.values()]
        print("%-46s" % "memchr over the text" + "".join("%10.0f" % float(scan) for scan in scans))
        for name in operators(options):
            if wanted and name not in wanted:
                continue
            speeds = [bench.speed(name, rows, size) for rows, _, size in corpora.values()]
            print("%-46s" % name + "".join("%10.0f" % speed for speed in speeds) +
                  "%11.2f  english %s" % (REFERENCE[name], verdict(name, speeds[0])), flush=True)


if __name__ == "__main__":
    main()
