# SPDX-License-Identifier: Apache-2.0
import collections
import math

import texts

BOUNDS = ("min_ratio", "max_ratio")


def ratio(text, length):
    grams = collections.Counter(text[i:i + length] for i in range(len(text) - length + 1))
    counts = sorted(grams.values(), reverse=True)
    repeated = sum(count > 1 for count in counts)
    top = counts[:min(math.isqrt(len(counts)), repeated)]
    return sum(top) / sum(counts) if counts else 0.0


def differs(host, rng):
    wrong = []
    for length in (1, 2, 3, 10):
        letters = rng.sample(texts.LETTERS + texts.BLANKS + texts.SURROGATES, 2 + length)
        wrong += texts.filter_differs(host, rng, "character_repetition_filter",
                                      lambda text, n=length: ratio(text, n), BOUNDS,
                                      "char_rep_ratio", ratios=True, letters=letters,
                                      rep_len=length)
    return wrong
