# SPDX-License-Identifier: Apache-2.0
"""Facts of the text operators, a case each: python3 test_cases.py HOST PLUGIN."""
from harness import facts

# U+1F600 as JSON writes it, and half of it.
PAIR, HALF = "\U0001f600", "\ud83d"


def kept(host, operator, params, texts, **more):
    answer = host.run(operator, params, [{"text": t} for t in texts], **more)
    return [i for i, _ in answer["rows"]] if "rows" in answer else answer


def mapped(host, operator, params, text):
    answer = host.run(operator, params, [{"text": text}])
    return answer["rows"][0][1]["text"] if answer.get("rows") else answer


def failure(host, operator, params, row):
    answer = host.run(operator, params, [row])
    if "error" in answer:
        return answer["error"]["message"]
    return answer["failed"][0][2] if answer["failed"] else ""


def test_lengths_count_code_points(host, tap):
    texts = ["ab", "a" + PAIR, HALF + "b", "\n\\", "\u4e2d\u00e9", "a", "abc"]
    for stats in (True, False):
        got = kept(host, "text_length_filter", {"min_len": 2, "max_len": 2}, texts, stats=stats)
        tap.check(got == [0, 1, 2, 3, 4], f"an escape is one code point, stats {stats}", got)


def test_stats_are_written_only_when_wanted(host, tap):
    rows = [{"text": "abc"}]
    answer = host.run("text_length_filter", {"min_len": 0}, rows, stats=False)
    tap.check(answer["rows"] == [[0, {"text": "abc"}]], "no stat without a reader", answer)
    answer = host.run("text_length_filter", {"min_len": 0}, rows)
    tap.check(answer["rows"][0][1]["__dj__stats__"] == {"text_len": 3}, "the stat is in the row",
              answer)


def test_a_given_stat_decides(host, tap):
    for operator, key, low in (("text_length_filter", "text_len", "min_len"),
                               ("words_num_filter", "num_words", "min_num")):
        rows = [{"text": "a", "__dj__stats__": {key: value}} for value in (5, 5.5, 4.5, 4)]
        rows.append({"__dj__stats__": {key: 6}})
        answer = host.run(operator, {low: 5}, rows)
        got = [i for i, _ in answer["rows"]]
        tap.check(got == [0, 1, 4], f"{operator}: also without a text, also a fraction", answer)
        message = failure(host, operator, {}, {"text": "a", "__dj__stats__": {key: "x"}})
        tap.check("not a number" in message, f"{operator}: a stat that is text fails the row",
                  message)


def test_bounds(host, tap):
    texts = ["a" * n for n in range(8)]
    for params, want in (
            ({"min_len": 2, "max_len": 4}, [2, 3, 4]),
            ({"min_len": 2, "max_len": 4, "min_closed_interval": False}, [3, 4]),
            ({"min_len": 2, "max_len": 4, "max_closed_interval": False}, [2, 3]),
            ({"min_len": 2, "max_len": 4, "reversed_range": True}, [0, 1, 2, 4, 5, 6, 7]),
            ({"min_len": 2, "max_len": 4, "reversed_range": True, "min_closed_interval": False,
              "max_closed_interval": False}, [0, 1, 5, 6, 7]),
            ({"min_len": 4, "max_len": 2}, []),
            ({"min_len": 2 ** 63 - 1, "min_closed_interval": False}, []),
            ({"min_len": -2 ** 63, "max_len": -2 ** 63, "max_closed_interval": False,
              "reversed_range": True}, list(range(8)))):
        for stats in (True, False):
            got = kept(host, "text_length_filter", params, texts, stats=stats)
            tap.check(got == want, f"{params}, stats {stats}", got)


def test_words_are_what_is_left_without_special_characters(host, tap):
    for text, count in (("", 0), ("a", 1), ("42 !!! a-b", 1), ("a\u00a0b c\rd", 2), ("a\nb\tc", 3),
                        ("(\u4e2d)", 1), ("x" * 64 + " y", 2), ("! " * 40 + "z", 1),
                        ("x" * 63 + " " + "-" * 64 + "y", 2)):
        row = host.run("words_num_filter", {"min_num": 0}, [{"text": text}])["rows"][0][1]
        got = row["__dj__stats__"]["num_words"]
        tap.check(got == count, f"{ascii(text[:20])} has {count} words", got)
    tap.check("tokenization" in failure(host, "words_num_filter", {"tokenization": True}, {}),
              "a tokenizer is refused by name")


def test_blanks(host, tap):
    for text, want in (("", ""), (" a ", "a"), ("a\tb", "a b"), ("\x1ca\u2028", "a"),
                       ("a\u3000\u00a0b", "a  b"), ("\u200ba", " a"), ("a\u0085b", "a\u0085b"),
                       ("a\r\n b", "a\r\n b"), ("\u3000", ""),
                       ("x" * 62 + "\u3000y", "x" * 62 + " y"),
                       ("x" * 63 + "\u3000y", "x" * 63 + " y"),
                       ("\u3001" * 30 + "\u2003" + "x" * 90, "\u3001" * 30 + " " + "x" * 90)):
        got = mapped(host, "whitespace_normalization_mapper", {}, text)
        tap.check(got == want, f"blanks of {ascii(text[:20])}", ascii(got))


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
    tap.check("'pattern'" in failure(host, "clean_links_mapper", {"pattern": "x"}, {"text": ""}),
              "an own pattern is refused by name")


def test_links_take_linear_time(host, tap):
    """A search that is not linear in one of these does not come back before the test's timeout."""
    for piece in ("a.", "a-", "a:", "www.", "w", "a:b(", "a:b((x)", "aa:a!", "a:b(c)<", "x.yz/!",
                  "a:///", "(a:b", "a:b(x)(", "\u4e2d", "-\u00e9.", "a_-", "www.!", "aa:b(c",
                  "aa:b((c)", "(aa:b)", "aa:!", "www.("):
        for tail in ("", ":a", "/"):
            text = piece * ((1 << 19) // len(piece.encode())) + tail
            answer = host.run("clean_links_mapper", {}, [{"text": text}])
            tap.check(len(answer["rows"]) == 1, f"half a MB of {ascii(piece)} before {tail!r}")


def test_texts_that_are_none(host, tap):
    operators = ("text_length_filter", "words_num_filter", "whitespace_normalization_mapper",
                 "clean_links_mapper", "document_deduplicator")
    for operator in operators:
        for row, found in (({}, "no such field"), ({"t": None}, "null"), ({"t": 7}, "another type"),
                           ({"t": ["x"]}, "another type")):
            message = failure(host, operator, {"text_key": "t"}, row)
            tap.check("'t'" in message and found in message, f"{operator}: {row}", message)
        got = kept(host, operator, {"text_key": "a.b"}, []) == []
        answer = host.run(operator, {"text_key": "a.b"}, [{"a": {"b": "x y z " * 10}}])
        tap.check(got and len(answer["rows"]) == 1, f"{operator}: a nested text", answer)


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


if __name__ == "__main__":
    facts(globals())
