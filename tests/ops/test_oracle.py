# SPDX-License-Identifier: Apache-2.0
"""Every oracle case of the text operators: python3 test_oracle.py HOST PLUGIN SHARED_DIR."""
import json
import os
import sys

import models
from harness import Host, Tap

# The operators of ours that stand for another one with cases of its own.
WITHOUT_CASES = {"ray_document_deduplicator", "ray_bts_minhash_deduplicator"}


def run_one(host, name, case):
    answer = host.run(name, case["params"], case["rows"] if "rows" in case else [case["row"]])
    if "error" in answer:
        return {"error": answer["error"]["at"]}, answer
    if answer["failed"] and ("row" in case or not answer["rows"]):
        return {"error": "row"}, answer
    return None, answer


def open_range(params, bounds):
    """A filter drops the row itself; with an open range it stays, and shows its stat."""
    flags = ("reversed_range", "min_closed_interval", "max_closed_interval")
    rest = {k: v for k, v in params.items() if k not in flags}
    return {**rest, bounds[0]: -(2 ** 62), bounds[1]: 2 ** 62}


def filter_agrees(host, name, case, answer):
    kept = bool(answer["rows"])
    bounds = getattr(models.load(name), "BOUNDS", None)
    if kept != case["expect"]["keep"]:
        return False, answer
    if not kept:
        if bounds is None:
            return True, answer
        answer = host.run(name, open_range(case["params"], bounds), [case["row"]])
    return answer["rows"][0][1].get("__dj__stats__", {}) == case["expect"]["stats"], answer


def agrees(host, name, case):
    own = getattr(models.load(name), "agrees", None)
    verdict = own(host, case) if own else None
    if verdict is not None:
        return verdict
    expect = case["expect"]
    failure, answer = run_one(host, name, case)
    if failure or "error" in expect:
        return bool(failure) and "error" in expect, answer
    if "kept" in expect:
        return sorted(i for i, _ in answer["rows"]) == sorted(expect["kept"]), answer
    if "row" in expect:
        return answer["rows"] == [[0, expect["row"]]], answer
    if "rows" in expect:
        return [row for _, row in answer["rows"]] == expect["rows"], answer
    return filter_agrees(host, name, case, answer)


def absolute(case, folder):
    """Word lists lie beside the cases."""
    params = {k: os.path.join(folder, v) if k in ("stopwords_dir", "flagged_words_dir") else v
              for k, v in case["params"].items()}
    return {**case, "params": params}


def main(program, plugin, shared):
    host, tap = Host(program, plugin), Tap()
    for name in host.operators():
        if name in WITHOUT_CASES:
            continue
        if not shared:
            tap.skip(name, "no shared_dir")
            continue
        folder = os.path.join(shared, "oracle")
        with open(os.path.join(folder, name + ".jsonl"), encoding="utf-8") as file:
            cases = [absolute(json.loads(line), folder) for line in file]
        wrong = []
        for case in cases:
            right, answer = agrees(host, name, case)
            if not right:
                wrong.append((case, answer))
        tap.check(not wrong, f"{name}: {len(cases)} cases agree",
                  "\n".join(ascii(w)[:400] for w in wrong[:3]) + f"\n{len(wrong)} differ")
    tap.check(host.close() == 0, "the host ends clean")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
