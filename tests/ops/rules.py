# SPDX-License-Identifier: Apache-2.0
"""What the rules of several text operators share, in plain Python, as slow and as short as can be.

Only the tables of ops/text/unicode.json are shared with the operators under test.
"""
import json
import os

_SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../ops/text/unicode.json")
with open(_SOURCE, encoding="utf-8") as _file:
    _DATA = json.load(_file)
CLASS = {name: {chr(c) for a, b in entry["ranges"] for c in range(a, b + 1)}
         for name, entry in _DATA["sets"].items()}
LOWER = {chr(e[0]): "".join(map(chr, e[1:])) for e in _DATA["lower"]["map"]}
LINE_ENDS = set("\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029")
PUNCTUATION = set("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


def strip(text):
    start, end = 0, len(text)
    while start < end and text[start] in CLASS["strip"]:
        start += 1
    while end > start and text[end - 1] in CLASS["strip"]:
        end -= 1
    return text[start:end]


def splitlines(text):
    """Lines without their ends; CR LF is one end."""
    lines, line, at = [], "", 0
    while at < len(text):
        if text[at] in LINE_ENDS:
            at += text[at:at + 2] == "\r\n"
            lines.append(line)
            line = ""
        else:
            line += text[at]
        at += 1
    return lines + [line] if line else lines


def keeps(value, low, high, params):
    low_closed = params.get("min_closed_interval", True)
    high_closed = params.get("max_closed_interval", True)
    reverse = params.get("reversed_range", False)
    if reverse:
        low_closed, high_closed = not low_closed, not high_closed
    inside = (value >= low if low_closed else value > low) and \
             (value <= high if high_closed else value < high)
    return inside != reverse


def lower(text):
    out = []
    for i, c in enumerate(text):
        if c != "\u03a3":
            out.append(LOWER.get(c, c))
            continue
        before = [x for x in text[:i] if x not in CLASS["ignorable"]]
        after = [x for x in text[i + 1:] if x not in CLASS["ignorable"]]
        is_final = before and before[-1] in CLASS["cased"] and \
            not (after and after[0] in CLASS["cased"])
        out.append("\u03c2" if is_final else "\u03c3")
    return "".join(out)


def strip_special(word):
    start, end = 0, len(word)
    while start < end and word[start] in CLASS["special"]:
        start += 1
    while end > start and word[end - 1] in CLASS["special"]:
        end -= 1
    return word[start:end]


def words(text):
    """What stands between blanks, tabs and line feeds, without special characters at the ends."""
    found = [strip_special(w) for w in text.replace("\n", " ").replace("\t", " ").split(" ")]
    return [w for w in found if w]


def without_words(text, keeps):
    """The words that stay, with their line feeds, else tabs, else blanks between them."""
    lines = [[[w for w in part.split(" ") if w and keeps(w)] for part in line.split("\t")]
             for line in text.split("\n")]
    lines = [[" ".join(part) for part in line if part] for line in lines]
    return "\n".join("\t".join(line) for line in lines if line)
