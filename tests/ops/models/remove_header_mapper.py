# SPDX-License-Identifier: Apache-2.0
import re

import texts

PIECES = ["\\section", "\\subsection", "\\subsubsection", "\\chapter", "\\part", "\\paragraph",
          "\\subparagraph", "\\sections", "{", "}", "[", "]", "]{", "*", "{a}", "[b]{c}", "a", "\n",
          "\\", "\u4e2d", "part"]
HEADS = "|".join(r"\\%s\*?(?:\[(?:.*?)\])?\{(?:.*?)\}" % name for name in (
    "chapter", "part", "section", "subsection", "subsubsection", "paragraph", "subparagraph"))


def remove_header(text, drops):
    found = re.search(HEADS, text, re.DOTALL)
    if found:
        return text[found.start():]
    return "" if drops else text


def differs(host, rng):
    wrong = []
    for params in ({}, {"drop_no_head": False}):
        rows = [texts.pieces_of(rng, PIECES, 12) for _ in range(texts.ROWS)]
        wrong += texts.mapper_differs(
            host, "remove_header_mapper", params, rows,
            lambda text, p=params: remove_header(text, p.get("drop_no_head", True)))
    return wrong
