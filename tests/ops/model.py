# SPDX-License-Identifier: Apache-2.0
"""The rules of the text operators in plain Python, as slow and as short as they can be.

Only the tables of ops/text/unicode.json are shared with the operators under test.
"""
import json
import os
import re

BOUNDS = [("min_len", "max_len"), ("min_num", "max_num")]
BOUND_PREFIX = {"text_length_filter": "min_len", "words_num_filter": "min_num"}

_SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../ops/text/unicode.json")
with open(_SOURCE, encoding="utf-8") as _file:
    _DATA = json.load(_file)
CLASS = {name: {chr(c) for a, b in entry["ranges"] for c in range(a, b + 1)}
         for name, entry in _DATA["sets"].items()}
LOWER = {chr(e[0]): "".join(map(chr, e[1:])) for e in _DATA["lower"]["map"]}
BLANKS = set(map(chr, [9, 0x84, 0xA0, *range(0x2000, 0x200E), 0x202F, 0x205F, 0x2060, 0x3000,
                       0xFFFC]))
PUNCTUATION = set("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


def strip(text):
    start, end = 0, len(text)
    while start < end and text[start] in CLASS["strip"]:
        start += 1
    while end > start and text[end - 1] in CLASS["strip"]:
        end -= 1
    return text[start:end]


def text_length(text):
    return len(text)


def words_num(text):
    return sum(any(c not in CLASS["special"] for c in word) for word in re.split("[ \n\t]", text))


def keeps(value, low, high, params):
    low_closed = params.get("min_closed_interval", True)
    high_closed = params.get("max_closed_interval", True)
    reverse = params.get("reversed_range", False)
    if reverse:
        low_closed, high_closed = not low_closed, not high_closed
    inside = (value >= low if low_closed else value > low) and \
             (value <= high if high_closed else value < high)
    return inside != reverse


def whitespace_normalization(text):
    return "".join(" " if c in BLANKS else c for c in strip(text))


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


def normal_form(text, params):
    if params.get("lowercase"):
        text = lower(text)
    if params.get("ignore_non_character"):
        gone = CLASS["space"] | CLASS["digit"] | PUNCTUATION
        text = "".join(c for c in text if c not in gone)
    return strip(text)


# The link pattern, matched at a position by trying every way there is. A matcher is a function
# from a position to all ends, so nothing here is clever about order except where it says so.

LETTERS = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ\u0130\u017f\u212a")
DIGITS = set("0123456789")
NOT_GOOD = set("`!()[]{};:'\".,<>?\u00ab\u00bb\u201c\u201d\u2018\u2019")


def _is_unit(c):
    return c not in CLASS["space"] and c not in "()<>"


def _group_end(text, at, depth=0):
    """The end of a parenthesis group at `at`, nested twice at most; None without one."""
    if text[at:at + 1] != "(" or depth > 1:
        return None
    at += 1
    items = 0
    while at < len(text) and text[at] != ")":
        if _is_unit(text[at]):
            while at < len(text) and _is_unit(text[at]):
                at += 1
        else:
            at = _group_end(text, at, depth + 1) if depth == 0 else None
            if at is None:
                return None
        items += 1
    if at == len(text) or (depth == 1 and not items):
        return None
    return at + 1


def _units_end(text, at):
    """The longest run of two or more units that ends in a group or a good character."""
    best, count = None, 0
    while at < len(text):
        end = _group_end(text, at)
        good = end is not None
        if end is None:
            if not _is_unit(text[at]):
                break
            end, good = at + 1, text[at] not in NOT_GOOD
        count += 1
        at = end
        if count >= 2 and good:
            best = at
    return best


def _head_ends(text, at):
    """Ends of the heads that start at `at`, in the order in which they are tried."""
    if text[at] in LETTERS:
        end = at + 1
        while end < len(text) and (text[end] in CLASS["word"] or text[end] == "-"):
            end += 1
        if end - at >= 2 and text[end:end + 1] == ":":
            slashes = 0
            while slashes < 3 and text[end + 1 + slashes:end + 2 + slashes] == "/":
                slashes += 1
            yield from (end + 1 + n for n in range(slashes, 0, -1))
            if text[end + 1:end + 2] in LETTERS | DIGITS | {"%"}:
                yield end + 2
    if text[at:at + 3].lower() == "www":
        for digits in (3, 2, 1, 0):
            part = text[at + 3:at + 3 + digits]
            if len(part) == digits and all(c in CLASS["digit"] for c in part) and \
                    text[at + 3 + digits:at + 4 + digits] == ".":
                yield at + 4 + digits
    end = at
    while end < len(text) and text[end] in LETTERS | DIGITS | set(".-"):
        end += 1
    for dot in range(end - 1, at, -1):
        size = 0
        while text[dot + 1 + size:dot + 2 + size] in LETTERS:
            size += 1
        if text[dot] == "." and 2 <= size <= 4 and text[dot + 1 + size:dot + 2 + size] == "/":
            yield dot + 2 + size


def _is_boundary(text, at):
    before = at > 0 and text[at - 1] in CLASS["word"]
    return before != (at < len(text) and text[at] in CLASS["word"])


def clean_links(text, replace):
    """replace: a function from the link to what stands in its place."""
    out, at = [], 0
    while at < len(text):
        end = None
        if _is_boundary(text, at):
            for head in _head_ends(text, at):
                end = _units_end(text, head)
                if end is not None:
                    break
        if end is None:
            out.append(text[at])
            at += 1
        else:
            out.append(replace(text[at:end]))
            at = end
    return "".join(out)
