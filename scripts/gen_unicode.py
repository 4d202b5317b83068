#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns ops/text/unicode.json into the C tables behind ops/text/unicode.h.

Usage: gen_unicode.py UNICODE_JSON OUTPUT_C

A code point's classes are 16 bits of flags. They stand in blocks of 128 code points; equal
blocks are stored once, and an index of 8,704 entries finds them.
"""
import json
import sys

BLOCK = 128
LIMIT = 0x110000
# The order gives the bits; unicode.h has the same list.
CLASSES = ["special", "strip", "word", "digit", "space", "cased", "ignorable", "lowers", "alnum",
           "punctuation", "py_word", "py_digit"]


def ranges_of(data, name):
    if name == "lowers":
        return [(entry[0], entry[0]) for entry in data["lower"]["map"]]
    return data["sets"][name]["ranges"]


def flag_words(data):
    flags = [0] * LIMIT
    for bit, name in enumerate(CLASSES):
        for first, last in ranges_of(data, name):
            for point in range(first, last + 1):
                flags[point] |= 1 << bit
    return flags


def split_blocks(flags):
    blocks, index = {}, []
    for start in range(0, LIMIT, BLOCK):
        block = tuple(flags[start:start + BLOCK])
        index.append(blocks.setdefault(block, len(blocks)))
    return list(blocks), index


def rows_of(values, width):
    for start in range(0, len(values), width):
        yield "    " + ", ".join(str(v) for v in values[start:start + width]) + ","


def lower_entries(data):
    for entry in data["lower"]["map"]:
        if len(entry) > 3:
            sys.exit(f"unicode.json: U+{entry[0]:04X} lowers to more than two code points, "
                     "which struct pex__lower has no room for")
        yield tuple(entry) + (0,) * (3 - len(entry))


def newer_lines(data):
    for name in ("word", "digit", "punctuation"):
        ranges = data["newer"][name]
        yield f"const size_t pex__unicode_newer_{name}_count = {len(ranges)};"
        yield f"const uint32_t pex__unicode_newer_{name}[][2] = {{"
        yield from rows_of([f"{{{a}, {b}}}" for a, b in ranges], 6)
        yield "};"


def main(source, target):
    with open(source, encoding="utf-8") as file:
        data = json.load(file)
    blocks, index = split_blocks(flag_words(data))
    lower = list(lower_entries(data))
    versions = sorted({data["lower"]["unicode"]} | {s["unicode"] for s in data["sets"].values()})
    out = ["/* SPDX-License-Identifier: Apache-2.0 */",
           "/* Made by scripts/gen_unicode.py from ops/text/unicode.json; versions: "
           + ", ".join(versions) + ". */",
           '#include "unicode.h"', "",
           f"const uint16_t pex__unicode_index[{len(index)}] = {{", *rows_of(index, 20), "};", "",
           f"const uint16_t pex__unicode_flags[{len(blocks)}][{BLOCK}] = {{"]
    for block in blocks:
        out += ["    {", *("    " + line for line in rows_of(block, 20)), "    },"]
    out += ["};", "", f"const size_t pex__unicode_lower_count = {len(lower)};",
            "const struct pex__lower pex__unicode_lower[] = {",
            *(f"    {{{a}, {{{b}, {c}}}}}," for a, b, c in lower), "};",
            "", *newer_lines(data)]
    with open(target, "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
