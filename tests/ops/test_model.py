# SPDX-License-Identifier: Apache-2.0
"""Random rows against the plain models: python3 test_model.py HOST PLUGIN [SHARED_DIR [SEED..]]."""
import random
import sys

import model
from harness import Host, Tap

ROWS = 1000
BLANKS = [chr(c) for c in (0x20, 0x20, 0x0A, 0x09, 0x0B, 0x0C, 0x0D, 0x1C, 0x1F, 0x84, 0x85, 0xA0,
                           0x1680, 0x2000, 0x2009, 0x200B, 0x200D, 0x200E, 0x2028, 0x202F, 0x205F,
                           0x2060, 0x3000, 0x3001, 0xFEFF, 0xFFFC, 0xFFFD)]
LETTERS = list("abzABZ019_-.,!?'\"()#%") + [chr(c) for c in (
    0x00, 0x08, 0x7F, 0xAB, 0xE9, 0x130, 0x131, 0x17F, 0x1C5, 0x23A, 0x301, 0x345, 0x3A3, 0x3C3,
    0x43F, 0x5D0, 0x660, 0x1E9E, 0x2019, 0x201C, 0x2126, 0x212A, 0x2460, 0x4E00, 0x5341, 0xAC00,
    0xE000, 0xFF11, 0x10400, 0x1D7D8, 0x1F600, 0x2F800, 0x10FFFF)]
SURROGATES = [chr(0xD800), chr(0xDBFF), chr(0xDC00), chr(0xDFFF)]
LINK_PIECES = ["http", "https", "www", "WWW", "Www", "w", "ww", "a", "Z", "9", "_", "-", ".", "..",
               ":", ":", "/", "//", "///", "////", "(", ")", "()", "(a)", "((b))", "(a(b)c)", "<",
               ">", " ", "\n", "%", "com", "co.uk", ".org/", ".museum/", "x.yz/", "!", "?", "'",
               "\"", "[", "]", "\u201c", "\u2019", "\u00bb", "\u00e9", "\u4e2d", "\u3002", "\u0660",
               "\u0130", "\u017f", "\u212a", "\u00a0", "\u001c", "\U0001f600", "index", "a-b",
               "1.2.3.4", "mailto:x@y.org", "#", "&", "=", ";", ","]


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


def link_text(rng):
    return "".join(rng.choice(LINK_PIECES) for _ in range(rng.randrange(1, 25)))


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


def filter_differs(host, rng, operator, measure, names, key):
    wrong = []
    for _ in range(ROWS // 50):
        texts = [text_of(rng, LETTERS + BLANKS + SURROGATES) for _ in range(50)]
        values = [measure(t) for t in texts]
        params, low, high = interval_params(rng, names, values + [0, -3, 2 ** 63 - 1, -2 ** 63])
        for stats in (True, False):
            expected = []
            for text, value in zip(texts, values):
                row = {"text": text, "__dj__stats__": {key: value}} if stats else {"text": text}
                expected.append(row if model.keeps(value, low, high, params) else None)
            wrong += [(params,) + w for w in
                      compare(host, operator, params, texts, expected, stats=stats)]
    return wrong


def length_differs(host, rng):
    return filter_differs(host, rng, "text_length_filter", model.text_length,
                          ("min_len", "max_len"), "text_len")


def words_differs(host, rng):
    return filter_differs(host, rng, "words_num_filter", model.words_num, ("min_num", "max_num"),
                          "num_words")


def whitespace_differs(host, rng):
    texts = [text_of(rng, BLANKS * 2 + LETTERS + SURROGATES) for _ in range(ROWS)]
    expected = [{"text": model.whitespace_normalization(t)} for t in texts]
    return compare(host, "whitespace_normalization_mapper", {}, texts, expected, batch=100)


def links_differs(host, rng):
    texts = [link_text(rng) for _ in range(ROWS)]
    wrong = []
    for params, replace in (({}, lambda link: ""), ({"repl": "<\\1>"}, lambda link: f"<{link}>"),
                            ({"repl": "\\\\\\g<0>\\x41"}, lambda link: f"\\{link}A")):
        expected = [{"text": model.clean_links(t, replace)} for t in texts]
        wrong += compare(host, "clean_links_mapper", params, texts, expected, batch=100)
    return wrong


def duplicates_differ(host, rng):
    wrong = []
    for _ in range(ROWS // 50):
        params = {"lowercase": rng.random() < 0.5, "ignore_non_character": rng.random() < 0.5}
        pool = [text_of(rng, LETTERS + BLANKS, 12) for _ in range(10)]
        texts = [rng.choice(["", " ", "\u3000", "1"]) + rng.choice([str, str.upper])(
            rng.choice(pool)) + rng.choice(["", "\n", "!"]) for _ in range(50)]
        seen, expected = set(), []
        for text in texts:
            form = model.normal_form(text, params)
            expected.append(None if form in seen else {"text": text})
            seen.add(form)
        wrong += [(params,) + w for w in
                  compare(host, "document_deduplicator", params, texts, expected, batch=7)]
    return wrong


def main(program, plugin, shared="", *seeds):
    host, tap = Host(program, plugin), Tap()
    for seed in map(int, seeds or (1, 2)):
        for name, differs in (("text_length_filter", length_differs),
                              ("words_num_filter", words_differs),
                              ("whitespace_normalization_mapper", whitespace_differs),
                              ("clean_links_mapper", links_differs),
                              ("document_deduplicator", duplicates_differ)):
            wrong = differs(host, random.Random(seed))
            tap.check(not wrong, f"{name} does what the model does, seed {seed}",
                      "\n".join(str(w)[:300] for w in wrong[:3]) + f"\n{len(wrong)} differ")
    tap.check(host.close() == 0, "the host ends clean")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
