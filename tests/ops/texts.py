# SPDX-License-Identifier: Apache-2.0
"""Random texts, and rows of them given to an operator and to its rules."""
import rules

ROWS = 1000
BLANKS = [chr(c) for c in (0x20, 0x20, 0x0A, 0x09, 0x0B, 0x0C, 0x0D, 0x1C, 0x1F, 0x84, 0x85, 0xA0,
                           0x1680, 0x2000, 0x2009, 0x200B, 0x200D, 0x200E, 0x2028, 0x202F, 0x205F,
                           0x2060, 0x3000, 0x3001, 0xFEFF, 0xFFFC, 0xFFFD)]
LETTERS = list("abzABZ019_-.,!?'\"()#%") + [chr(c) for c in (
    0x00, 0x08, 0x7F, 0xAB, 0xE9, 0x130, 0x131, 0x17F, 0x1C5, 0x23A, 0x301, 0x345, 0x3A3, 0x3C3,
    0x43F, 0x5D0, 0x660, 0x1E9E, 0x2019, 0x201C, 0x2126, 0x212A, 0x2460, 0x4E00, 0x5341, 0xAC00,
    0xE000, 0xFF11, 0x10400, 0x1D7D8, 0x1F600, 0x2F800, 0x10FFFF)]
SURROGATES = [chr(0xD800), chr(0xDBFF), chr(0xDC00), chr(0xDFFF)]


def text_of(rng, letters, longest=200):
    text = letters_of(rng, letters, longest)
    # JSON has no way to write two halves side by side that are not a pair.
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def letters_of(rng, letters, longest):
    length = rng.choice([0, 1, 2, 3, rng.randrange(1, 30), rng.randrange(1, longest)])
    if rng.random() < 0.3:
        letters = rng.sample(letters, min(len(letters), 3))
    if rng.random() < 0.3:
        plain = [rng.choice("abcdefgh \n") for _ in range(length)]
        for _ in range(rng.randrange(3)):
            plain.insert(rng.randrange(len(plain) + 1), rng.choice(letters))
        return "".join(plain)
    return "".join(rng.choice(letters) for _ in range(length))


def interval_params(rng, names, values):
    low, high = rng.choice(values), rng.choice(values)
    params = {names[0]: low, names[1]: high}
    for flag in ("min_closed_interval", "max_closed_interval", "reversed_range"):
        if rng.random() < 0.3:
            params[flag] = rng.random() < 0.5
    return params, low, high


def compare(host, operator, params, texts, expected, **more):
    """Rows that differ; an expected None is a row that goes or fails."""
    answer = host.run(operator, params, [{"text": t, "id": i} for i, t in enumerate(texts)], **more)
    if "error" in answer:
        return [answer]
    got = dict(answer["rows"])
    return [(ascii(t), ascii(e), ascii(got.get(i))) for i, (t, e) in enumerate(zip(texts, expected))
            if got.get(i) != (None if e is None else {**e, "id": i})]


def filter_differs(host, rng, operator, measure, names, key, ratios=False, letters=None, make=None,
                   **more):
    wrong = []
    for _ in range(ROWS // 50):
        texts = [make(rng) if make else text_of(rng, letters or LETTERS + BLANKS + SURROGATES)
                 for _ in range(50)]
        values = [measure(t) for t in texts]
        if ratios:
            params, low, high = interval_params(rng, names, values + [0.0, 0.25, -1.5, 1e300])
        else:
            params, low, high = interval_params(rng, names, values + [0, -3, 2 ** 63 - 1, -2 ** 63])
        params.update(more)
        for stats in (True, False):
            expected = []
            for text, value in zip(texts, values):
                row = {"text": text, "__dj__stats__": {key: value}} if stats else {"text": text}
                expected.append(row if rules.keeps(value, low, high, params) else None)
            wrong += [(params,) + w for w in
                      compare(host, operator, params, texts, expected, stats=stats)]
    return wrong


def pieces_of(rng, pieces, longest=25):
    """A text of some of the pieces."""
    if rng.random() < 0.3:
        pieces = rng.sample(pieces, min(len(pieces), 6))
    return "".join(rng.choice(pieces) for _ in range(rng.randrange(longest)))


def mapper_differs(host, operator, params, rows, model):
    """Rows on which a mapper and its model, a function of the text, differ."""
    expected = [{"text": model(t)} for t in rows]
    return compare(host, operator, params, rows, expected, batch=100)


WORDS = ["the", "The", "lo", "ke", "(lo)", "lo,", "...", "42", "\u00c9t\u00e9", "\u00e9t\u00e9",
         "\u4e2d",
         "\u039f\u03a3", "\u03bf\u03c2", "lo-ke", "loke", "!", "http://x.com/y", "www",
         "x\u00a0y", "a",
         "\u0130", "longestwordofthemall", "\U0001f600b\U0001f600"]
BETWEEN = [" ", " ", " ", "  ", "\n", "\t", " \n", "\n\n", "\t ", "\r\n", "\u3000"]


def words_of(rng, longest=40):
    """A text of words of which many come again."""
    words = rng.sample(WORDS, rng.randrange(1, 8))
    text = rng.choice(["", "", " ", "\n"])
    for _ in range(rng.randrange(longest)):
        text += rng.choice(words) + rng.choice(BETWEEN)
    return text
