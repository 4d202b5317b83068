# SPDX-License-Identifier: Apache-2.0
"""Facts of the text operators: test_cases.py HOST PLUGIN. Those of one operator are in cases/."""
import importlib
import os

from facts import failure, kept
from harness import facts

CASES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cases")


def test_a_given_stat_decides(host, tap):
    for operator, key, low in (("text_length_filter", "text_len", "min_len"),
                               ("words_num_filter", "num_words", "min_num")):
        rows = [{"text": "a", "__dj__stats__": {key: value}} for value in (5, 5.5, 4.5, 4)]
        rows.append({"__dj__stats__": {key: 6}})
        answer = host.run(operator, {low: 5}, rows)
        got = [i for i, _ in answer["rows"]]
        tap.check(got == [0, 1, 4], f"{operator}: also without a text, also a fraction", answer)
        message = failure(host, operator, {}, {"text": "a", "__dj__stats__": {key: "x"}})
        tap.check("not a number" in message, f"{operator}: a stat that is text fails the row",
                  message)


def test_texts_that_are_none(host, tap):
    operators = ("text_length_filter", "words_num_filter", "whitespace_normalization_mapper",
                 "clean_links_mapper", "document_deduplicator")
    for operator in operators:
        for row, found in (({}, "no such field"), ({"t": None}, "null"), ({"t": 7}, "another type"),
                           ({"t": ["x"]}, "another type")):
            message = failure(host, operator, {"text_key": "t"}, row)
            tap.check("'t'" in message and found in message, f"{operator}: {row}", message)
        got = kept(host, operator, {"text_key": "a.b"}, []) == []
        answer = host.run(operator, {"text_key": "a.b"}, [{"a": {"b": "x y z " * 10}}])
        tap.check(got and len(answer["rows"]) == 1, f"{operator}: a nested text", answer)


def all_facts():
    found = dict(globals())
    for name in sorted(os.listdir(CASES)):
        if name.endswith(".py"):
            module = importlib.import_module("cases." + name[:-3])
            found.update({f"test_{name}.{k}": v for k, v in vars(module).items()
                          if k.startswith("test_")})
    return found


if __name__ == "__main__":
    facts(all_facts())
