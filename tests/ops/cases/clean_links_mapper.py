# SPDX-License-Identifier: Apache-2.0
from facts import mapped


def test_links(host, tap):
    link = {"repl": "<\\1>"}
    for text, want in (
            ("see http://a.b/c.", "see <http://a.b/c>."),
            ("(http://a.b/c_(d))", "(<http://a.b/c_(d)>)"),
            ("a-www.x.yz/q w", "a-<www.x.yz/q> w"),
            ("std::x http: x a:b", "std::x http: x a:b"),
            ("foo:bar", "<foo:bar>"),
            ("example.com example.com/ x.com/ab", "example.com example.com/ <x.com/ab>"),
            ("WWW12.ab www1234.ab", "<WWW12.ab> www1234.ab"),
            ("a:bc\u00a0cc:def\u3000gg:hij", "a:bc\u00a0<cc:def>\u3000<gg:hij>")):
        got = mapped(host, "clean_links_mapper", link, text)
        tap.check(got == want, f"links of {ascii(text[:30])}", ascii(got))


def test_groups_of_a_link(host, tap):
    text = "http://a.com/x(ab(cd)ef)gh(i(j)) zz"
    for repl, want in (("\\2", "ef zz"), ("\\3", "(cd) zz"), ("\\4\\5", "(j)(j) zz"),
                       ("\\g<0>!", text[:-3] + "! zz"), ("\\101\\x42\\n\\_\\\\", "AB\n\\_\\ zz")):
        got = mapped(host, "clean_links_mapper", {"repl": repl}, text)
        tap.check(got == want, f"repl {ascii(repl)}", ascii(got))


def test_a_broken_template_fails_rows_with_links(host, tap):
    for repl in ("\\9", "\\q", "\\", "\\g<x>", "\\x4"):
        answer = host.run("clean_links_mapper", {"repl": repl},
                          [{"text": "http://example.com"}, {"text": "none"}])
        failed = [(i, "'repl'" in m) for i, _, m in answer["failed"]]
        tap.check(failed == [(0, True)] and answer["log"], f"repl {ascii(repl)}", answer)


def test_links_take_linear_time(host, tap):
    """A search that is not linear in one of these does not come back before the test's timeout."""
    for piece in ("a.", "a-", "a:", "www.", "w", "a:b(", "a:b((x)", "aa:a!", "a:b(c)<", "x.yz/!",
                  "a:///", "(a:b", "a:b(x)(", "\u4e2d", "-\u00e9.", "a_-", "www.!", "aa:b(c",
                  "aa:b((c)", "(aa:b)", "aa:!", "www.("):
        for tail in ("", ":a", "/"):
            text = piece * ((1 << 19) // len(piece.encode())) + tail
            answer = host.run("clean_links_mapper", {}, [{"text": text}])
            tap.check(len(answer["rows"]) == 1, f"half a MB of {ascii(piece)} before {tail!r}")
