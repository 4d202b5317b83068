# SPDX-License-Identifier: Apache-2.0
import rules
import texts

DEFAULT = ["http", "www", ".com", "href", "//"]


def differs(host, rng):
    wrong = []
    for parts in (DEFAULT, [], [""], ["lo", "\u4e2d"], ["!"], ["e", "\u00e9"], "ke"):
        params = {} if parts is DEFAULT else {"substrings": parts}
        asked = [parts] if isinstance(parts, str) else parts
        rows = [texts.words_of(rng) for _ in range(texts.ROWS // 4)]
        wrong += texts.mapper_differs(
            host, "remove_words_with_incorrect_substrings_mapper", params, rows,
            lambda text, p=asked: rules.without_words(
                text, lambda w: not any(s in rules.strip_special(w) for s in p)))
    return wrong
