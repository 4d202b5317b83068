# SPDX-License-Identifier: Apache-2.0
import json
import os
import tempfile

import rules
import texts

BOUNDS = ("min_ratio", "max_ratio")
LIST = ["lo", "the", "loke", "\u00e9t\u00e9", "lo ke", "a-b", "\u03bf\u03c2", "kelolo", "42",
        "x\u00a0y"]


def ratio(text, sizes, join):
    words = rules.words(rules.lower(text))
    words += [join.join(words[i:i + n]) for n in sizes for i in range(len(words) - n + 1)]
    return sum(w in LIST for w in words) / len(words) if words else 0.0


def list_differs(host, rng, kind):
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, f"my_{kind}_x.json"), "w", encoding="utf-8") as file:
            json.dump({"en": LIST, "de": ["nie"]}, file)
        for sizes, join in (([], ""), ([2], ""), ([2, 3], " "), ([3, 1], "-"), ([40], "x")):
            more = {"use_words_aug": True, "words_aug_group_sizes": sizes,
                    "words_aug_join_char": join} if sizes else {}
            wrong += texts.filter_differs(
                host, rng, kind + "_filter", lambda text, s=sizes, j=join: ratio(text, s, j),
                BOUNDS, kind + "_ratio", ratios=True, make=texts.words_of,
                **{kind + "_dir": folder}, **more)
    return wrong


def differs(host, rng):
    return list_differs(host, rng, "stopwords")
