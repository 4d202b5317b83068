# SPDX-License-Identifier: Apache-2.0
import re

import texts

PIECES = ["/*", "*/", "/", "*", "//", "#", "--", "-", "\n", "\n", "Copyright", "copyRIGHT",
          "copyr\u0130ght", "copyr\u0131ght", "copy right", "a", " ", "\u4e2d", "#include <x>\n",
          "// x\n", "-- y\n", "\r\n"]


def clean_copyright(text):
    block = re.search(r"/\*.*?\*/", text, re.DOTALL)
    if block:
        found = re.search("[cC][oO][pP][yY][rR][iI\u0130][gG][hH][tT]", block.group())
        return text[:block.start()] + text[block.end():] if found else text
    lines = text.split("\n")
    while lines and (not lines[0] or lines[0].startswith(("//", "#", "--"))):
        lines.pop(0)
    return "\n".join(lines)


def differs(host, rng):
    rows = [texts.pieces_of(rng, PIECES) for _ in range(texts.ROWS)]
    return texts.mapper_differs(host, "clean_copyright_mapper", {}, rows, clean_copyright)
