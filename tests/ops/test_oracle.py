# SPDX-License-Identifier: Apache-2.0
"""Every oracle case of the text operators: python3 test_oracle.py HOST PLUGIN SHARED_DIR."""
import hashlib
import json
import os
import sys

import model
from harness import Host, Tap

OPERATORS = ["text_length_filter", "words_num_filter", "whitespace_normalization_mapper",
             "clean_links_mapper", "document_deduplicator"]


def run_one(host, name, case):
    answer = host.run(name, case["params"], case.get("rows") or [case["row"]])
    if "error" in answer:
        return {"error": answer["error"]["at"]}, answer
    if answer["failed"] and "row" in case:
        return {"error": "row"}, answer
    return None, answer


def hash_agrees(host, case, answer):
    """The key is that of the normal form whose MD5 the case gives."""
    text = case["row"][case["params"].get("text_key", "text")]
    if "__dj__hash" in case["row"]:
        return case["expect"]["hash"] == case["row"]["__dj__hash"] and answer["keys"]
    normal = model.normal_form(text, case["params"])
    if hashlib.md5(normal.encode()).hexdigest() != case["expect"]["hash"]:
        return False
    plain = host.run("document_deduplicator", {}, [{"text": normal}])
    return plain["keys"] == answer["keys"]


def agrees(host, name, case):
    expect = case["expect"]
    failure, answer = run_one(host, name, case)
    if failure or "error" in expect:
        return bool(failure) and "error" in expect, answer
    if "hash" in expect:
        return hash_agrees(host, case, answer), answer
    if "kept" in expect:
        return [i for i, _ in answer["rows"]] == expect["kept"], answer
    if "row" in expect:
        return answer["rows"] == [[0, expect["row"]]], answer
    # The row itself is dropped when it is not kept, so the stat then shows with an open range.
    kept = bool(answer["rows"])
    if kept != expect["keep"]:
        return False, answer
    if not kept:
        low, high = [p for p in model.BOUNDS if p[0].startswith(model.BOUND_PREFIX[name])][0]
        params = {k: v for k, v in case["params"].items() if k == "text_key"}
        answer = host.run(name, {**params, low: -(2 ** 62), high: 2 ** 62}, [case["row"]])
    return answer["rows"][0][1]["__dj__stats__"] == expect["stats"], answer


def main(program, plugin, shared):
    tap = Tap()
    if not shared:
        for name in OPERATORS:
            tap.skip(name, "no shared_dir")
        return tap.end()
    host = Host(program, plugin)
    for name in OPERATORS:
        with open(os.path.join(shared, "oracle", name + ".jsonl"), encoding="utf-8") as file:
            cases = [json.loads(line) for line in file]
        own = [c for c in cases if c["params"].get("pattern") is not None]
        refused = [c for c in own if run_one(host, name, c)[0] == {"error": "check"}]
        wrong = []
        for case in cases:
            if case in own:
                continue
            right, answer = agrees(host, name, case)
            if not right:
                wrong.append((case, answer))
        tap.check(not wrong, f"{name}: {len(cases) - len(own)} cases agree",
                  "\n".join(ascii(w)[:400] for w in wrong[:3]) + f"\n{len(wrong)} differ")
        if own:
            tap.check(len(refused) == len(own), f"{name}: {len(own)} own patterns are refused")
    tap.check(host.close() == 0, "the host ends clean")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
