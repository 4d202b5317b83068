# SPDX-License-Identifier: Apache-2.0
import pyvalue
from models import topk_specified_field_selector as topk


def kept(values, is_there, params):
    if len(values) <= 1:
        return list(range(len(values)))
    if not is_there or any(isinstance(v, (list, dict)) for v in values):
        return None
    groups = {}
    for i, value in enumerate(values):
        groups.setdefault(value, []).append(i)
    wanted = topk.share(len(groups), params["top_ratio"], params["topk"])
    chosen = sorted(groups.values(), key=len, reverse=params["reverse"])[:wanted]
    return sorted(i for group in chosen for i in group)


def rows_of(rng, key):
    rows, values, is_there = topk.rows_of(rng, key)
    if rng.random() < 0.6 and is_there:
        # Of all types: equal ones are one value.
        pool = [pyvalue.scalar(rng) for _ in range(rng.randrange(1, 12))]
        values = [rng.choice(pool) for _ in rows]
        rows = [topk_row(key, v) for v in values]
    return rows, values, is_there


def topk_row(key, value):
    for name in reversed(key.split(".")):
        value = {name: value}
    return value


def differs(host, rng):
    wrong = []
    for _ in range(150):
        key = rng.choice(["v", "m.v"])
        rows, values, is_there = rows_of(rng, key)
        params = {"field_key": key, "top_ratio": rng.choice([None, None, 0, 0.1, 0.5, 0.9, 1]),
                  "topk": rng.choice([None, 0, 1, 2, 3, 10]), "reverse": rng.random() < 0.5}
        wrong += topk.compare(host, "frequency_specified_field_selector", params, rows,
                              kept(values, is_there, params))
    many = [{"v": rng.randrange(3000)} for _ in range(5000)]
    params = {"field_key": "v", "top_ratio": 0.3, "topk": None, "reverse": True}
    return wrong + topk.compare(host, "frequency_specified_field_selector", params, many,
                                kept([r["v"] for r in many], True, params))
