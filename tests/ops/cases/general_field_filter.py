# SPDX-License-Identifier: Apache-2.0
from facts import failure

NAME = "general_field_filter"


def test_what_is_refused(host, tap):
    for condition, place, what in (
            ("num > ", "byte 6", "ends too early"), ("   ", "byte 3", "ends too early"),
            (" num", "byte 1", "a blank is in front"), ("num ==\n10", "byte 7", "brackets"),
            ("len(text) > 2", "byte 3, '(text) > 2'", "only names"), ("num % 2 == 0", "byte 4", "only"),
            ("~num", "byte 0", "only names"), ("a['x']", "byte 1", "only names"),
            ("{}", "byte 1", "objects"), ("f'{a}'", "byte 0", "prefix"), ("'abc", "byte 0", "no end"),
            ("(a", "byte 2", "not closed"), ("007", "byte 0", "starts with 0"), ("1j", "byte 0", "complex"),
            ("'\\N{DASH}'", "byte 0", "\\u"), ("a.1", "byte 1", "only"), ("a = 1", "byte 2", "only"),
            ("(" * 300 + "a" + ")" * 300, "byte 200", "200 deep"), ("not " * 300 + "a", "byte", "200 deep"),
            ("0x" + "f" * 17, "byte 0", "64 bits"), ("9" * 4301, "byte 0", "4300 digits")):
        message = failure(host, NAME, {"filter_condition": condition}, {})
        tap.check(place in message and what in message, ascii(condition[:20]), message)


def test_what_fails_a_row(host, tap):
    for condition, row, what in (("a > 5", {"a": "x"}, "no order"), ("a in 5", {"a": 1}, "holds nothing"),
                                 ("-a", {"a": "x"}, "no number"), ("a is 1", {"a": 1}, "write =="),
                                 ("{a}", {"a": []}, "a set"), ("1 in a", {"a": "x"}, "no text")):
        message = failure(host, NAME, {"filter_condition": condition}, row)
        tap.check(what in message, condition, message)
    answer = host.run(NAME, {"filter_condition": "a > 5"}, [{"a": "x"}, {"a": 6}, {}])
    tap.check([i for i, _ in answer["rows"]] == [1] and len(answer["failed"]) == 1,
              "only the row that fails", answer)


def test_rows(host, tap):
    rows = [{"a": 1, "a": 2}, {"\u0061": 2}, {"b": "a\" : 2,"}, {"x": {"a": 2}}]
    got = host.run(NAME, {"filter_condition": "a == 2"}, rows, stats=False)["rows"]
    tap.check([i for i, _ in got] == [0, 1] and "__dj__stats__" not in got[0][1],
              "fields are found at the top; no stat that nobody wants", got)
    rows = [{"a": 1, "__dj__stats__": {"general_field_filter_condition": v}} for v in (0, "x", None)]
    got = host.run(NAME, {"filter_condition": "a == 1"}, rows)["rows"]
    tap.check([i for i, _ in got] == [1], "a stat that is there decides", got)
    got = host.run(NAME, {"filter_condition": "a == 1", "reversed_range": True}, [{"a": 1}, {}])
    tap.check([i for i, _ in got["rows"]] == [1], "reversed", got)
    deep = {"a": 1}
    for _ in range(200):
        deep = {"a": deep}
    got = host.run(NAME, {"filter_condition": "a" + ".a" * 200 + " == 1"}, [deep])
    tap.check(len(got.get("rows", [])) == 1, "a path of 201 names", str(got)[:300])
