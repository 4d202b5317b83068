# SPDX-License-Identifier: Apache-2.0
from facts import failure


def test_targets(host, tap):
    name = "specified_field_filter"
    for target in (None, 1, {"a": 1}, True):
        message = failure(host, name, {"field_key": "f", "target_value": target}, {"f": 1})
        tap.check("'target_value'" in message and "list" in message, f"refuses {target}", message)
    message = failure(host, name, {"field_key": "f", "target_value": ["a"]}, {"g": 1})
    tap.check("'f' is missing" in message, "a field that is not there fails the row", message)
    message = failure(host, name, {"field_key": "f", "target_value": "abc"}, {"f": 1})
    tap.check("no string" in message, "a number is no part of a text", message)
    big = {"f": 10 ** 5000}
    message = failure(host, name, {"field_key": "f", "target_value": []}, big)
    tap.check("4300 digits" in message, "a number of too many digits fails the row", message)
    row = {"f": {"b": 1, "a": [1.0, {"x": None}]}}
    answer = host.run(name, {"field_key": "f", "target_value": [{"a": [True, {"x": None}], "b": 1}]},
                      [row], stats=False)
    tap.check(answer["rows"] == [[0, row]], "objects are equal by members, and no stat is written "
              "that nobody wants", answer)


def test_a_field_without_a_name(host, tap):
    rows = [{"": 5, "__dj__stats__": {"x": 1}}, {"": 5}, {"": 5, "__dj__stats__": {"": 6, "y": 2}},
            {"": 5, "__dj__stats__": {}}]
    for name, params in (("specified_field_filter", {"target_value": [5]}),
                         ("specified_numeric_field_filter", {"max_value": 5})):
        answer = host.run(name, params, rows)
        got = [[i, row["__dj__stats__"]] for i, row in answer["rows"]]
        tap.check(got == [[0, {"": 5, "x": 1}], [1, {"": 5}], [3, {"": 5}]], name, answer)
