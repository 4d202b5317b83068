# SPDX-License-Identifier: Apache-2.0
import re

import texts

PIECES = ["\\newcommand{\\a}{", "\\newcommand*{\\b}{", "\\def\\a{", "\\def \\c\n{",
          "\\newcommand{\\ab}{",
          "\\def\\b1{", "}\n", "}\n", "}", "{", "\\a", "\\a", "\\b", "\\ab", "\\b1", "\\c",
          "\\c\n", "x",
          "b", "1", " ", "\n", "\\", "\\\\", "\u4e2d", "[1]", "\\def\\a{\\b \\a}\n",
          "\\def\\ax{}\n",
          "\\newcommand{\\c}{x1}\n"]
NEWCOMMAND = re.compile(r"\\newcommand\*?\{(\\[a-zA-Z0-9]+?)\}\{(.*?)\}$", re.MULTILINE)
DEF = re.compile(r"\\def\s*(\\[a-zA-Z0-9]+?)\s*\{(.*?)\}$", re.MULTILINE)


def expand(text):
    macros = {}
    for pattern in (NEWCOMMAND, DEF):
        for found in pattern.finditer(text):
            macros[found.group(1)] = found.group(2)
    for name, value in macros.items():
        text = re.sub("(" + re.escape(name) + ")([^a-zA-Z0-9])",
                      lambda found, v=value: v + found.group(2), text)
    return text


def differs(host, rng):
    rows = [texts.pieces_of(rng, PIECES, 30) for _ in range(2 * texts.ROWS)]
    return texts.mapper_differs(host, "expand_macro_mapper", {}, rows, expand)
