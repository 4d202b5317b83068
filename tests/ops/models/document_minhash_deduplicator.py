# SPDX-License-Identifier: Apache-2.0
import near
import texts

NAME = "document_minhash_deduplicator"
# Bands that are given, as the choice of the operator is not what a plain rule would be.
CHOICES = [(16, 4, 4), (16, 3, 5), (12, 12, 1), (32, 4, 8), (16, 8, 4)]


def params_of(rng):
    permutations, bands, rows = rng.choice(CHOICES)
    params = {"num_permutations": permutations, "num_bands": bands, "num_rows_per_band": rows,
              "window_size": rng.choice([1, 2, 3, 5]), "lowercase": rng.random() < 0.5,
              "tokenization": rng.choice(["space", "character", "punctuation"])}
    if rng.random() < 0.3:
        params["ignore_pattern"] = r"\d+"
    return params, bands, rows


def differs(host, rng, name=NAME):
    wrong = []
    for _ in range(texts.ROWS // 40):
        params, bands, per_band = params_of(rng)
        rows = near.similar_texts(rng, 40)
        keeps = rng.random() < 0.3
        alone = [i for i, t in enumerate(rows) if keeps and not near.shingles(t, params, 5)]
        others = [i for i in range(len(rows)) if i not in alone]
        first = near.minhash_groups([rows[i] for i in others], params, bands, per_band)
        expected = sorted(alone + [others[i] for i in range(len(others)) if first[i] == i])
        got = near.kept_of(host, name, {**params, "keep_unshinglable": keeps},
                           [{"text": t} for t in rows])
        if got != expected:
            wrong.append((params, keeps, ascii(rows), expected, got))
    return wrong


def agrees(host, case):
    """A signature is told by the keys of its bands."""
    expect = case["expect"]
    if "signature" not in expect:
        return None
    answer = host.run(NAME, case["params"], [case["row"]])
    keys = near.band_keys(expect["signature"], expect["num_bands"], expect["num_rows_per_band"])
    if not near.shingles(case["row"]["text"], case["params"], 5):
        keys.append("00")
    right = [key for _, key in answer.get("keys", [])] == keys
    values = near.signature(case["row"]["text"], case["params"])
    return right and values[:len(expect["signature"])] == expect["signature"], answer
