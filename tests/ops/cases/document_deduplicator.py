# SPDX-License-Identifier: Apache-2.0
from facts import HALF, failure, kept


def test_duplicates(host, tap):
    texts = ["a b", " a b\n", "A B", "a  b", "A1B!", "\u039f\u03a3", "\u03bf\u03c2", "\u03bf\u03c3",
             "", "\u3000"]
    for params, want in (({}, [0, 2, 3, 4, 5, 6, 7, 8]),
                         ({"lowercase": True}, [0, 3, 4, 5, 7, 8]),
                         ({"ignore_non_character": True}, [0, 2, 5, 6, 7, 8]),
                         ({"lowercase": True, "ignore_non_character": True}, [0, 5, 7, 8])):
        for batch in (1, 3, 1000):
            got = kept(host, "document_deduplicator", params, texts, batch=batch)
            tap.check(got == want, f"first of {params}, batches of {batch}", got)
    message = failure(host, "document_deduplicator", {}, {"text": "x" + HALF})
    tap.check("surrogate" in message, "half of a pair fails the row", message)
    got = host.run("document_deduplicator", {}, [
        {"text": "a", "__dj__hash": "h"}, {"text": "b", "__dj__hash": "h"}, {"text": "h"}])["rows"]
    tap.check([i for i, _ in got] == [0, 2], "a hash that is there decides", got)


def test_memory_and_batches(host, tap):
    texts = [str(i % 4000 * 7919 % 5000) for i in range(6000)]
    want = list({t: i for i, t in reversed(list(enumerate(texts)))}.values())
    for batch, memory in ((1000, 1 << 20), (300, 20 << 10), (7, 64 << 10)):
        got = kept(host, "document_deduplicator", {}, texts, batch=batch, keys_memory=memory)
        tap.check(got == sorted(want), f"{memory} bytes, batches of {batch}", len(got))
    tap.check(kept(host, "document_deduplicator", {}, []) == [], "no rows")
