# SPDX-License-Identifier: Apache-2.0
import hashlib

import rules
import texts


def normal_form(text, params):
    if params.get("lowercase"):
        text = rules.lower(text)
    if params.get("ignore_non_character"):
        gone = rules.CLASS["space"] | rules.CLASS["digit"] | rules.PUNCTUATION
        text = "".join(c for c in text if c not in gone)
    return rules.strip(text)


def differs(host, rng, name="document_deduplicator"):
    wrong = []
    for _ in range(texts.ROWS // 50):
        params = {"lowercase": rng.random() < 0.5, "ignore_non_character": rng.random() < 0.5}
        pool = [texts.text_of(rng, texts.LETTERS + texts.BLANKS, 12) for _ in range(10)]
        rows = [rng.choice(["", " ", "\u3000", "1"]) + rng.choice([str, str.upper])(
            rng.choice(pool)) + rng.choice(["", "\n", "!"]) for _ in range(50)]
        seen, expected = set(), []
        for text in rows:
            form = normal_form(text, params)
            expected.append(None if form in seen else {"text": text})
            seen.add(form)
        wrong += [(params,) + w for w in
                  texts.compare(host, name, params, rows, expected, batch=7)]
    return wrong


def agrees(host, case):
    """The key is that of the normal form whose MD5 the case gives."""
    if "hash" not in case["expect"]:
        return None
    answer = host.run("document_deduplicator", case["params"], [case["row"]])
    text = case["row"][case["params"].get("text_key", "text")]
    if "__dj__hash" in case["row"]:
        right = case["expect"]["hash"] == case["row"]["__dj__hash"] and bool(answer["keys"])
        return right, answer
    normal = normal_form(text, case["params"])
    if hashlib.md5(normal.encode()).hexdigest() != case["expect"]["hash"]:
        return False, answer
    plain = host.run("document_deduplicator", {}, [{"text": normal}])
    return plain["keys"] == answer["keys"], answer
