# SPDX-License-Identifier: Apache-2.0
"""Facts of the lab operators: python3 test_lab.py HOST PLUGIN."""
import json
import os
import signal
import subprocess
import sys
import tempfile

from harness import facts

EINVAL, ENOMEM, EAGAIN, ECANCELLED, EIO, EDATA, EINSTANCE, EFATAL = \
    -1, -2, -7, -12, -13, -15, -16, -17
seeds = iter(range(1000, 2000))


def rows_of(count):
    return [{"id": i, "text": str(i)} for i in range(count)]


def run(host, operator, params, count=6, **more):
    """Each run has counters of its own."""
    more.setdefault("seed", next(seeds))
    return host.run(operator, params, rows_of(count), **more)


def ids(answer):
    return [row["id"] for _, row in answer.get("rows", [])]


def test_paces_leave_rows_alone(host, tap):
    for operator in ("lab_spin_mapper", "lab_sleep_mapper"):
        answer = run(host, operator, {"us_per_row": 1.5, "us_per_batch": 10})
        tap.check([row for _, row in answer["rows"]] == rows_of(6), operator, answer)
        answer = run(host, operator, {"us_per_batch": 1e12}, cancelled=True)
        tap.check(answer["calls"] == [ECANCELLED], f"{operator} ends when cancelled", answer)
        answer = run(host, operator, {"us_per_row": -1})
        tap.check(answer["error"]["at"] == "check", f"{operator}: a negative time is refused",
                  answer)


def test_models(host, tap):
    for operator in ("lab_model_mapper", "lab_shared_mapper"):
        answer = run(host, operator, {"memory_mb": 1})
        tap.check([row["lab_model"] for _, row in answer["rows"]] == [True] * 6,
                  f"{operator} marks rows", answer)
        tap.check(answer["charged"] == 1 << 20, f"{operator} charges its memory", answer)
        answer = run(host, operator, {"mark": False})
        tap.check([row for _, row in answer["rows"]] == rows_of(6), f"{operator} without mark")
        answer = run(host, operator, {"fail_loads": 2}, instances=2)
        tap.check(answer["error"]["code"] == EIO, f"{operator}: two loads fail", answer)
        answer = run(host, operator, {"fail_loads": 2}, instances=3)
        tap.check(ids(answer) == list(range(6)), f"{operator}: the third load works", answer)
        answer = run(host, operator, {"fail_loads": -1}, instances=9)
        tap.check(answer["error"]["code"] == EIO, f"{operator}: all loads fail", answer)


def test_failing_rows(host, tap):
    for operator in ("lab_fail_mapper", "lab_fail_once_mapper"):
        for params, bad in (({"rows": [1, 4]}, [1, 4]), ({"rows": 2}, [2]), ({}, []),
                            ({"every": 3}, [0, 3]), ({"calls": [2]}, [2, 3]),
                            ({"rows": [0], "times": 0}, []), ({"rows": [0, 2], "times": 1}, [0]),
                            ({"field": "none", "rows": [1]}, [])):
            answer = run(host, operator, {"message": "oh", **params}, batch=2)
            got = [i for i, code, text in answer["failed"] if (code, text) == (EDATA, "oh")]
            tap.check(got == bad and ids(answer) == [i for i in range(6) if i not in bad],
                      f"{operator}: rows of {params}", answer)


def test_failing_calls(host, tap):
    for code, value in (("error", EDATA), ("eagain", EAGAIN), ("enomem", ENOMEM),
                        ("einstance", EINSTANCE), ("efatal", EFATAL)):
        answer = run(host, "lab_fail_mapper", {"rows": [3], "code": code, "message": "oh"}, batch=2)
        tap.check(answer["calls"] == [0, value] and answer["error"]["message"] == "oh",
                  f"{code} from the call with the row", answer)
        answer = run(host, "lab_fail_mapper", {"rows": [3], "code": code, "times": 2}, batch=2,
                     attempts=3)
        tap.check(answer["calls"] == [0, value, value, 0, 0] and ids(answer) == list(range(6)),
                  f"{code} two times", answer)
    answer = run(host, "lab_fail_mapper", {"max_rows": 2, "code": "enomem"}, batch=3)
    tap.check(answer["calls"] == [ENOMEM], "a call with too many rows", answer)
    answer = run(host, "lab_fail_mapper", {"max_rows": 2, "code": "enomem"}, batch=2)
    tap.check(answer["calls"] == [0, 0, 0], "calls with few rows", answer)
    answer = run(host, "lab_fail_mapper", {"code": "oops"})
    tap.check(answer["error"]["at"] == "check", "an unknown code is refused", answer)


