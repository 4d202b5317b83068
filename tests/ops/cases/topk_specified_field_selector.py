# SPDX-License-Identifier: Apache-2.0
NAME = "topk_specified_field_selector"


def kept(host, params, values, **more):
    rows = [{"v": v, "m": {"v": v}} for v in values]
    answer = host.run(NAME, params, rows, **more)
    return [i for i, _ in answer["rows"]] if "rows" in answer else answer["error"]["message"]


def test_what_has_no_order(host, tap):
    for values in ([1, None, 2], [{"a": 1}, {"a": 2}], [1, "a"], [[1], [None]], ["a", ["a"]]):
        got = kept(host, {"field_key": "v", "topk": 1}, values)
        tap.check("row " in got and "'v'" in got, f"{values} is an error", got)
        got = kept(host, {"field_key": "v", "top_ratio": 0.1}, values)
        tap.check(got == [], "unless no row is wanted", got)
        got = kept(host, {"field_key": "m.v", "topk": len(values)}, values)
        tap.check(got == list(range(len(values))), "and not inside another field", got)
    answer = host.run(NAME, {"field_key": "zz", "topk": 1}, [{"v": 1}, {"v": 2}])
    tap.check("no row has a field 'zz'" in str(answer), "a field that is nowhere", answer)
    answer = host.run(NAME, {"field_key": "zz", "topk": 1}, [{"v": 1}])
    tap.check(len(answer.get("rows", [])) == 1, "one row stays whatever it has", answer)


def test_long_texts(host, tap):
    long = "x" * 10000
    values = [long + "b", long + "a", long, long + "b", "y", long[:64], long[:63], long[:128]]
    for count, want in ((1, [4]), (2, [0, 4]), (3, [0, 3, 4]), (4, [0, 1, 3, 4])):
        got = kept(host, {"field_key": "v", "topk": count}, values, batch=3)
        tap.check(got == want, f"{count} of texts that differ late", got)
    got = kept(host, {"field_key": "v", "topk": 3, "reverse": False}, values, batch=3)
    tap.check(got == [5, 6, 7], "a text comes behind those that begin it", got)


def test_many_rows(host, tap):
    values = [i * 7919 % 5003 for i in range(5003)]
    got = kept(host, {"field_key": "m.v", "topk": 300}, values)
    tap.check(got == [i for i in range(5003) if values[i] >= 4703], "the largest of many", len(got))
    values = ["nan"] * 70 + list(range(100))
    got = kept(host, {"field_key": "m.v", "top_ratio": 1}, values)
    tap.check(len(got) == 170, "what is no number among many", got)
