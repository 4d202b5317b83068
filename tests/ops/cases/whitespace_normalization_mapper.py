# SPDX-License-Identifier: Apache-2.0
from facts import mapped


def test_blanks(host, tap):
    for text, want in (("", ""), (" a ", "a"), ("a\tb", "a b"), ("\x1ca\u2028", "a"),
                       ("a\u3000\u00a0b", "a  b"), ("\u200ba", " a"), ("a\u0085b", "a\u0085b"),
                       ("a\r\n b", "a\r\n b"), ("\u3000", ""),
                       ("x" * 62 + "\u3000y", "x" * 62 + " y"),
                       ("x" * 63 + "\u3000y", "x" * 63 + " y"),
                       ("\u3001" * 30 + "\u2003" + "x" * 90, "\u3001" * 30 + " " + "x" * 90)):
        got = mapped(host, "whitespace_normalization_mapper", {}, text)
        tap.check(got == want, f"blanks of {ascii(text[:20])}", ascii(got))
