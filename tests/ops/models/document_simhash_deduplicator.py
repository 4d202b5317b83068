# SPDX-License-Identifier: Apache-2.0
import struct

import near
import texts

NAME = "document_simhash_deduplicator"


def pairs(hashes, distance):
    return [(i, k) for i in range(len(hashes)) for k in range(i)
            if bin(hashes[i] ^ hashes[k]).count("1") <= distance]


def differs(host, rng):
    wrong = []
    for number in range(texts.ROWS // 40):
        distance = rng.randrange(1, 9)
        params = {"window_size": rng.choice([1, 2, 6]), "lowercase": rng.random() < 0.5,
                  "tokenization": rng.choice(["space", "character", "punctuation"]),
                  "hamming_distance": distance, "num_blocks": distance + rng.randrange(1, 4)}
        rows = [{"text": t} for t in near.similar_texts(rng, 40)]
        hashes = [near.simhash(r["text"], params) for r in rows]
        if number % 2:
            base = [rng.getrandbits(64) for _ in range(6)]
            hashes = [rng.choice(base) ^ sum(1 << rng.randrange(64) for _ in range(rng.randrange(9)))
                      & (1 << 64) - 1 for _ in rows]
            rows = [{"text": "", "__dj__simhash": str(h)} for h in hashes]
        first = near.groups(len(rows), pairs(hashes, distance))
        got = near.kept_of(host, NAME, params, rows)
        if got != [i for i in range(len(rows)) if first[i] == i]:
            wrong.append((params, ascii(rows), first, got))
    return wrong


def agrees(host, case):
    if "simhash" not in case["expect"]:
        return None
    answer = host.run(NAME, case["params"], [case["row"]])
    value = int(case["expect"]["simhash"])
    right = [key[:16] for _, key in answer.get("keys", [])] == [struct.pack("<Q", value).hex()]
    return right and near.simhash(case["row"]["text"], case["params"]) == value, answer
