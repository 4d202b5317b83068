# SPDX-License-Identifier: Apache-2.0
import rules
import texts


def differs(host, rng):
    wrong = []
    for _ in range(10):
        low, high = rng.randrange(6), rng.choice([rng.randrange(12), 2 ** 63 - 1])
        rows = [texts.words_of(rng) for _ in range(texts.ROWS // 10)]
        wrong += texts.mapper_differs(
            host, "remove_long_words_mapper", {"min_len": low, "max_len": high}, rows,
            lambda text, a=low, b=high: rules.without_words(
                text, lambda w: a <= len(w) <= b or a <= len(rules.strip_special(w)) <= b))
    return wrong
