# SPDX-License-Identifier: Apache-2.0
from facts import HALF, PAIR, failure, mapped

OPERATOR = "replace_content_mapper"


def equal(tap, got, want, name):
    tap.check(got == want, name, f"{ascii(got)} instead of {ascii(want)}")


def test_a_pattern_that_is_wrong_is_refused_with_its_place(host, tap):
    wrong = {"a(b": 1, "a)": 1, "[a": 0, "*a": 0, "a**": 2, "a{2}{3}": 4, "(?P<x": 4, "\\": 0,
             "(?P=y)": 4, "a\\1": 1, "(?<=a*)b": None, "[z-a]": 1, "(?z)": 2, "ab\\8": 2}
    for pattern, place in wrong.items():
        for params in ({"pattern": pattern}, {"pattern": ["a", pattern], "repl": ""}):
            message = failure(host, OPERATOR, params, {"text": "aab"})
            right = "'pattern'" in message and "position" in message
            if isinstance(params["pattern"], list):
                right = right and "item 2" in message
            tap.check(right, f"{pattern}", message)


def test_python_means_what_it_says(host, tap):
    for pattern, repl, text, want in (
            ("a$", "x", "a\n", "x\n"), (r"a\Z", "x", "a\n", "a\n"), (".", "x", "\n", "x"),
            (r"\d", "x", "\u0661\u00b2", "x\u00b2"), (r"\s", "x", "\u00a0\x1f\u200b", "x\x1f\u200b"),
            ("(?P<n>a)(?P=n)", r"\g<n>", "aab", "ab"), ("(a)|b", r"[\1]", "ab", "[a][]"),
            ("x*", "-", "abxd", "-a-b--d-"), ("(?i)\u00e9", "x", "\u00c9", "x"),
            ("[^a]", "x", PAIR + HALF, "xx"), (HALF, "x", HALF + "a", "xa"), ("", "-", "ab", "-a-b-"),
            (r"r'a\.'", "x", "a.b", "xb"), ('r"a"', "x", "ab", "xb"), ("r'", "x", "r'", "x"),
            (r"\x41\u0042\n", "x", "AB\n", "x"), ("a#b", "x", "a#b", "x"),
            ("(?x) a # b\n c", "x", "ac", "x"), ("[[]", "x", "[", "x"), (r"\Q", "x", "Q", None)):
        got = mapped(host, OPERATOR, {"pattern": pattern, "repl": repl}, text)
        if want is None:
            tap.check(isinstance(got, dict), f"{pattern!r} is refused", ascii(got))
        else:
            equal(tap, got, want, f"{ascii(pattern)} in {ascii(text)}")


def test_a_search_past_its_limits_fails_the_row(host, tap):
    for pattern, text in (("(a|aa)+$", "a" * 60 + "b"), ("(x+x+)+y", "x" * 40),
                          ("(.*)(.*)(.*)(.*)(.*)z\\1", "a" * 2000), ("((a*)*)*b", "a" * 5000)):
        answer = host.run(OPERATOR, {"pattern": pattern}, [{"text": text}, {"text": "plain"}])
        failed = answer.get("failed", [])
        right = len(answer.get("rows", [])) + len(failed) == 2
        right = right and all("given up" in f[2] for f in failed)
        tap.check(right and [i for i, _ in answer["rows"]][-1:] == [1], pattern, str(answer)[:300])


def test_the_square_of_a_long_text_is_past_the_limit(host, tap):
    """Without a limit on the whole text each of these takes hours, or for ever."""
    size = 1 << 20
    for pattern, text in (("a*b", "a" * size), ("(?=a*b)a", "a" * size), ("(.)\\1*b", "a" * size),
                          ("(?:a|ab)+c", "ab" * (size // 2)), (r"\s+$", " " * size + "x"),
                          ("a*a*a*a*[bc]", "a" * 20000), ("(a?){9}[bc]", "a" * size)):
        answer = host.run(OPERATOR, {"pattern": pattern}, [{"text": text}, {"text": "plain"}])
        failed = [(i, "given up" in m) for i, _, m in answer["failed"]]
        tap.check(failed == [(0, True)], pattern, str(answer)[:300])


def test_what_ends_in_a_repetition_has_no_limit(host, tap):
    """Nor does a text without a character that each match has."""
    size = 1 << 20
    for pattern, text, want in ((r"\d+|a+", "a" * size, "-"), (r"x\S*", "x" * size, "-"),
                                ("(a|b)+?", "ab" * 1000, "-" * 2000), ("(a+)+", "a" * 1000, "-"),
                                (r"[a-z]+@[a-z]+", "a" * size, "a" * size),
                                (r"\[.*?\]", "[" * size, "[" * size),
                                ("[a-z]+@[a-z]+", "b@a " * 1000 + "a" * size,
                                 "- " * 1000 + "a" * size)):
        got = mapped(host, OPERATOR, {"pattern": pattern, "repl": "-"}, text)
        tap.check(got == want, f"{pattern}", ascii(got)[:200])


def test_deep_and_long_patterns_do_no_harm(host, tap):
    for pattern in ("(" * 50000, "(" * 5000 + ")" * 5000, "(?:" * 200 + "a" + ")" * 200, "a" * 100000,
                    "[" + "a-z" * 50000 + "]", "a|" * 50000, "(?i:" * 3000, "a{65536}", "(a{1000}){1000}",
                    "\\" * 9999):
        got = host.run(OPERATOR, {"pattern": pattern}, [{"text": "a"}])
        tap.check("rows" in got or "error" in got, f"{len(pattern)} of {pattern[:8]}", str(got)[:200])


def test_lists_pair_patterns_and_replacements(host, tap):
    for pattern, repl, want in ((["a", "b"], ["b", "c"], "cc"), (["a", "b"], "x", "xx"),
                                ("a", ["x", "y"], "xb"), ([], [], "ab"), (None, "x", "ab"),
                                ([], "x", "ab")):
        got = mapped(host, OPERATOR, {"pattern": pattern, "repl": repl}, "ab")
        equal(tap, got, want, f"{pattern} by {repl}")
    message = failure(host, OPERATOR, {"pattern": ["a", "b"], "repl": ["x"]}, {"text": "a"})
    tap.check("'repl'" in message and "1" in message, "fewer than patterns", message)
