# SPDX-License-Identifier: Apache-2.0
import re

import rules
import texts

BOUNDS = ("min_num", "max_num")


def words_num(text):
    return sum(any(c not in rules.CLASS["special"] for c in word)
               for word in re.split("[ \n\t]", text))


def differs(host, rng):
    return texts.filter_differs(host, rng, "words_num_filter", words_num, BOUNDS, "num_words")
