# SPDX-License-Identifier: Apache-2.0
from facts import HALF, PAIR, failure, mapped

DEEP = ["<div>", "<b>", "<span a='>'>x", "<ul><li>", "<table><tr><td>", "<svg><g>", "<button><p>",
        "<blockquote><p>", "<font color=1>", "<a1>", "<dl><dd>"]
FLAT = ["<p>", "<li>x", "<br>", "<td>", "<option>", "<!-- ", "<!", "</", "<", "&", "&amp", "</b>",
        "<b></b>", "<p><i></p></i>", "<script></scrip ", "<title></", "<p><b></p>", "<a b='",
        "<img src=x>", "<style>", "&#x110000;", "<div></div>", "<hr><dt>", "<plaintext>",
        "</div></p>", "<table></table>", "<tr>"]


def equal(tap, got, want, name):
    tap.check(got == want, name, f"{ascii(got)} instead of {ascii(want)}")


def test_what_is_nested_too_deep_fails_its_row(host, tap):
    for piece in DEEP:
        message = failure(host, "clean_html_mapper", {}, {"text": piece * 100000})
        tap.check("512" in message, f"100000 times {piece}", message)


def test_depth_is_that_of_open_elements(host, tap):
    for text in ("<div>" * 500 + "x", "<div><p>x</div>" * 5000, "<ul><li>x<li>y</ul>" * 5000,
                 "<table><tr><td>x<td>y<tr><td>z</table>" * 5000, "<b><i>x</b></i>" * 5000,
                 "<script>'<div>'</script>" * 5000, "<!-- <div> -->" * 5000, "<div/></div>" * 5000):
        got = mapped(host, "clean_html_mapper", {}, text)
        tap.check(isinstance(got, str), f"{len(text)} characters of {text[:20]}", got)


def test_a_megabyte_of_anything_comes_back(host, tap):
    """With its text or as a row that failed, but in time and in memory."""
    for piece in FLAT:
        text = piece * (1000000 // len(piece))
        answer = host.run("clean_html_mapper", {}, [{"text": text}])
        tap.check(len(answer.get("rows", [])) + len(answer.get("failed", [])) == 1,
                  f"a megabyte of {piece}", str(answer)[:300])


def test_a_text_that_explodes_fails_its_row(host, tap):
    """Every paragraph opens all of the formatting before it again."""
    text = "".join(f"<p><b id={i}>" for i in range(400))
    message = failure(host, "clean_html_mapper", {}, {"text": text * 3})
    tap.check("HTML" in message or "512" in message, "formatting that piles up", message)


def test_characters_that_html_has_no_place_for_stay(host, tap):
    odd = ["\x01", "\x0b", "\x1f", "\x7f", "\x85", "\x9f", "\ufdd0", "\ufffe", "\uffff", "\U0001fffe",
           "\U0010ffff", "\U0010fffd", "\U000f0000", "\ufeff", HALF, "\udc00", PAIR,
           "\U0010fffd\U000f0000\U000f0041"]
    for letter in odd:
        for before, after in (("", ""), ("a", "b"), (" ", " "), ("<", ">"), ("&", ";"), ("\r", "")):
            text = "<p>" + before + letter + after
            want = "\n" + letter if before == "\r" else before + letter + after
            equal(tap, mapped(host, "clean_html_mapper", {}, text), want, ascii(text))
        equal(tap, mapped(host, "clean_html_mapper", {}, letter + "&amp;" + letter),
                        letter + "&" + letter, ascii(letter))


def test_white_space_at_the_start_goes_with_and_without_markup(host, tap):
    for start in ("", " ", "\t", "\n", "\f", "\r", " \t\n\f\r ", "\v", "\u00a0"):
        rest = start.lstrip(" \t\n\f\r")
        for text in ("", "a", "a&"):
            equal(tap, mapped(host, "clean_html_mapper", {}, start + text), rest + text,
                            ascii(start + text))


def test_list_marks_go_one_kind_after_the_other(host, tap):
    for text, want in (("<li>a</li>", "\n*a"), ("<ol>", "\n*"), ("<o</li>l>x", "\n*x"),
                       ("<</ol>ol>x", "x"), ("<LI>a", "a"), ("<li >a", "a")):
        equal(tap, mapped(host, "clean_html_mapper", {}, "." + text), "." + want, text)


def test_what_is_no_string_passes_but_must_be_there(host, tap):
    for value in (None, 5, ["<p>"], {"a": "<p>"}):
        equal(tap, mapped(host, "clean_html_mapper", {}, value), value, str(value))
    message = failure(host, "clean_html_mapper", {}, {"other": "<p>"})
    tap.check("'text'" in message, "a missing field", message)
