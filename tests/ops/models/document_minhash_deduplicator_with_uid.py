# SPDX-License-Identifier: Apache-2.0
import near
import texts
from models.document_minhash_deduplicator import params_of


def differs(host, rng):
    wrong = []
    for _ in range(texts.ROWS // 40):
        params, bands, per_band = params_of(rng)
        rows = [{"text": t, "__dj__uid": rng.randrange(-50, 50)} for t in near.similar_texts(rng, 40)]
        first = near.minhash_groups([r["text"] for r in rows], params, bands, per_band)
        best = {}
        for i, row in enumerate(rows):
            best.setdefault(first[i], []).append((row["__dj__uid"], i))
        expected = sorted(min(group)[1] for group in best.values())
        got = near.kept_of(host, "document_minhash_deduplicator_with_uid", params, rows)
        if got != expected:
            wrong.append((params, rows, expected, got))
    return wrong
