# SPDX-License-Identifier: Apache-2.0
import pyvalue



def verdict(value, target, is_reversed):
    if not target:
        return True
    values = value if isinstance(value, list) else [value]
    for item in values:
        if isinstance(target, str) and not isinstance(item, str):
            return None
        if item not in target:
            return is_reversed
    return not is_reversed


def row_of(rng, key, value):
    row = {"a": 1}
    if rng.random() < 0.1:
        return row
    inner = row
    for name in key.split(".")[:-1]:
        inner = inner.setdefault(name, {})
    inner[key.split(".")[-1]] = value
    return row


def rows_of(rng, key, make, decide):
    """Rows with values, some with a stat in front of them, and what becomes of each."""
    rows, verdicts = [], []
    for _ in range(50):
        value = make()
        row = row_of(rng, key, value)
        stats = {}
        has_value = len(row) > 1
        if rng.random() < 0.2:
            value = make()
            stats = {key: value, "other": 1} if rng.random() < 0.5 else {key: value}
            row["__dj__stats__"] = stats
            has_value = True
        elif rng.random() < 0.2:
            row["__dj__stats__"] = stats = rng.choice([{}, {"other": [1]}])
        keep = decide(value) if has_value else None
        rows.append(row)
        verdicts.append(None if keep is None else (keep, {**stats, key: value}))
    return rows, verdicts


def differs(host, rng):
    wrong = []
    for _ in range(40):
        key = rng.choice(["f", "m.f", "m.x.f", ""])
        target = [pyvalue.value(rng) for _ in range(rng.randrange(6))]
        if rng.random() < 0.3:
            target = rng.choice(pyvalue.TEXTS)
        is_reversed = rng.random() < 0.3
        pool = [pyvalue.value(rng) for _ in range(5)] + (target if isinstance(target, list) else
                                                         [target, target[:2]])
        rows, verdicts = rows_of(rng, key, lambda: rng.choice(
            [rng.choice(pool), rng.choice(pool), [rng.choice(pool) for _ in range(2)]]),
            lambda value: verdict(value, target, is_reversed))
        params = {"field_key": key, "target_value": target, "reversed_range": is_reversed}
        wrong += pyvalue.field_differs(host, "specified_field_filter", params, rows, verdicts)
    return wrong
