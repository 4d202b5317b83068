# SPDX-License-Identifier: Apache-2.0
"""Patterns put together from parts on which all of Python's modules agree, by the standard one."""
import re

import texts

ATOMS = ["a", "b", "ab", ".", r"\.", "[ab]", "[^a]", "[a-c1-3]", r"\d", r"\w", r"\s", r"\D", r"\W",
         r"\S", r"[\w.]", r"[^\d\s]", "^", "$", r"\b", r"\A", r"\Z", "(a)", "(?:ab|b)", "(b|)",
         "(?=a)", "(?!b)", "(?<=a)", "(?<!b)", r"\n", "\u4e2d", r"\u4e2d", "[\u00e9-\u4e2d]", " ", "-",
         "(?P<x>1)", r"\x41", "[]a]", "[^]]", r"\-", "}", "#", "(?#note)"]
REPEATS = ["", "", "", "*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{,2}", "{2,}", "{2}?"]
REPLS = ["", "<>", r"[\g<0>]", r"\\", r"\n", "$1", "{}"]
LETTERS = list("aabbc123AB .-\n\r\t_#}") + ["\u4e2d", "\u00e9", "\u00a0", "\u0130"]
ANCHORS = ("^", "$", r"\b", r"\A", r"\Z", "(?=a)", "(?!b)", "(?<=a)", "(?<!b)", "(?#note)")


def pattern_of(rng):
    parts, names = [], 0
    for _ in range(rng.randrange(1, 5)):
        atom = rng.choice(ATOMS)
        if atom == "(?P<x>1)":
            names += 1
            atom = atom.replace("x", f"x{names}")
        parts.append(atom + ("" if atom in ANCHORS else rng.choice(REPEATS)))
        if rng.random() < 0.15:
            parts.append("|")
    return rng.choice(["", "", "(?i)", "(?m)"]) + "".join(parts)


def usable(pattern):
    try:
        return bool(re.compile(pattern, re.DOTALL)) and pattern not in ("", "(?i)", "(?m)")
    except re.error:
        return False


def differs(host, rng):
    wrong = []
    for _ in range(60):
        count = rng.choice([1, 1, 1, 2, 3])
        patterns = [p for p in (pattern_of(rng) for _ in range(count)) if usable(p)]
        if not patterns:
            continue
        repls = [rng.choice(REPLS) for _ in patterns]
        params = {"pattern": patterns, "repl": repls}
        if len(patterns) == 1 and rng.random() < 0.5:
            params = {"pattern": patterns[0], "repl": repls[0]}
        rows = [texts.text_of(rng, LETTERS, 60) for _ in range(texts.ROWS // 50)]

        def model(text):
            for pattern, repl in zip(patterns, repls):
                text = re.sub(pattern, repl, text, flags=re.DOTALL)
            return text

        wrong += [(ascii(params),) + (w if isinstance(w, tuple) else (w,)) for w in texts.mapper_differs(
            host, "replace_content_mapper", params, rows, model)]
    return wrong
