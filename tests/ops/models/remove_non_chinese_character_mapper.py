# SPDX-License-Identifier: Apache-2.0
import string

import texts

PUNCTUATION = set(".\uff0c ,\u3002-%\u300a*\u300b/\u2022\u3001&\uff06(\u2014)\uff08+\uff09"
                  "\uff1a\uff1f!\uff01\u201c\u201d\u00b7")


def keep(text, params):
    kept = set()
    if params["keep_alphabet"]:
        kept |= set(string.ascii_letters)
    if params["keep_number"]:
        kept |= set(string.digits)
    if params["keep_punc"]:
        kept |= PUNCTUATION
    return "".join(c for c in text if "\u4e00" <= c <= "\u9fa5" or c in kept)


def differs(host, rng):
    letters = list(PUNCTUATION) + list("\u4dff\u4e00\u9fa5\u9fa6\u4e2d\u56fd\uff1b?\n")
    wrong = []
    for _ in range(10):
        params = {k: rng.random() < 0.5 for k in ("keep_alphabet", "keep_number", "keep_punc")}
        rows = [texts.text_of(rng, letters + texts.LETTERS + texts.SURROGATES)
                for _ in range(texts.ROWS // 10)]
        expected = [{"text": keep(t, params)} for t in rows]
        wrong += texts.compare(host, "remove_non_chinese_character_mapper", params, rows, expected)
    return wrong
