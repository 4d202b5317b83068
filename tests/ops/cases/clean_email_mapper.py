# SPDX-License-Identifier: Apache-2.0
from facts import failure, mapped

MAPPERS = ("clean_email_mapper", "clean_ip_mapper", "clean_links_mapper")


def test_what_nearly_matches_takes_linear_time(host, tap):
    for operator in MAPPERS:
        for piece in ("a@", "a.a", "@", "a@a", "a@a.", "aaaa@aaaa@", "1.", "1.1.1.", "a:", ":", "255.",
                      "a:b:c:d:e:f:0:", "http://", "www.", "a.a.a/", "((", "a", ".", "x@y.Z"):
            text = piece * (1000000 // len(piece))
            got = mapped(host, operator, {}, text)
            tap.check(isinstance(got, str), f"{operator}: a megabyte of {piece}", str(got)[:200])


def test_a_pattern_of_ones_own_takes_the_place_of_the_default(host, tap):
    for operator in MAPPERS:
        text = "a@b.com 1.2.3.4 http://x.org/ cat"
        got = mapped(host, operator, {"pattern": "c(a)t", "repl": r"<\1>"}, text)
        tap.check(got == text.replace("cat", "<a>"), operator, str(got))
        message = failure(host, operator, {"pattern": "c(at"}, {"text": text})
        tap.check("'pattern'" in message and "position 1" in message, f"{operator}: refused", message)
