# SPDX-License-Identifier: Apache-2.0
from facts import HALF, failure, kept

NAMES = ("document_minhash_deduplicator", "ray_bts_minhash_deduplicator",
         "document_minhash_deduplicator_with_uid")


def rows(texts):
    return [{"text": t, "__dj__uid": i} for i, t in enumerate(texts)]


def test_short_texts_are_all_alike_unless_they_are_kept(host, tap):
    texts = ["a", "b c", "", "a b c d e f", "d"]
    for name in NAMES:
        for keep, want in ((False, [0, 3]), (True, [0, 1, 2, 3, 4])):
            answer = host.run(name, {"keep_unshinglable": keep}, rows(texts))
            got = [i for i, _ in answer["rows"]]
            tap.check(got == want, f"{name}: keep_unshinglable {keep}", str(got))
            tap.check(answer["notes"] == ({} if keep else {"without_shingles": 4}),
                      f"{name}: their number is noted", str(answer["notes"]))


def test_no_rows_and_one_row(host, tap):
    for name in NAMES:
        for texts in ([], ["a"], ["a b c d e f g"]):
            got = [i for i, _ in host.run(name, {}, rows(texts))["rows"]]
            tap.check(got == list(range(len(texts))), f"{name}: {texts}", str(got))


def test_parameters_that_cannot_be_are_refused(host, tap):
    for name in NAMES:
        for params in ({"tokenization": "word"}, {"tokenization": "sentencepiece"}, {"window_size": 0},
                       {"num_permutations": 0}, {"num_permutations": 1000000},
                       {"jaccard_threshold": 1.5}, {"jaccard_threshold": -0.1}, {"num_bands": 0},
                       {"num_rows_per_band": 0}, {"ignore_pattern": "("}):
            message = failure(host, name, params, {"text": "a", "__dj__uid": 1})
            tap.check(next(iter(params)) in message, f"{name}: {params}", message)


def test_rows_that_cannot_be_compared_fail(host, tap):
    for name in NAMES:
        message = failure(host, name, {}, {"text": "a" + HALF, "__dj__uid": 1})
        tap.check("surrogate" in message, f"{name}: half a pair", message)
    for uid in (None, "1", 1.5, [1]):
        message = failure(host, NAMES[2], {}, {"text": "a", "__dj__uid": uid})
        tap.check("__dj__uid" in message, f"a uid of {uid!r}", message)
    message = failure(host, NAMES[2], {}, {"text": "a"})
    tap.check("__dj__uid" in message, "no uid", message)


def test_of_a_group_the_least_uid_stays(host, tap):
    for uids, want in (([9, 2, 5], [1]), ([5, 5, 5], [0]), ([2 ** 63 - 1, -2 ** 63, 0], [1]),
                       ([3, 2, 1], [2])):
        data = [{"text": "z dev", "__dj__uid": uid} for uid in uids]
        got = [i for i, _ in host.run(NAMES[2], {}, data)["rows"]]
        tap.check(got == want, f"uids {uids}", str(got))


def test_many_rows_take_several_walks(host, tap):
    """The fake host has memory for a few thousand hashes."""
    texts = [f"row {i % 4000} of many that are not alike, {i % 4000} {i % 4000}" for i in range(6000)]
    first = len(set(texts))
    for bands, per_band in ((1, 256), (2, 128)):
        got = kept(host, NAMES[0], {"num_permutations": 256, "num_bands": bands,
                                    "num_rows_per_band": per_band, "window_size": 1}, texts,
                   batch=500)
        tap.check(got == list(range(first)), f"{bands} bands: each text once", str(len(got)))


def test_what_stays_does_not_depend_on_memory_or_batches(host, tap):
    data = rows([" ".join(f"w{(i * 7 + k) % 61}" for k in range(8 + i % 3)) for i in range(300)])
    params = {"num_permutations": 64, "jaccard_threshold": 0.5}
    for name in NAMES:
        answers = [host.run(name, params, data, batch=batch, keys_memory=memory)["rows"]
                   for batch, memory in ((1000, 1 << 20), (7, 64 << 10), (64, 18 << 10))]
        tap.check(answers[0] == answers[1] == answers[2] and len(answers[0]) < 300,
                  f"{name}: one walk, several, parts of a band", [len(a) for a in answers])
        answer = host.run(name, params, data, keys_memory=16 << 10)
        tap.check("memory_limit" in answer["error"]["message"], f"{name}: too little is refused",
                  answer)


def test_uids_with_little_memory(host, tap):
    uids = [(i * 37) % 3001 for i in range(3000)]
    data = [{"text": " ".join(f"{i % 1500}{c}" for c in "abcdefg"), "__dj__uid": uids[i]}
            for i in range(3000)]
    want = [i for i in range(3000) if uids[i] < uids[(i + 1500) % 3000]]
    for memory in (1 << 20, 40 << 10):
        got = [i for i, _ in host.run(NAMES[2], {}, data, keys_memory=memory)["rows"]]
        tap.check(got == want, f"{memory} bytes", len(got))
    message = failure(host, NAMES[2], {}, {"text": "a", "__dj__uid": 2 ** 64})
    tap.check("__dj__uid" in message, "more than 64 bits", message)
