# SPDX-License-Identifier: Apache-2.0
from facts import HALF, PAIR, kept


def test_lengths_count_code_points(host, tap):
    texts = ["ab", "a" + PAIR, HALF + "b", "\n\\", "\u4e2d\u00e9", "a", "abc"]
    for stats in (True, False):
        got = kept(host, "text_length_filter", {"min_len": 2, "max_len": 2}, texts, stats=stats)
        tap.check(got == [0, 1, 2, 3, 4], f"an escape is one code point, stats {stats}", got)


def test_stats_are_written_only_when_wanted(host, tap):
    rows = [{"text": "abc"}]
    answer = host.run("text_length_filter", {"min_len": 0}, rows, stats=False)
    tap.check(answer["rows"] == [[0, {"text": "abc"}]], "no stat without a reader", answer)
    answer = host.run("text_length_filter", {"min_len": 0}, rows)
    tap.check(answer["rows"][0][1]["__dj__stats__"] == {"text_len": 3}, "the stat is in the row",
              answer)


def test_bounds(host, tap):
    texts = ["a" * n for n in range(8)]
    for params, want in (
            ({"min_len": 2, "max_len": 4}, [2, 3, 4]),
            ({"min_len": 2, "max_len": 4, "min_closed_interval": False}, [3, 4]),
            ({"min_len": 2, "max_len": 4, "max_closed_interval": False}, [2, 3]),
            ({"min_len": 2, "max_len": 4, "reversed_range": True}, [0, 1, 2, 4, 5, 6, 7]),
            ({"min_len": 2, "max_len": 4, "reversed_range": True, "min_closed_interval": False,
              "max_closed_interval": False}, [0, 1, 5, 6, 7]),
            ({"min_len": 4, "max_len": 2}, []),
            ({"min_len": 2 ** 63 - 1, "min_closed_interval": False}, []),
            ({"min_len": -2 ** 63, "max_len": -2 ** 63, "max_closed_interval": False,
              "reversed_range": True}, list(range(8)))):
        for stats in (True, False):
            got = kept(host, "text_length_filter", params, texts, stats=stats)
            tap.check(got == want, f"{params}, stats {stats}", got)
