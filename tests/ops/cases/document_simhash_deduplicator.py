# SPDX-License-Identifier: Apache-2.0
from facts import HALF, failure, kept

NAME = "document_simhash_deduplicator"


def test_blocks_must_be_more_than_the_distance(host, tap):
    for params in ({"num_blocks": 4}, {"num_blocks": 6, "hamming_distance": 6},
                   {"num_blocks": 3, "hamming_distance": 5}):
        message = failure(host, NAME, params, {"text": "a"})
        tap.check("num_blocks" in message and "hamming_distance" in message, f"{params}", message)
    for params in ({"num_blocks": 0}, {"num_blocks": 65}, {"hamming_distance": -1},
                   {"tokenization": "word"}, {"window_size": 0}, {"ignore_pattern": "["}):
        message = failure(host, NAME, params, {"text": "a"})
        tap.check(next(iter(params)) in message, f"{params}", message)


def test_short_texts_are_all_alike_unless_they_are_kept(host, tap):
    texts = ["a", "b c", "", "one two three four five six seven", "d"]
    for keep, want in ((False, [0, 3]), (True, [0, 1, 2, 3, 4])):
        answer = host.run(NAME, {"keep_unshinglable": keep}, [{"text": t} for t in texts])
        got = [i for i, _ in answer["rows"]]
        tap.check(got == want, f"keep_unshinglable {keep}", str(got))
        tap.check(answer["notes"] == ({} if keep else {"without_shingles": 4}),
                  "their number is noted", str(answer["notes"]))
    for texts in ([], ["a"]):
        got = kept(host, NAME, {}, texts)
        tap.check(got == list(range(len(texts))), f"{texts}", str(got))


def test_a_hash_that_is_given_counts(host, tap):
    rows = [{"text": "a b c d e f g", "__dj__simhash": v} for v in ("0", "31", "15", "240")]
    got = [i for i, _ in host.run(NAME, {}, rows)["rows"]]
    tap.check(got == [0], "15 and 31 are near, 0 and 240 too", str(got))
    for value in ("", "-1", "1x", "18446744073709551616", " 1"):
        message = failure(host, NAME, {}, {"text": "a", "__dj__simhash": value})
        tap.check("__dj__simhash" in message, f"{value!r}", message)
    message = failure(host, NAME, {}, {"text": HALF})
    tap.check("surrogate" in message, "half a pair", message)


def given(host, numbers, params={}, **more):
    rows = [{"text": "", "__dj__simhash": str(n)} for n in numbers]
    return [i for i, _ in host.run(NAME, params, rows, **more)["rows"]]


def test_distances(host, tap):
    base = 0x0123456789ABCDEF
    for distance in (0, 1, 4, 11, 63):
        params = {"hamming_distance": distance, "num_blocks": 64}
        spread = sum(1 << (5 * i % 64) for i in range(distance))
        near, far = base ^ spread, base ^ (spread | 1 << 63 if distance < 63 else 2 ** 64 - 1)
        got = given(host, [base, near, far], params)
        # What is far from the first may be near the second.
        want = [0, 2] if bin(near ^ far).count("1") > distance else [0]
        tap.check(got == want and given(host, [base, far], params) == [0, 1],
                  f"{distance} bits", got)
    chain = [base ^ (2 ** (4 * i) - 1) for i in range(17)]
    tap.check(given(host, chain) == [0], "a chain of neighbours")
    tap.check(given(host, chain[::-1]) == [0], "from its other end")


def test_little_memory(host, tap):
    numbers = [(i * 0x9E3779B97F4A7C15 + (i % 3)) % 2 ** 64 for i in range(1500)]
    numbers += [n ^ 1 << i % 64 for i, n in enumerate(numbers[:700])] + [0x5A0F3C] * 200
    answers = [given(host, numbers, keys_memory=memory, batch=100)
               for memory in (1 << 20, 40 << 10, 28 << 10)]
    tap.check(answers[0] == answers[1] == answers[2] == list(range(1500)) + [2200],
              "one walk, several, and equal ones united in between", [len(a) for a in answers])
