# SPDX-License-Identifier: Apache-2.0
from facts import mapped


def test_what_is_joined_again(host, tap):
    for text, want in (("", ""), (" ", ""), ("a", "a"), ("a  b", "a b"), (" a\t\n b ", "a\nb"),
                       ("a \tb", "a\tb"), ("a\r\nb", "a\r\nb"), ("a\u00a0 b", "a\u00a0 b")):
        got = mapped(host, "remove_long_words_mapper", {}, text)
        tap.check(got == want, f"words of {ascii(text)}", ascii(got))


def test_word_operators_take_linear_time(host, tap):
    """A table that is walked per row, or a key that is made again and again, takes too long."""
    for operator, params in (("remove_long_words_mapper", {"max_len": 3}),
                             ("remove_words_with_incorrect_substrings_mapper", {}),
                             ("remove_repeat_sentences_mapper", {}),
                             ("word_repetition_filter", {"max_ratio": 2})):
        for piece in ("a ", "a", ".", "a.", "\u2026", ".\u201d", "! ", "http", "\n", "ab. "):
            text = piece * (200000 // len(piece))
            answer = host.run(operator, params, [{"text": text}] + [{"text": "a b. a"}] * 50)
            tap.check(len(answer["rows"]) == 51, f"{operator}: 200,000 of {ascii(piece)}")
