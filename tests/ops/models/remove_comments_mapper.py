# SPDX-License-Identifier: Apache-2.0
import re

import texts

PIECES = ["%", "%", "\\%", "\\", "a", " ", "\n", "\n", "\u4e2d", "% b", "%%", "\n%c\n", "\r",
          "\U0001f600"]


def remove_comments(text, params):
    if params.get("inline", True):
        text = re.sub(r"[^\\]%.+$", "", text, flags=re.MULTILINE)
    if params.get("multiline", True):
        text = re.sub(r"^%.*\n?", "", text, flags=re.MULTILINE)
    return text


def differs(host, rng):
    wrong = []
    for params in ({}, {"inline": False}, {"multiline": False},
                   {"inline": False, "multiline": False}):
        rows = [texts.pieces_of(rng, PIECES) for _ in range(texts.ROWS // 2)]
        wrong += texts.mapper_differs(host, "remove_comments_mapper", params, rows,
                                      lambda text, p=params: remove_comments(text, p))
    return wrong
