# SPDX-License-Identifier: Apache-2.0
import collections
import hashlib
import re

import rules
import texts
from models.document_deduplicator import normal_form

NAME = "document_line_deduplicator"
LINES = ["", " ", "x", "xy", "line", "Line", " line ", "line!", "line 1", "{", "});", "[ ]", "#", "# a",
         "  ## b", "\\begin{a}", "  \\end{a} x", "\\begin {a}", "<p", "<p>", "</p>", "< p>", "<a>t</a>",
         "<1>", "<\u017fx>", "<br/>  ", "\u4e2d\u6587", "123", "123 456", "a\u2028b", "\x1f", "()", ";;",
         "lin\u00e9", "\U0001f600\U0001f600"]
SKIPS = ("skip_brackets", "skip_markdown_headers", "skip_latex_env", "skip_html_tags")
TAG = re.compile(r"</?[a-z][^>]*>?$", re.IGNORECASE)


def is_skipped(line, params):
    on = [params.get(name, True) for name in SKIPS]
    return (len(line) < params.get("min_line_length", 2)
            or on[0] and all(c in "{}[]();" for c in line) or on[1] and line.startswith("#")
            or on[2] and line.startswith(("\\begin{", "\\end{")) or on[3] and bool(TAG.match(line)))


def forms(text, params):
    """The form of each line in which it is compared; None: it is skipped."""
    how = {"lowercase": params.get("lowercase"),
           "ignore_non_character": params.get("ignore_special_character")}
    lines = [rules.strip(line) for line in text.split("\n")]
    return [None if is_skipped(line, params) else normal_form(line, how) for line in lines]


def differs(host, rng):
    wrong = []
    for _ in range(texts.ROWS // 20):
        params = {"frequency_threshold": rng.randrange(6), "lowercase": rng.random() < 0.3,
                  "ignore_special_character": rng.random() < 0.3,
                  "min_line_length": rng.choice([0, 1, 2, 5]),
                  **{name: False for name in SKIPS if rng.random() < 0.2}}
        rows = ["\n".join(rng.choice(LINES) for _ in range(rng.randrange(12)))
                for _ in range(rng.choice([1, 20]))]
        counts = collections.Counter(f for t in rows for f in set(forms(t, params)) - {None})
        expected = []
        for text in rows:
            kept = [line for line, form in zip(text.split("\n"), forms(text, params))
                    if form is None or counts[form] <= params["frequency_threshold"]]
            expected.append({"text": "\n".join(kept) if len(rows) > 1 else text})
        wrong += [(params,) + (w if isinstance(w, tuple) else (w,))
                  for w in texts.compare(host, NAME, params, rows, expected)]
    return wrong


def agrees(host, case):
    """Lines are told from each other as by their MD5."""
    hashes = case["expect"].get("line_hashes")
    if hashes is None:
        return None
    answer = host.run(NAME, case["params"], [case["row"]])
    md5 = ["" if f is None else hashlib.md5(f.encode()).hexdigest()
           for f in forms(case["row"]["text"], case["params"])]
    emitted = "".join(key for _, key in answer.get("keys", []))
    return md5 == hashes and len(emitted) == 16 * len(set(hashes) - {""}), answer
