# SPDX-License-Identifier: Apache-2.0
import heapq
import sys

from models import topk_specified_field_selector as topk


def kept(values, is_there, params):
    count = len(values)
    lower = [params["lower_percentile"], params["lower_rank"]]
    upper = [params["upper_percentile"], params["upper_rank"]]
    if count <= 1 or lower == [None, None] or upper == [None, None]:
        return list(range(count))
    if not is_there:
        return None
    low = max(int((lower[0] or 0) * count), lower[1] or 0)
    high = count if upper[0] is None else int(upper[0] * count)
    high = high if upper[1] is None else min(high, upper[1])
    high = max(low, high)
    values = [topk.number(v, -sys.maxsize) for v in values]
    smallest = heapq.nsmallest(high, range(count), values.__getitem__)
    largest = heapq.nlargest(high - low, range(len(smallest)), lambda i: values[smallest[i]])
    return sorted(smallest[i] for i in largest)


def differs(host, rng):
    wrong = []
    for _ in range(150):
        key = rng.choice(["v", "m.v"])
        rows, values, is_there = topk.rows_of(rng, key)
        params = {"field_key": key}
        for name in ("lower_percentile", "upper_percentile"):
            params[name] = rng.choice([None, 0, 0.1, 0.2, 0.5, 0.8, 1])
        for name in ("lower_rank", "upper_rank"):
            params[name] = rng.choice([None, None, 0, 1, 2, 5, 20, 100])
        wrong += topk.compare(host, "range_specified_field_selector", params, rows,
                              kept(values, is_there, params))
    return wrong
