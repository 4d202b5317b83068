# SPDX-License-Identifier: Apache-2.0
from facts import failure

NAME = "random_selector"
# numpy.random.default_rng(42).permutation(n)
FACTS = {5: [4, 2, 3, 1, 0], 10: [5, 6, 0, 7, 3, 2, 4, 9, 1, 8],
         17: [12, 16, 11, 6, 10, 9, 7, 3, 0, 15, 5, 2, 4, 14, 1, 13, 8]}


def test_permutations(host, tap):
    for count, order in FACTS.items():
        wrong = []
        for number in range(1, 2 * count):
            answer = host.run(NAME, {"select_num": number}, [{"i": i} for i in range(count)], batch=3)
            got = [i for i, _ in answer["rows"]]
            if got != sorted((order * 2)[:number]):
                wrong.append((number, got))
        tap.check(not wrong, f"{count} rows are picked in numpy's order", wrong)


def test_parameters(host, tap):
    rows = [{}, {}]
    message = failure(host, NAME, {"select_num": 2 ** 40}, rows[0])
    tap.check(message == "", "one row stays one row, whatever the number", message)
    answer = host.run(NAME, {"select_num": 2 ** 40}, rows)
    tap.check("select_num" in str(answer.get("error")), "too many copies of a row", answer)
    for name, value in (("select_ratio", 1.5), ("select_ratio", -0.1), ("select_num", -1)):
        message = failure(host, NAME, {name: value}, {})
        tap.check(name in message, f"{name} {value} is refused", message)
