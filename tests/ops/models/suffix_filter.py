# SPDX-License-Identifier: Apache-2.0
import pyvalue


def differs(host, rng):
    wrong = []
    for _ in range(40):
        wanted = rng.choice([[], None, "", ".a", [rng.choice(pyvalue.TEXTS) for _ in range(3)]])
        params = {"suffixes": wanted, "reversed_range": rng.random() < 0.3}
        listed = [wanted] if isinstance(wanted, str) else wanted
        rows, verdicts = [], []
        for _ in range(50):
            suffix = rng.choice((listed or []) + [".a", "", pyvalue.value(rng)])
            has_field = rng.random() < 0.9
            rows.append({"__dj__suffix__": suffix} if has_field else {"x": suffix})
            keep = not listed or (suffix in listed) != params["reversed_range"]
            verdicts.append((keep, {}) if has_field or not listed else None)
        wrong += pyvalue.field_differs(host, "suffix_filter", params, rows, verdicts)
    return wrong
