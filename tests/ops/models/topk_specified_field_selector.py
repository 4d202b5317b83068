# SPDX-License-Identifier: Apache-2.0
"""Python's own heapq says which rows are the largest, in whatever order NaN leaves them."""
import heapq
import sys


FIELD_TYPES = [
    lambda rng: rng.choice([0, 1, 2, 3, -1, 2 ** 53, 2 ** 53 + 1, 2 ** 63 - 1, -2 ** 63, 10 ** 25]),
    lambda rng: rng.choice([0.5, -0.0, 0.0, 1.5, float(2 ** 53), 2 ** 53 + 1, 1e300, -5e-324, True, 1, 2 ** 64]),
    lambda rng: rng.choice(["", "a", "b", "B", "\u00e9", "\ud83d", "\uffff", "\U0001f600", "a\x00", "x" * 70,
                            "x" * 64, "x" * 63, "x" * 200, "x" * 63 + "y", "10", "9"]),
    lambda rng: rng.choice(["1", "nan", "abc", "10", " 2.5 ", "-3", "1e3", "", "-inf", "inf", "1_0"]),
    lambda rng: [rng.randrange(4) for _ in range(rng.randrange(4))],
    lambda rng: [rng.choice(["", "a", "a\x00", "ab", "x" * 90]) for _ in range(rng.randrange(3))],
    lambda rng: [[rng.randrange(3) / 2 for _ in range(rng.randrange(3))] for _ in range(rng.randrange(3))],
    lambda rng: rng.random() < 0.5,
    lambda rng: rng.choice([1, 2, 3, None]),
    lambda rng: rng.choice([{"x": 1}, {}]),
]


def flat(value):
    """The numbers of lists in lists; raises what is none, or not a rectangle."""
    if not isinstance(value, list):
        return [value + 0.0], ()
    parts = [flat(item) for item in value]
    if len({shape for _, shape in parts}) > 1:
        raise ValueError("ragged")
    return sum((n for n, _ in parts), []), (len(value),) + (parts[0][1] if parts else ())


def number(value, unusable):
    try:
        if isinstance(value, str):
            return float(value)
        if value is None or value == []:
            return unusable
        numbers, _ = flat(value)
        return sum(numbers) / len(numbers) if numbers else float("nan")
    except (ValueError, TypeError, OverflowError):
        return unusable


def rows_of(rng, key):
    """Rows of one type of field, as a data set has them, and their values."""
    make = rng.choice(FIELD_TYPES)
    count = rng.choice([0, 1, 2, 3, rng.randrange(60), rng.randrange(60)])
    has_gaps = rng.random() < 0.2
    rows, values = [], []
    for _ in range(count):
        value = make(rng)
        row = {"a": 1}
        if not has_gaps or rng.random() < 0.7:
            inner = row
            for name in key.split(".")[:-1]:
                inner = inner.setdefault(name, {})
            inner[key.split(".")[-1]] = value
        else:
            value = None
        rows.append(row)
        values.append(value)
    is_there = any(len(row) > 1 for row in rows)
    return rows, values, is_there


def share(count, ratio, top):
    """None: nothing is said."""
    if not ratio:
        return top or None
    wanted = ratio * count
    return int(top if top and top < wanted else wanted)


def kept(values, is_there, key, params):
    wanted = share(len(values), params["top_ratio"], params["topk"])
    if len(values) <= 1 or wanted is None:
        return list(range(len(values)))
    if not is_there:
        return None
    largest = params["reverse"]
    if "." in key:
        values = [number(v, -sys.maxsize if largest else sys.maxsize) for v in values]
    try:
        pick = heapq.nlargest if largest else heapq.nsmallest
        return sorted(pick(wanted, range(len(values)), values.__getitem__))
    except TypeError:
        return None


def compare(host, operator, params, rows, expected):
    answer = host.run(operator, params, rows, batch=7)
    got = None if "error" in answer else sorted(i for i, _ in answer["rows"])
    return [] if got == expected else [(params, ascii(rows), expected, answer)]


def differs(host, rng):
    wrong = []
    for _ in range(150):
        key = rng.choice(["v", "m.v", "m.s.v"])
        rows, values, is_there = rows_of(rng, key)
        params = {"field_key": key, "top_ratio": rng.choice([None, None, 0, 0.1, 0.5, 0.9, 1]),
                  "topk": rng.choice([None, 0, 1, 2, 3, 10, 100]), "reverse": rng.random() < 0.5}
        wrong += compare(host, "topk_specified_field_selector", params, rows,
                         kept(values, is_there, key, params))
    return wrong
