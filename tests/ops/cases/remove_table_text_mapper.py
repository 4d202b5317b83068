# SPDX-License-Identifier: Apache-2.0
from facts import failure, mapped


def test_tables_take_linear_time(host, tap):
    """What tries every cut at every bar does not come back in time."""
    for text in ("x\n" + "|" * 10000 + "\n" + "|" * 10000 + "\n",
                 "x\n" + ("a|" * 5000 + "a\n") * 20,
                 "a b\n" * 250000, "\n" * 1000000, "a|b c\n\n" * 100000):
        got = mapped(host, "remove_table_text_mapper", {}, text)
        tap.check(isinstance(got, str), f"{len(text)} characters of {text[2:12]!r}")


def test_columns_out_of_range_are_refused(host, tap):
    for params in ({"min_col": 1}, {"max_col": 21}, {"min_col": "2"}):
        message = failure(host, "remove_table_text_mapper", params, {"text": "a"})
        tap.check(next(iter(params)) in message, f"{params}", message)
