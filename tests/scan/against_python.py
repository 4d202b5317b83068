#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the scanner with Python's json: against_python.py SCAN_DUMP [SEED [COUNT]]. Prints TAP.

Verdict of every line and the decoded values of the wanted fields, for every instruction set. Left out
are the places where Python's grammar is another: rows that are no objects and nesting beyond what its
parser can take. NaN and Infinity are made errors, numbers are compared as text.
"""
import json
import random
import subprocess
import sys
import time

PATHS = ["text", "id", "meta", "meta.lang", "a.b.c", "a.b", "h\u00e9", "\\"]
ISAS = ["plain", "sse4.2", "avx2", "avx512", "neon"]
SKIPPED = 77
TYPES = {"0": "missing", "1": None, "2": False, "3": True, "4": "number", "5": "string",
         "6": "string", "7": "object", "8": "array"}


class Number(str):
    """The text of a number."""


def refuse(constant):
    raise ValueError(constant)


def parse(text):
    return json.loads(text, parse_int=Number, parse_float=Number, parse_constant=refuse)


def expected(line):
    """The row as Python sees it, or None if the line is none."""
    try:
        row = parse(line.decode("utf-8"))
    except ValueError:
        return None
    return row if isinstance(row, dict) else None


def look_up(row, path):
    for key in path.split("."):
        if not isinstance(row, dict) or key not in row:
            return None, False
        row = row[key]
    return row, True


def agrees(row, path, field):
    """Whether the dumped field is what Python has under the path."""
    kind, _, content = field.partition(":")
    raw = bytes.fromhex(content)
    value, is_there = look_up(row, path)
    kind = TYPES[kind]
    if kind == "missing" or not is_there:
        return kind == "missing" and not is_there
    if kind is None or isinstance(kind, bool):
        return value is kind
    if kind == "number":
        return isinstance(value, Number) and value == raw.decode()
    if kind == "string":
        return (isinstance(value, str) and not isinstance(value, Number)
                and value.encode("utf-8", "surrogatepass") == raw)
    return isinstance(value, {"object": dict, "array": list}[kind]) and value == parse(raw.decode())


# Odd rows

def odd_number(rng):
    sign = rng.choice(["", "", "-"])
    whole = rng.choice(["0", "7", "10", "123456789", str(rng.getrandbits(rng.choice([8, 64, 3000])))])
    fraction = rng.choice(["", "", "." + str(rng.getrandbits(rng.choice([4, 40, 400])))])
    exponent = rng.choice(["", "", "e400", "E-7", "e+00", "e" + str(rng.getrandbits(70))])
    return sign + whole + fraction + exponent


def odd_string(rng):
    parts = []
    for _ in range(rng.choice([0, 1, 3, 30, 120])):
        parts.append(rng.choice([
            "a", "xyz ", "word " * 9, "\u00e9", "\u20ac\u4f60\u597d", "\U0001f600", "\u007f", "\ud7ff",
            "\\n", "\\\\", '\\"', "\\/", "\\u0000", "\\u00E9", "\\ud800", "\\udc00", "\\ud83d\\ude00",
            "\\uD83D", "\\u4f60" * 3]))
    return '"' + "".join(parts) + '"'


def blank(rng):
    return rng.choice(["", "", "", " ", "  ", "\t", "\r", " " * 70])


def odd_key(rng):
    return rng.choice(['"text"', '"id"', '"meta"', '"lang"', '"a"', '"b"', '"c"', '"h\u00e9"', '"\\\\"',
                       '"\\u0074ext"', '"m\\u0065ta"', '"h\\u00e9"', '"\\u005c"', '""', odd_string(rng)])


def odd_value(rng, depth):
    kind = rng.randrange(9 if depth < 6 else 6)
    if kind < 2:
        return odd_string(rng)
    if kind < 4:
        return odd_number(rng)
    if kind < 6:
        return rng.choice(["true", "false", "null"])
    if kind < 7:
        return odd_object(rng, depth + 1)
    if kind < 8:
        return "[" + ",".join(blank(rng) + odd_value(rng, depth + 1) + blank(rng)
                              for _ in range(rng.randrange(5))) + "]"
    return "[" + ",".join(blank(rng) + odd_number(rng) + blank(rng)
                          for _ in range(rng.randrange(1, 40))) + "]"


def odd_object(rng, depth):
    members = (blank(rng) + odd_key(rng) + blank(rng) + ":" + blank(rng) + odd_value(rng, depth) +
               blank(rng) for _ in range(rng.randrange(7)))
    return "{" + ",".join(members) + "}"


def usual_row(rng, number):
    return json.dumps({"id": number, "text": "word " * rng.randrange(40) + "\n\u00e9",
                       "meta": {"lang": rng.choice(["en", "de"]), "score": rng.random()},
                       "v": [rng.gauss(0, 1) for _ in range(rng.randrange(30))]},
                      ensure_ascii=rng.random() < 0.5)


def mutate(rng, line):
    line = bytearray(line)
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(line)) if line else 0
        how = rng.randrange(4)
        piece = rng.choice([b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b" ", b"0", b"9", b"-", b".",
                            b"e", b"\\u", b"\x00", b"\x1f", b"\x80", b"\xc3", b"\xed\xa0\x80", b"\xff",
                            b"\xf4\x90\x80\x80", b"NaN", b"1.5.", b"\xef\xbb\xbf"])
        if how == 0:
            line[at:at + 1] = b""
        elif how == 1:
            line[at:at] = piece
        elif how == 2:
            line[at:at + len(piece)] = piece
        else:
            line[at:] = b""
    return bytes(line).replace(b"\n", b" ")


def make_lines(rng, count):
    for number in range(count):
        row = usual_row(rng, number) if rng.random() < 0.4 else odd_object(rng, 1)
        line = row.encode("utf-8", "surrogatepass")
        if rng.random() < 0.5:
            line = mutate(rng, line)
        if line.count(b"[") + line.count(b"{") < 300:
            yield blank(rng).encode() + line + rng.choice([b"", b"", b"\r"])


def difference(lines, dumped):
    """What the first disagreement is, or None."""
    lines = [line for line in lines if line.strip(b" \t\r")]
    if len(lines) != len(dumped):
        return f"{len(lines)} lines, but {len(dumped)} verdicts"
    for line, verdict in zip(lines, dumped):
        row = expected(line)
        words = verdict.split(" ")
        if (words[0] == "row") != (row is not None):
            return f"{verdict[:60]!r}, Python: {row is not None} for {line!r}"
        if row is None:
            continue
        for path, field in zip(PATHS, words[1:]):
            if not agrees(row, path, field):
                return f"{path} is {field[:80]!r} for {line!r}"
    return None


def check(number, dump, isa, lines):
    run = subprocess.run([dump, isa, *PATHS], input=b"\n".join(lines) + b"\n", capture_output=True)
    if run.returncode == SKIPPED:
        print(f"ok {number} - {isa} # SKIP this machine lacks it")
        return True
    found = run.stderr.decode() or f"exit {run.returncode}"
    if run.returncode == 0:
        found = difference(lines, run.stdout.decode().splitlines())
    print(f"{'ok' if found is None else 'not ok'} {number} - {isa} agrees with Python")
    if found is not None:
        print("# " + found)
    return found is None


def main():
    dump = sys.argv[1]
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time())
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 4000
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)
    lines = list(make_lines(random.Random(seed), count))
    good = sum(expected(line) is not None for line in lines)
    print(f"1..{len(ISAS)}\n# seed {seed}: {len(lines)} lines, {good} of them rows")
    results = [check(i + 1, dump, isa, lines) for i, isa in enumerate(ISAS)]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
