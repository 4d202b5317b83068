# SPDX-License-Identifier: Apache-2.0
"""Random JSON values for the models of operators on fields of any type."""
TEXTS = ["", " ", "a", "b", "ab", "en", "zh", "\u00e9", "\u4e2d", "\ud83d", "\U0001f600", "\x00", "\"\\/",
         "10", "9", "1_0", "0", "-3", " 7 ", "1e3", "inf", "-Infinity", "NaN", "0x5", "1__0", "_1",
         "5.", ".5", ".", "1e", "+-1", "\uff11\u0663", "\u00bd", "5\u00a0", "\u30005\x1f", "1\x00",
         "1" * 500, "." + "0" * 400 + "1", "nan(1)", "1e-400", "1e400", "\u0967_\uff12", "1 0"]
NUMBERS = [0, -0.0, 0.0, 1, 1.0, True, False, -1, 2, 2.5, 3, 1e18, 1e22, 1e300, 2 ** 53, 2 ** 53 + 1,
           float(2 ** 53), 2 ** 63 - 1, 2 ** 63, -2 ** 63, -2 ** 63 - 1, float(2 ** 63), 2 ** 64 + 1,
           10 ** 25, 10 ** 25 + 1, 1e25, -10 ** 30, 10 ** 308, -5e-324, 0.1]


def scalar(rng):
    return rng.choice([None, rng.choice(NUMBERS), rng.choice(NUMBERS), rng.choice(TEXTS),
                       rng.choice(TEXTS), rng.randrange(-3, 4)])


def value(rng, depth=2):
    if depth == 0 or rng.random() < 0.6:
        return scalar(rng)
    if rng.random() < 0.6:
        return [value(rng, depth - 1) for _ in range(rng.randrange(4))]
    return {rng.choice(TEXTS[:10]): value(rng, depth - 1) for _ in range(rng.randrange(4))}


def same(a, b):
    """Equal, and bools only to bools, all the way down."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return isinstance(a, bool) == isinstance(b, bool) and a == b


def field_differs(host, operator, params, rows, verdicts, batch=50):
    """Rows on which a filter and its model differ; a verdict is (keep, stats), or None: fails."""
    answer = host.run(operator, params, rows, batch=batch)
    if "error" in answer:
        return [(params, answer)]
    got = dict(answer["rows"])
    failed = {f[0] for f in answer["failed"]}
    wrong = []
    for i, (row, verdict) in enumerate(zip(rows, verdicts)):
        if verdict is None:
            right = i in failed
        elif not verdict[0]:
            right = i not in got and i not in failed
        else:
            right = i in got and same(got[i].get("__dj__stats__", {}), verdict[1])
        if not right:
            wrong.append((params, ascii(row), verdict, ascii(got.get(i)), i in failed))
    return wrong
