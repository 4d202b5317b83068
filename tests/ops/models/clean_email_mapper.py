# SPDX-License-Identifier: Apache-2.0
import re

import texts

DEFAULT = r"[A-Za-z0-9.\-+_]+@[a-z0-9.\-+_]+\.[a-z]+"
LETTERS = list("abzABZ019._-+@@@@..\n (),:") + ["\u00e9", "\u4e2d", "\uff20", "\u0130"]
PIECES = ["user", "@", "a@b.c", "@b.co", ".com", ".", "A.B@x.ORG", "x@y.z.UK", " ", "\n", "-", "_",
          "+", "\u4e2d", "a@b", "@@", "9@9.9.a", "e.x+y@z-w.io"]


def differs(host, rng):
    wrong = []
    for repl, write in (("", ""), ("<EMAIL>", "<EMAIL>"), (r"[\g<0>]", r"[\g<0>]")):
        rows = [texts.text_of(rng, LETTERS) for _ in range(texts.ROWS // 3)]
        rows += [texts.pieces_of(rng, PIECES) for _ in range(texts.ROWS // 3)]
        for pattern in (None, DEFAULT):
            params = {"repl": repl, **({"pattern": pattern} if pattern else {})}
            wrong += texts.mapper_differs(host, "clean_email_mapper", params, rows,
                                          lambda t: re.sub(DEFAULT, write, t))
    return wrong
