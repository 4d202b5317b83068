# SPDX-License-Identifier: Apache-2.0
from facts import failure

OPERATOR = "text_chunk_mapper"


def chunks(host, params, text):
    answer = host.run(OPERATOR, params, [{"text": text}])
    return [row["text"] for _, row in answer["rows"]] if "rows" in answer else answer


def test_any_number_of_chunks(host, tap):
    """The reference gives up at about a thousand."""
    for params, text, count in (({}, "a\n\n" * 3000, 3000), ({"max_len": 10}, "a" * 30000, 3000),
                                ({"max_len": 3, "split_pattern": ","}, "a," * 3000, 3000),
                                ({"max_len": 5, "overlap_len": 4}, "a" * 3000, 2996),
                                ({"split_pattern": None, "max_len": 1}, "\u4e2d" * 3000, 3000)):
        got = chunks(host, params, text)
        tap.check(len(got) == count, f"{params}: {count}", f"{len(got)}: {str(got)[:100]}")


def test_rows_come_out_in_their_order_whatever_the_size(host, tap):
    rows = [{"text": f"{i}\n\n" * 5 + "x" * 300000} for i in range(30)]
    answer = host.run(OPERATOR, {}, rows)
    got = [row["text"] for _, row in answer["rows"]]
    want = [t for i in range(30) for t in [str(i)] * 5 + ["x" * 300000]]
    tap.check(got == want and len(answer["calls"]) > 1, "a call hands over what it has",
              str([len(g) for g in got])[:200] + str(answer["calls"]))


def test_parameters_that_cannot_be_are_refused(host, tap):
    for params, name in (({"max_len": None, "split_pattern": None}, "split_pattern"),
                         ({"max_len": 5, "overlap_len": 5}, "overlap_len"), ({"max_len": 0}, "max_len"),
                         ({"max_len": -1}, "max_len"), ({"overlap_len": -1}, "overlap_len"),
                         ({"max_len": 2.5}, "max_len"), ({"tokenizer": "gpt-4o"}, "tokenizer"),
                         ({"split_pattern": "["}, "split_pattern")):
        message = failure(host, OPERATOR, params, {"text": "abc"})
        tap.check(name in message, f"{params}", message)


def test_a_cut_that_gets_nowhere_fails_its_row(host, tap):
    for pattern in ("^", r"\A", "(?<!a)"):
        message = failure(host, OPERATOR, {"max_len": 2, "split_pattern": pattern}, {"text": "aaaaa"})
        tap.check("nothing but the start" in message, pattern, message)
        got = chunks(host, {"max_len": 5, "split_pattern": pattern}, "aaaaa")
        tap.check(got == ["aaaaa"], f"{pattern} on a short text", str(got))
