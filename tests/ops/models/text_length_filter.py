# SPDX-License-Identifier: Apache-2.0
import texts

BOUNDS = ("min_len", "max_len")


def differs(host, rng):
    return texts.filter_differs(host, rng, "text_length_filter", len, BOUNDS, "text_len")
