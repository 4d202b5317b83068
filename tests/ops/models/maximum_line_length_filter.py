# SPDX-License-Identifier: Apache-2.0
import rules
import texts

BOUNDS = ("min_len", "max_len")
LETTERS = list(rules.LINE_ENDS) * 2 + texts.LETTERS + ["\r\n"] * 5


def longest(text):
    return max(map(len, rules.splitlines(text)), default=0)


def differs(host, rng):
    return texts.filter_differs(host, rng, "maximum_line_length_filter", longest, BOUNDS,
                                "max_line_length", letters=LETTERS)
