# SPDX-License-Identifier: Apache-2.0
import rules
import texts

BOUNDS = ("min_ratio", "max_ratio")


def ratio(text):
    return sum(c in rules.CLASS["alnum"] for c in text) / len(text) if text else 0.0


def differs(host, rng):
    return texts.filter_differs(host, rng, "alphanumeric_filter", ratio, BOUNDS, "alnum_ratio",
                                ratios=True)
