# SPDX-License-Identifier: Apache-2.0
import texts

DEFAULT = "\u25c6\u25cf\u25a0\u25ba\u25bc\u25b2\u25b4\u2206\u25bb\u25b7\u2756\u2661\u25a1"


def differs(host, rng):
    letters = texts.LETTERS + texts.BLANKS + list(DEFAULT)
    wrong = []
    for i in range(10):
        chosen = rng.sample(letters, rng.randrange(8))
        params = {} if i == 0 else {"chars_to_remove": rng.choice([chosen, "".join(chosen)])}
        gone = set(params.get("chars_to_remove", DEFAULT))
        rows = [texts.text_of(rng, letters) for _ in range(texts.ROWS // 10)]
        expected = [{"text": "".join(c for c in t if c not in gone)} for t in rows]
        wrong += texts.compare(host, "remove_specific_chars_mapper", params, rows, expected)
    return wrong
