# SPDX-License-Identifier: Apache-2.0
from facts import HALF, failure

NAME = "document_line_deduplicator"


def texts_of(host, params, texts, **more):
    answer = host.run(NAME, params, [{"text": t, "id": i} for i, t in enumerate(texts)], **more)
    return [row["text"] for _, row in answer["rows"]] if "rows" in answer else answer


def test_lines_of_more_texts_than_the_threshold_go(host, tap):
    for count, stays in ((6, True), (7, False)):
        got = texts_of(host, {}, [f"common\nown {i}\ncommon" for i in range(count)])
        want = [f"common\nown {i}\ncommon" if stays else f"own {i}" for i in range(count)]
        tap.check(got == want, f"{count} texts, once each", str(got))


def test_no_row_and_one_row_stay(host, tap):
    for texts in ([], ["common\ncommon"]):
        got = texts_of(host, {"frequency_threshold": 0}, texts)
        tap.check(got == texts, f"{len(texts)} rows", str(got))
    got = texts_of(host, {"frequency_threshold": 0}, ["common", "own\n\nx\n"])
    tap.check(got == ["", "\nx\n"], "all lines may go", str(got))


def test_many_lines_take_several_walks(host, tap):
    """The fake host has memory for a few thousand lines."""
    texts = [f"line {i % 3000}\nfoot\nline {i % 3000 + 1}" for i in range(6000)]
    got = texts_of(host, {"frequency_threshold": 4}, texts, batch=1000)
    want = [t.replace("\nfoot", "") for t in texts]
    tap.check(got == want, "only the foot is in more than four", str(got[:3]))


def test_rows_and_parameters_that_cannot_be(host, tap):
    for row, found in (({}, "no such field"), ({"text": None}, "null"), ({"text": "a" + HALF}, "surrogate")):
        message = failure(host, NAME, {}, row)
        tap.check(found in message, f"{ascii(row)}", message)
    for params in ({"frequency_threshold": -1}, {"frequency_threshold": 1.5}, {"min_line_length": "x"}):
        message = failure(host, NAME, params, {"text": "a"})
        tap.check(next(iter(params)) in message, f"{params}", message)


def test_frequent_texts_of(host, tap):
    for count, want in ((6, "foot\nb"), (7, "b")):
        got = texts_of(host, {}, ["foot\nb"] * 1 + [f"foot\nc{i}" for i in range(count - 1)])
        tap.check(got[0] == want, f"in {count} rows", got)
    once = {"frequency_threshold": 1}
    tap.check(texts_of(host, once, ["aa\naa", "bb"]) == ["aa\naa", "bb"], "twice in one row is one")
    tap.check(texts_of(host, once, ["aa", "aa"]) == ["", ""], "rows stay without a line")
    tap.check(texts_of(host, {"frequency_threshold": 0}, ["aa"]) == ["aa"], "one row is left alone")
    tap.check(texts_of(host, {"frequency_threshold": 0}, []) == [], "no rows")
    tap.check(texts_of(host, {"frequency_threshold": 0}, ["", ""]) == ["", ""], "empty texts")
    got = texts_of(host, once, ["aa\nbb\n", "\naa", "x\naa\n\ny", "aa\n"])
    tap.check(got == ["bb\n", "", "x\n\ny", ""], "line feeds around what goes", got)


def test_other_fields_stay(host, tap):
    rows = [{"text": "foot\nb", "n": 1}, {"n": 2, "text": "foot"}]
    got = host.run(NAME, {"frequency_threshold": 1}, rows)["rows"]
    tap.check(got == [[0, {"text": "b", "n": 1}], [1, {"n": 2, "text": ""}]], "of the row", got)


def test_memory_and_batches(host, tap):
    texts = ["\n".join(f"line {(i * k) % 997}" for k in range(1, 9)) for i in range(900)]
    params = {"frequency_threshold": 7}
    answers = [texts_of(host, params, texts, batch=batch, keys_memory=memory)
               for batch, memory in ((1000, 1 << 20), (70, 40 << 10), (7, 24 << 10))]
    tap.check(answers[0] == answers[1] == answers[2] != texts, "one walk and several")
    answer = texts_of(host, {"frequency_threshold": 0}, texts, keys_memory=4 << 10)
    tap.check("memory_limit" in answer["error"]["message"], "too little is refused", answer)


def test_large_texts(host, tap):
    for line in ("", "a", "aa", "<" + "a" * 1000, "[" * 100):
        text = (line + "\n") * (1000000 // (len(line) + 1))
        got = texts_of(host, {"frequency_threshold": 1}, [text, text])
        tap.check(len(got) == 2, f"lines of {len(line)} bytes", got)


def test_half_a_pair_counts_only_where_it_is_compared(host, tap):
    answer = host.run(NAME, {}, [{"text": "aa\n# " + HALF}])
    tap.check(not answer["failed"], "not in a heading", answer)


def test_blanks_and_digits_are_those_of_the_standard_module(host, tap):
    """Its white space has four separators more than that of the module regex, its digits are older."""
    params = {"ignore_special_character": True, "frequency_threshold": 1}
    got = texts_of(host, params, ["a\x1fb", "ab", "\U0001e4f0x", "x"])
    tap.check(got == ["", "", "\U0001e4f0x", "x"], "U+001F goes, U+1E4F0 stays", ascii(got))
