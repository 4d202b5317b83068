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
