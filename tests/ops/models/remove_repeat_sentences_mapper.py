# SPDX-License-Identifier: Apache-2.0
import re

import rules
import texts

PIECES = ["a", "b", "a", " ", ".", ".", "\u3002", "!", "\uff1f", "?", "\u2026", "\u2026\u2026",
          "\u2019", "\u201d",
          "{", "}", "6", "2", "\n", "\u4e2d", "\u56fd", "a b.", "A B.", "......", "\u00e9", "\t",
          "a\u201d."]
ENDS = ["([.\u3002!\uff01\uff1f?])([^\u2019\u201d])", "(\\.{6})([^\u2019\u201d])",
        "(\u2026{2})([^\u2019\u201d])",
        "([.\u3002!\uff01\uff1f?{}62\u2026][\u2019\u201d])([^\u2019\u201d])"]


def sentences(line):
    for pattern in ENDS:
        line = re.sub(pattern, "\\1\n\\2", line, flags=re.DOTALL)
    return line.split("\n")


def remove_repeated(text, params):
    seen, lines = set(), []
    for line in text.split("\n"):
        kept = ""
        for sentence in sentences(line) if line else []:
            key = rules.strip(sentence)
            if params.get("lowercase"):
                key = rules.lower(key)
            if params.get("ignore_special_character", True):
                key = re.sub("[^a-zA-Z0-9\u4e00-\u9fa5\n\t ]", "", key)
            if len(key) < params.get("min_repeat_sentence_length", 2) or key not in seen:
                kept += sentence
                if len(key) >= params.get("min_repeat_sentence_length", 2):
                    seen.add(key)
        lines.append(kept)
    return "\n".join(lines)


def differs(host, rng):
    wrong = []
    for params in ({}, {"lowercase": True}, {"ignore_special_character": False},
                   {"min_repeat_sentence_length": 0}, {"min_repeat_sentence_length": 5}):
        rows = [texts.pieces_of(rng, PIECES, 40) for _ in range(texts.ROWS // 2)]
        wrong += texts.mapper_differs(host, "remove_repeat_sentences_mapper", params, rows,
                                      lambda text, p=params: remove_repeated(text, p))
    return wrong
