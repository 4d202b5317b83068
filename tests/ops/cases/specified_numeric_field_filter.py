# SPDX-License-Identifier: Apache-2.0
from facts import failure


def test_bounds_and_values(host, tap):
    name = "specified_numeric_field_filter"
    for bound in ("1", None, [1], True):
        message = failure(host, name, {"field_key": "f", "min_value": bound}, {"f": 1})
        tap.check("'min_value'" in message and "a number" in message, f"refuses {bound}", message)
    for value, what in (([5], "neither"), ({"a": 1}, "neither"), (10 ** 400, "double")):
        message = failure(host, name, {"field_key": "f"}, {"f": value})
        tap.check("'f'" in message and what in message, f"{what} fails the row", message)
    params = {"field_key": "f", "max_value": 2 ** 63 - 1}
    answer = host.run(name, params, [{"f": 2 ** 63}, {"f": 2 ** 63 - 1025}, {"f": "1" * 10 ** 6}])
    tap.check([i for i, _ in answer["rows"]] == [1], "bounds are not rounded", answer)
