# SPDX-License-Identifier: Apache-2.0
import re

import texts

PIECES = ["a", "b1", "|", "|", " ", " ", "\t", "\n", "\n", "\n", "\n\n", "a b\n", "c|d\n",
          "a|b c\n",
          "||\n", "\u4e2d", "\u00a0", "a b c\n", "\r\n", "\n\n\n"]


def remove_tables(text, params):
    for cells in range(params.get("min_col", 2), params.get("max_col", 20) + 1):
        pattern = r"(?<=\n)((\S+?)([ |\t](\S+?)){%d}\n+){2,}" % (cells - 1)
        text = re.sub(pattern, "", text)
    return text


def differs(host, rng):
    wrong = []
    for params in ({}, {"min_col": 3, "max_col": 5}, {"min_col": 2, "max_col": 2},
                   {"min_col": 5, "max_col": 3}):
        rows = [texts.pieces_of(rng, PIECES) for _ in range(texts.ROWS // 2)]
        wrong += texts.mapper_differs(host, "remove_table_text_mapper", params, rows,
                                      lambda text, p=params: remove_tables(text, p))
    return wrong
