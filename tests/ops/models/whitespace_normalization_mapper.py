# SPDX-License-Identifier: Apache-2.0
import rules
import texts

BLANKS = set(map(chr, [9, 0x84, 0xA0, *range(0x2000, 0x200E), 0x202F, 0x205F, 0x2060, 0x3000,
                       0xFFFC]))


def whitespace_normalization(text):
    return "".join(" " if c in BLANKS else c for c in rules.strip(text))


def differs(host, rng):
    rows = [texts.text_of(rng, texts.BLANKS * 2 + texts.LETTERS + texts.SURROGATES)
            for _ in range(texts.ROWS)]
    expected = [{"text": whitespace_normalization(t)} for t in rows]
    return texts.compare(host, "whitespace_normalization_mapper", {}, rows, expected, batch=100)
