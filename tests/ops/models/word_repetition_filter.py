# SPDX-License-Identifier: Apache-2.0
import collections

import rules
import texts

BOUNDS = ("min_ratio", "max_ratio")


def ratio(text, length):
    words = rules.words(rules.lower(text))
    runs = collections.Counter(tuple(words[i:i + length]) for i in range(len(words) - length + 1))
    repeated = sum(count for count in runs.values() if count > 1)
    return repeated / sum(runs.values()) if runs else 0.0


def differs(host, rng):
    wrong = []
    for length in (1, 2, 3, 10):
        wrong += texts.filter_differs(host, rng, "word_repetition_filter",
                                      lambda text, n=length: ratio(text, n), BOUNDS,
                                      "word_rep_ratio", ratios=True, make=texts.words_of,
                                      rep_len=length)
    return wrong
