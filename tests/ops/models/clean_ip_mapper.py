# SPDX-License-Identifier: Apache-2.0
import re

import texts

# An octet of the reference: at most 255, without a needless zero before it.
PLAIN = r"(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
DEFAULT = rf"(?:(?:{PLAIN}\.){{3}}{PLAIN})|(?:([\da-fA-F]{{1,4}}:){{7}}[\da-fA-F]{{1,4}})"
LETTERS = list("0011225569..::af G\n-") + ["\u0661", "\uff11", "\u00b2", "\u4e2d"]
PIECES = ["1.2.3.4", "256.", "1.1.1.1", ".", "0", "00", "25", "5", "::", ":", "a:b:c:d:e:f:0:1",
          "1:2:3:4:5:6:7", ":8", "fffff", "12345", "\u0661:", "192.168.0.1", "01.1.1.1", " ", "\n"]


def differs(host, rng):
    wrong = []
    for repl in ("", "<IP>", r"[\g<0>]"):
        rows = [texts.text_of(rng, LETTERS) for _ in range(texts.ROWS // 3)]
        rows += [texts.pieces_of(rng, PIECES) for _ in range(texts.ROWS // 3)]
        for pattern in (None, DEFAULT):
            params = {"repl": repl, **({"pattern": pattern} if pattern else {})}
            wrong += texts.mapper_differs(host, "clean_ip_mapper", params, rows,
                                          lambda t: re.sub(DEFAULT, repl, t))
    return wrong
