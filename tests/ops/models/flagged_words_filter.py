# SPDX-License-Identifier: Apache-2.0
from models import stopwords_filter

BOUNDS = ("min_ratio", "max_ratio")


def differs(host, rng):
    return stopwords_filter.list_differs(host, rng, "flagged_words")