def test_failing_until_a_file_exists(host, tap):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "go")
        params = {"every": 1, "until_file": path}
        answer = run(host, "lab_fail_mapper", params)
        tap.check(ids(answer) == [], "all rows fail before", answer)
        with open(path, "w", encoding="utf-8"):
            pass
        answer = run(host, "lab_fail_mapper", params)
        tap.check(ids(answer) == list(range(6)), "none fails after", answer)
        answer = run(host, "lab_hang_mapper", {"until_file": path})
        tap.check(ids(answer) == list(range(6)), "nothing hangs after", answer)
    answer = run(host, "lab_hang_mapper", {}, cancelled=True)
    tap.check(answer["calls"] == [ECANCELLED], "a hanging call ends when cancelled", answer)
    answer = run(host, "lab_hang_mapper", {"on_id": 77}, cancelled=True)
    tap.check(answer["calls"] == [0], "no row, no hanging", answer)


def test_expanding(host, tap):
    for params, calls in (({"n": 3}, [0]), ({"n": 0}, [0]), ({}, [0]),
                          ({"n": 2, "more_rows": 4}, [1, 0]), ({"more_rows": 1}, [1] * 5 + [0]),
                          ({"more_rows": 6}, [0])):
        answer = run(host, "lab_expand_mapper", params)
        want = [{**row, "lab_child": k} for row in rows_of(6) for k in range(params.get("n", 2))]
        tap.check([row for _, row in answer["rows"]] == want and answer["calls"] == calls,
                  f"children of {params}", answer)
    answer = run(host, "lab_expand_mapper", {"n_field": "id"}, count=4)
    tap.check(ids(answer) == [1, 2, 2, 3, 3, 3], "n from a field", answer)


def test_changing_and_dropping(host, tap):
    answer = run(host, "lab_append_mapper", {"suffix": "-\u00e9"})
    tap.check([row["text"] for _, row in answer["rows"]] == [f"{i}-\u00e9" for i in range(6)],
              "a suffix", answer)
    answer = run(host, "lab_append_mapper", {"suffix": "-\0+"})
    tap.check([row["text"] for _, row in answer["rows"]] == [f"{i}-\0+" for i in range(6)],
              "a suffix with a NUL in it", answer)
    answer = run(host, "lab_alloc_mapper", {"bytes_per_row": 7})
    tap.check([row["lab_alloc"] for _, row in answer["rows"]] == ["x" * 7] * 6, "grown", answer)
    answer = run(host, "lab_alloc_mapper", {"hold": False})
    tap.check([row for _, row in answer["rows"]] == rows_of(6), "grown and shrunk", answer)
    answer = run(host, "lab_drop_filter", {"modulo": 3, "remainder": 1})
    tap.check(ids(answer) == [1, 4], "a remainder", answer)
    answer = run(host, "lab_drop_filter", {"field": "text"})
    tap.check(len(answer["failed"]) == 6, "a field that is no integer", answer)
    answer = run(host, "lab_batch_mapper", {}, batch=4)
    tap.check([row["lab_batch"] for _, row in answer["rows"]] == [4] * 4 + [2] * 2, "call sizes",
              answer)


def test_globals(host, tap):
    for batch in (1, 4, 100):
        answer = run(host, "lab_count_global", {"n": 3}, batch=batch)
        tap.check(ids(answer) == [0, 3], f"every third row, batches of {batch}", answer)
        answer = run(host, "lab_repeat_global", {"count": 2}, count=2, batch=batch)
        tap.check(ids(answer) == [0, 0, 1, 1], f"each row twice, batches of {batch}", answer)
    answer = run(host, "lab_repeat_global", {"count": 0})
    tap.check(ids(answer) == [], "no row at all", answer)


def block_signals():
    """As the threads of the library do."""
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())


def crash(params, prepare=None):
    request = {"operator": "lab_crash_mapper", "params": params, "rows": rows_of(3), "batch": 1}
    done = subprocess.run(sys.argv[1:3], input=json.dumps(request).encode() + b"\n",
                          capture_output=True, check=False, preexec_fn=prepare,
                          env={**os.environ, "ASAN_OPTIONS": "handle_segv=0:handle_abort=0",
                               "TSAN_OPTIONS": "handle_segv=0:handle_abort=0"})
    return done.returncode


def test_crashing(host, tap):
    for how, status in (("abort", -6), ("segv", -11), ("kill", -9), ("exit", 3)):
        got = crash({"how": how})
        tap.check(got == status, f"{how} ends the process", got)
        got = crash({"how": how}, block_signals)
        tap.check(got == status, f"{how} ends a process whose threads block signals", got)
    tap.check(crash({"on_id": 9}) == 0, "no row, no crash")
    with tempfile.TemporaryDirectory() as folder:
        params = {"on_id": 2, "once_file": os.path.join(folder, "crashed"), "how": "exit"}
        got = [crash(params), crash(params)]
        tap.check(got == [3, 0], "once", got)


if __name__ == "__main__":
    facts(globals())
