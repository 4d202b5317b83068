# SPDX-License-Identifier: Apache-2.0
from facts import failure, kept


def test_ratios(host, tap):
    texts = ["", "a", "1", " ", "a ", "\u00b2", "\u2163\u2160", "\u0301", "\u4e2d\u3002"]
    stats = host.run("alphanumeric_filter", {"min_ratio": -1}, [{"text": t} for t in texts])["rows"]
    got = [row["__dj__stats__"]["alnum_ratio"] for _, row in stats]
    tap.check(got == [0, 1, 1, 0, 0.5, 1, 1, 0, 0.5], "letters and numbers of every kind", got)
    for bounds, want in (({"min_ratio": 0.5}, [1, 2, 4, 5, 6, 8]),
                         ({"min_ratio": 0.5, "min_closed_interval": False}, [1, 2, 5, 6]),
                         ({"min_ratio": 0.5, "max_ratio": 0.5, "reversed_range": True},
                          [0, 1, 2, 3, 4, 5, 6, 7, 8])):
        got = kept(host, "alphanumeric_filter", bounds, texts)
        tap.check(got == want, f"bounds {bounds}", got)
    tap.check("tokenization" in failure(host, "alphanumeric_filter", {"tokenization": True}, {}),
              "a tokenizer is refused by name")


def test_counts_are_shared(host, tap):
    rows = [{"text": t} for t in ("a b c", "", "x")] + [{"text": 7}]
    for operator in ("alphanumeric_filter", "special_characters_filter"):
        answer = host.run(operator, {"max_ratio": 9, "min_ratio": -9}, rows)
        tap.check([i for i, *_ in answer["failed"]] == [3], f"{operator}: the row without text",
                  answer)
