# SPDX-License-Identifier: Apache-2.0
import sys

import pyvalue
import rules
from models import specified_field_filter


def verdict(value, low, high, params):
    if not value:
        return False
    if isinstance(value, str):
        try:
            number = float(value)
        except ValueError:
            return False
    else:
        try:
            number = float(value)
        except (TypeError, OverflowError):
            return None
    return rules.keeps(number, low, high, params)


def differs(host, rng):
    wrong = []
    for _ in range(40):
        key = rng.choice(["f", "m.f", ""])
        bounds = [-sys.maxsize, sys.maxsize, 1, 0, -5, 10.5, 1e300, 2 ** 53 + 1, 10 ** 25]
        low, high = rng.choice(bounds), rng.choice(bounds)
        params = {"field_key": key, "min_value": low, "max_value": high}
        for flag in ("reversed_range", "min_closed_interval", "max_closed_interval"):
            if rng.random() < 0.4:
                params[flag] = rng.random() < 0.5
        rows, verdicts = specified_field_filter.rows_of(
            rng, key, lambda: rng.choice([pyvalue.value(rng, 1), rng.choice(pyvalue.TEXTS),
                                          rng.choice(pyvalue.NUMBERS), low, high, 10 ** 400]),
            lambda value: verdict(value, low, high, params))
        wrong += pyvalue.field_differs(host, "specified_numeric_field_filter", params, rows,
                                       verdicts)
    return wrong
