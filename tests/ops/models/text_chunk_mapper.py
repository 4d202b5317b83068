# SPDX-License-Identifier: Apache-2.0
import re

import texts

PATTERNS = ["\n\n", "\n", " ", r"\s+", "[.!?] *", "(,)", "(a)|(b)", "", "x*", r"(?<=\.)", "a|", r"\d"]
LETTERS = list("aab,, ..!xx\n\n12") + ["\u4e2d", "\U0001f600", "\u3000", "\u0301", "\ud83d"]


def cut(text, pattern, max_len, overlap):
    chunks = []
    while len(text) > max_len:
        window = text[:max_len]
        matches = list(re.finditer(pattern, window))
        if matches and matches[-1].end() == 0:
            return None
        chunks.append(window[:matches[-1].start()] if matches else window)
        text = text[matches[-1].end():] if matches else text[max_len - overlap:]
    return [c for c in chunks if c.strip()] + [text]


def chunks_of(text, pattern, max_len, overlap):
    if max_len is None:
        return [c for c in re.split(pattern, text) if c and c.strip()]
    if pattern is not None:
        return cut(text, pattern, max_len, overlap)
    if len(text) <= max_len:
        return [text]
    return [text[i:i + max_len] for i in range(0, len(text), max_len - overlap)]


def differs(host, rng):
    wrong = []
    for _ in range(40):
        max_len = rng.choice([None, 1, 2, 5, 12, 40])
        pattern = rng.choice(PATTERNS + ([] if max_len is None else [None, None]))
        overlap = rng.randrange(max_len) if max_len and rng.random() < 0.5 else 0
        params = {"max_len": max_len, "split_pattern": pattern, "overlap_len": overlap}
        rows = [texts.text_of(rng, LETTERS, 120) for _ in range(texts.ROWS // 40)]
        for text in rows:
            expected = chunks_of(text, pattern, max_len, overlap)
            answer = host.run("text_chunk_mapper", params, [{"text": text, "k": [1]}])
            got = [row for _, row in answer["rows"]] if "rows" in answer else answer
            if expected is None:
                right = got == [] and "start" in answer["failed"][0][2]
            else:
                right = got == [{"text": c, "k": [1]} for c in expected]
            if not right:
                wrong.append((params, ascii(text), ascii(expected), ascii(got)))
    return wrong
