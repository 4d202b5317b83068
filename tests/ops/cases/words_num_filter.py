# SPDX-License-Identifier: Apache-2.0
from facts import failure


def test_words_are_what_is_left_without_special_characters(host, tap):
    for text, count in (("", 0), ("a", 1), ("42 !!! a-b", 1), ("a\u00a0b c\rd", 2), ("a\nb\tc", 3),
                        ("(\u4e2d)", 1), ("x" * 64 + " y", 2), ("! " * 40 + "z", 1),
                        ("x" * 63 + " " + "-" * 64 + "y", 2)):
        row = host.run("words_num_filter", {"min_num": 0}, [{"text": text}])["rows"][0][1]
        got = row["__dj__stats__"]["num_words"]
        tap.check(got == count, f"{ascii(text[:20])} has {count} words", got)
    tap.check("tokenization" in failure(host, "words_num_filter", {"tokenization": True}, {}),
              "a tokenizer is refused by name")
