# SPDX-License-Identifier: Apache-2.0
import hashlib

import rules
import texts

NAME = "document_line_deduplicator"
FLAGS = ("lowercase", "ignore_special_character", "skip_brackets", "skip_markdown_headers",
         "skip_latex_env", "skip_html_tags")
# A to Z whatever the case, as Python's re has it.
LETTERS = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ\u0130\u0131\u017f\u212a")
PIECES = ["foot", "Foot", "FOOT", "f oot", "foot 1", "foot!", " foot\t", "x", "\u00e9", "", "  ",
          "{}", "[ ]", "[];", "# head", "#", "\\begin{a}", "\\end{b} x", "\\begin {a}", "\\end",
          "<p>", "</p>", "<p", "<p> a", "<p a='b'> ", "< p>", "</>", "<1>", "<\u0130>", "<\u212ax>",
          "<p>>", "\u3000foot\u3000", "foot\r", "fo\x1fot", "\u0660foot", "a\u2028foot", "\u039f\u03a3",
          "\u03bf\u03c2", "12", "...", "longer line of text", "\u00b2foot", "\U0001e4f0foot"]


def is_tag(line):
    name = line[2:] if line.startswith("</") else line[1:]
    return line.startswith("<") and name[:1] in LETTERS and name[:1] != "" and \
        ">" not in line[:-1]


def is_skipped(line, params):
    line = rules.strip(line)
    on = {flag: params.get(flag, True) for flag in FLAGS}
    return len(line) < params.get("min_line_length", 2) or \
        on["skip_brackets"] and set(line) <= set("{}[]();") or \
        on["skip_markdown_headers"] and line.startswith("#") or \
        on["skip_latex_env"] and line.startswith(("\\begin{", "\\end{")) or \
        on["skip_html_tags"] and is_tag(line)


def form(line, params):
    if params.get("lowercase", False):
        line = rules.lower(line)
    if params.get("ignore_special_character", False):
        gone = rules.CLASS["strip"] | rules.CLASS["py_digit"] | rules.PUNCTUATION
        line = "".join(c for c in line if c not in gone)
    return rules.strip(line)


def forms(text, params):
    return [None if is_skipped(line, params) else form(line, params) for line in text.split("\n")]


def expected_texts(rows, params):
    if len(rows) <= 1:
        return rows
    count = {}
    for text in rows:
        for f in set(forms(text, params)):
            count[f] = count.get(f, 0) + 1
    limit = params.get("frequency_threshold", 6)
    return ["\n".join(line for line, f in zip(text.split("\n"), forms(text, params))
                      if f is None or count[f] <= limit) for text in rows]


def differs(host, rng):
    wrong = []
    for _ in range(texts.ROWS // 20):
        params = {flag: rng.random() < 0.5 for flag in FLAGS if rng.random() < 0.4}
        params["frequency_threshold"] = rng.choice([0, 1, 2, 3, 6, 30])
        if rng.random() < 0.5:
            params["min_line_length"] = rng.choice([0, 1, 4, 20])
        some = rng.sample(PIECES, rng.randrange(2, 16))
        rows = ["\n".join(rng.choice(some) + rng.choice(["", "", "", " ", str(rng.random())])
                          for _ in range(rng.randrange(8))) for _ in range(rng.choice([1, 2, 20]))]
        expected = [{"text": t} for t in expected_texts(rows, params)]
        wrong += [(params,) + w for w in
                  texts.compare(host, NAME, params, rows, expected, batch=rng.choice([3, 100]))]
    return wrong


def agrees(host, case):
    """Lines that are compared have the MD5 of the case, and a key each."""
    if "line_hashes" not in case["expect"]:
        return None
    text, params = case["row"]["text"], case["params"]
    hashes = ["" if f is None else hashlib.md5(f.encode()).hexdigest() for f in forms(text, params)]
    answer = host.run(NAME, params, [case["row"]])
    size = sum(len(key) // 2 for _, key in answer["keys"])
    right = hashes == case["expect"]["line_hashes"] and size == 8 * sum(h != "" for h in hashes)
    return right, (hashes, answer)
