# SPDX-License-Identifier: Apache-2.0
import rules
import texts

BOUNDS = ("min_len", "max_len")
LETTERS = list(rules.LINE_ENDS) * 2 + texts.LETTERS + ["\r\n"] * 5


def average(text):
    return len(text) / len(rules.splitlines(text)) if text else 0.0


def differs(host, rng):
    return texts.filter_differs(host, rng, "average_line_length_filter", average, BOUNDS,
                                "avg_line_length", ratios=True, letters=LETTERS)
