# SPDX-License-Identifier: Apache-2.0
import pyvalue
from models import frequency_specified_field_selector as frequency
from models import topk_specified_field_selector as topk


def kept(values, is_there, tags):
    if len(values) <= 1:
        return list(range(len(values)))
    if not is_there or any(isinstance(v, (list, dict)) for v in values):
        return None
    return [i for i, value in enumerate(values) if value in list(tags)]


def differs(host, rng):
    wrong = []
    for _ in range(150):
        key = rng.choice(["v", "m.v"])
        rows, values, is_there = frequency.rows_of(rng, key)
        pool = [v for v in values if not isinstance(v, (list, dict))] or [None]
        tags = [rng.choice([pyvalue.scalar(rng), rng.choice(pool)]) for _ in range(rng.randrange(4))]
        if rng.random() < 0.2:
            tags = rng.choice(pyvalue.TEXTS + ["ab\u00e9\U0001f600"])
        params = {"field_key": key, "target_tags": tags}
        wrong += topk.compare(host, "tags_specified_field_selector", params, rows,
                              kept(values, is_there, tags))
    return wrong
