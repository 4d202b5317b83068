#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random sequences of operators on random rows: a batch against a slow model of rows as ordered
lists of fields. Each sequence runs twice, the second time encoded anew after every operator.

Usage: model.py DRIVER [SEED [CASES]]
"""
import json
import random
import re
import struct
import subprocess
import sys

STATS = "__dj__stats__"
FILTER, MANY = 1, 2
VALUE, MISSING, NULL, OTHER, ESCAPED = range(5)
INTEGER = re.compile(r"-?(0|[1-9][0-9]*)\Z")
TOKEN = re.compile(r'[ \t\r\n]*("(?:[^"\\]|\\.)*"|[{}\[\],:]|[^{}\[\],: \t\r\n"]+)[ \t\r\n]*')


def wtf8(text):
    return text.encode("utf-8", "surrogatepass")


def hexed(text):
    data = text if isinstance(text, bytes) else wtf8(text)
    return data.hex() or "-"


def fields(text):
    """The fields of an object as [key token, value text]; blanks between tokens are lost."""
    tokens = TOKEN.findall(text)
    found, depth, key, value = [], 0, None, []
    for token in tokens[1:-1]:
        if depth == 0 and token == ",":
            found.append([key, "".join(value)])
            key, value = None, []
        elif depth == 0 and token == ":":
            continue
        elif key is None:
            key = token
        else:
            depth += (token in "{[") - (token in "}]")
            value.append(token)
    if key is not None:
        found.append([key, "".join(value)])
    return found


def joined(members):
    return "{" + ",".join(k + ":" + v for k, v in members) + "}"


def places(members, key):
    return [i for i, m in enumerate(members) if json.loads(m[0]) == key]


def escape(text):
    out = json.dumps(text, ensure_ascii=False)
    return "".join("\\u%04x" % ord(c) if 0xD800 <= ord(c) < 0xE000 else c for c in out)


def printed(kind, value):
    if kind == "string":
        return escape(value)
    if kind == "int64":
        return str(value)
    if kind == "double":
        return repr(value)
    if kind == "bool":
        return "true" if value else "false"
    return value


def is_number(token):
    return token[0] in "-0123456789"


def bits(value):
    return struct.pack("<d", value)


def equal(kind, value, token):
    if kind == "string":
        return token[0] == '"' and json.loads(token) == value
    if kind == "int64":
        return INTEGER.match(token) is not None and int(token) == value
    if kind == "double":
        return is_number(token) and bits(float(token)) == bits(value)
    if kind == "bool":
        return token == printed(kind, value)
    return token == value


def set_field(text, keys, kind, value):
    """The object's text with the field set, or removed; the same text if it has the value."""
    members = fields(text)
    at = places(members, keys[0])
    if kind == "missing":
        if not at:
            return text
        if len(keys) == 1:
            return joined([m for i, m in enumerate(members) if i not in at])
        inner = members[at[-1]][1]
        changed = set_field(inner, keys[1:], kind, value) if inner[0] == "{" else inner
        if changed == inner:
            return text
    elif at and len(keys) == 1 and equal(kind, value, members[at[-1]][1]):
        return text
    elif len(keys) == 1:
        changed = printed(kind, value)
    else:
        inner = members[at[-1]][1] if at else ""
        if inner[:1] != "{":
            inner = ""
        changed = set_field(inner or "{}", keys[1:], kind, value)
        if changed == inner:
            return text
    if at:
        members[at[-1]][1] = changed
        members = [m for i, m in enumerate(members) if i not in at[:-1]]
    else:
        members.append([escape(keys[0]), changed])
    return joined(members)


class Row:
    def __init__(self, text, source):
        members = fields(text)
        at = places(members, STATS)
        self.stats = members[at[-1]][1] if at else None
        self.object = joined([m for i, m in enumerate(members) if i not in at])
        self.source = source
        self.child = 0

    def copy(self):
        made = Row("{}", self.source)
        made.object, made.stats, made.child = self.object, self.stats, None
        return made

    def set(self, keys, kind, value):
        if keys[0] != STATS:
            self.object = set_field(self.object, keys, kind, value)
        elif len(keys) > 1:
            stats = self.stats if self.stats is not None and self.stats[0] == "{" else None
            changed = set_field(stats or "{}", keys[1:], kind, value)
            if stats is not None or kind != "missing":
                self.stats = changed
        elif kind == "missing":
            self.stats = None
        elif self.stats is None or not equal(kind, value, self.stats):
            self.stats = printed(kind, value)

    def text(self, keep):
        members = fields(self.object)
        if keep and self.stats is not None:
            members.append(['"%s"' % STATS, self.stats])
        return joined(members)

    def token(self, keys):
        text = self.text(True)
        for key in keys:
            if text[0] != "{":
                return None
            members = fields(text)
            at = places(members, key)
            if not at:
                return None
            text = members[at[-1]][1]
        return text

    def read(self, accessor, keys):
        token = self.token(keys)
        if token is None:
            return (MISSING, 0)
        if accessor == "json":
            return (VALUE, wtf8(token))
        if token == "null":
            return (NULL, 0)
        if accessor in ("strings", "tokens") and token[0] == '"':
            return (VALUE, wtf8(json.loads(token)))
        if accessor == "int64" and INTEGER.match(token) and -2**63 <= int(token) < 2**63:
            return (VALUE, int(token))
        if accessor == "double" and is_number(token):
            return (VALUE, float(token))
        if accessor == "bool" and token in ("true", "false"):
            return (VALUE, int(token == "true"))
        return (OTHER, 0)


PATHS = [["text"], ["meta", "lang"], ["meta"], ["n"], ["a\"b"], [STATS, "len"],
         [STATS, "meta.lang"], [STATS], [STATS, "deep", "er"], ["x", "y", "z"], ["flag"],
         ["x\ny"], ["u\u00e9"]]
SIMPLE_PATHS = [["text"], ["n"], [STATS, "len"], [STATS, "meta.lang"], ["flag"],
                ["u\u00e9"]]
KEYS = ["text", "meta", "lang", "n", "a\"b", STATS, "len", "x", "y", "flag", "other", "u\u00e9", ""]
TEXTS = ["", "a", "plain text", "line\nbreak", "\"quoted\\", "\u00e9\u4e2d\U0001F600", "\x00nul",
         "\ud800", "x\udc00y", "\x7f\x1f\b\f\r\t", "a/b", "long " * 40, "</script>"]
NUMBERS = ["0", "-0", "5", "5.0", "5.00", "1e2", "-17", "9007199254740993", "1e400", "0.1",
           "123456789012345678901234567890", "-9223372036854775808", "9223372036854775808", "1E+2"]
JSONS = ["{}", "[]", '{"a":1}', '{"lang":"en"}', '[1,{"text":"x"}]', "null", "true", '"str"',
         '"\\u0041"', "1.50", '{"len":3,"len":4}', '{"y":{"z":1}}']


class Maker:
    def __init__(self, rng, blanks):
        self.rng, self.blanks = rng, blanks

    def blank(self):
        return self.rng.choice(["", "", " ", "  ", "\t"]) if self.blanks else ""

    def string(self, text):
        way = self.rng.random()
        if way < 0.15:
            return json.dumps(text)
        if way < 0.3 and text:
            return '"\\u%04x' % ord(text[0]) + escape(text[1:])[1:] if ord(text[0]) < 0x10000 \
                else escape(text)
        return escape(text)

    def value(self, depth):
        rng = self.rng
        way = rng.random()
        if way < 0.4:
            return self.string(rng.choice(TEXTS))
        if way < 0.55:
            return rng.choice(NUMBERS)
        if way < 0.65:
            return rng.choice(["true", "false", "null"])
        if depth >= 3 or way < 0.72:
            return rng.choice(["[]", "[1,\"}\"]", "{}", "[{}]"])
        return self.object(depth + 1)

    def object(self, depth):
        rng = self.rng
        parts = []
        for _ in range(rng.choice([0, 1, 1, 2, 2, 3, 4, 5])):
            key = rng.choice(KEYS)
            value = self.object(depth + 1) if key in ("meta", "x", STATS) and rng.random() < 0.7 \
                and depth < 3 else self.value(depth)
            # An escaped key of the stats stays as it is only while nobody changes the row.
            name = escape(key) if key == STATS else self.string(key)
            parts.append(self.blank() + name + self.blank() + ":" + self.blank() + value
                         + self.blank())
        return "{" + (",".join(parts) or self.blank()) + "}"


class Case:
    """One batch, a script for the driver, and what each line of its output must be."""

    def __init__(self, rng, blanks):
        self.rng = rng
        self.blanks = blanks
        self.script, self.expected = [], []
        self.field = 0
        self.rejects = []
        # Some cases only do what the fast ways are for.
        self.simple = rng.random() < 0.4
        self.paths = rng.sample(SIMPLE_PATHS if self.simple else PATHS, rng.randint(1, 6))
        if [STATS] not in self.paths:
            self.paths.append([STATS])
        self.say("layout %d" % len(self.paths))
        for path in self.paths:
            self.say(" ".join(hexed(key) for key in path))
        maker = Maker(rng, blanks)
        self.load([maker.object(0) for _ in range(rng.choice([0, 1, 2, 5, 12]))])

    def say(self, line, *expected):
        self.script.append(line)
        self.expected.extend(expected)

    def load(self, texts):
        rng = self.rng
        lines, offsets, good, blank, at = [], [], [], 0, 0
        for text in texts:
            while rng.random() < 0.1:
                lines.append(rng.choice(["", "nope", "{\"a\":1} x", "  "]))
            lines.append(text)
        data = b""
        for line in lines:
            raw = wtf8(line)
            if line.strip() == "":
                blank += 1
            elif line in ("nope", "{\"a\":1} x"):
                self.rejects.append((len(data), -1, raw))
            else:
                good.append((line, len(data)))
            data += raw + rng.choice([b"\n", b"\n", b"\n", b"\r\n"])
        self.half = len(data) // 2
        self.rows = [Row(text, offset) for text, offset in good]
        self.raws = {offset: wtf8(text) for text, offset in good}
        self.say("rows " + hexed(data), "%d %d %d" % (len(good), len(lines), blank))

    def id_of(self, offset, child):
        if self.half > 0 and offset >= self.half:
            return "8.%d.%d" % (offset - self.half, child)
        return "7.%d.%d" % (1000 + offset, child)

    def number(self):
        for source in {row.source for row in self.rows if row.child is None}:
            count = 0
            for row in self.rows:
                if row.source == source and row.child != 0:
                    count += 1
                    row.child = count

    def check_rows(self):
        keep = self.rng.randint(0, 1)
        texts = [wtf8(row.text(keep)) for row in self.rows]
        self.say("encode %d" % keep, b"".join(text + b"\n" for text in texts))
        self.say("row_ids", "".join(self.id_of(r.source, r.child) + " " for r in self.rows))

    def value(self, present):
        """A new value; often one that is there, or was before the call."""
        rng = self.rng
        if present is not None and rng.random() < 0.3:
            if present[0] == '"':
                return "string", json.loads(present)
            if INTEGER.match(present) and -2**63 <= int(present) < 2**63 and rng.random() < 0.5:
                return "int64", int(present)
            if is_number(present) and abs(float(present)) < 1e300:
                return "double", float(present)
            # The model lost the blanks of the text, which a set of JSON is compared with.
            if not self.simple and not self.blanks:
                return "json", present
        kinds = ["string", "string", "string", "int64", "double", "bool"]
        kind = rng.choice(kinds if self.simple else kinds + ["json", "missing"])
        if kind == "string":
            return kind, rng.choice(TEXTS) + rng.choice(["", "", "!"])
        if kind == "int64":
            return kind, rng.choice([0, 5, -17, 2**63 - 1, -2**63, 9007199254740993])
        if kind == "double":
            return kind, rng.choice([5.0, 0.1, -0.0, 1e22, 1e-7, 100.0, 9007199254740992.0])
        if kind == "bool":
            return kind, rng.randint(0, 1)
        if kind == "missing":
            return kind, None
        return kind, "[%s, 0]" % rng.choice(JSONS) if self.blanks else rng.choice(JSONS)

    def set(self, field, row, target, before):
        if self.rng.random() < 0.4:
            field = self.field
        self.field = field
        path = self.paths[field]
        kind, value = self.value(self.rng.choice([target, before]).token(path))
        word = "%d %d" % (field, row)
        if kind in ("string", "json"):
            name = "alloc" if kind == "string" and self.rng.random() < 0.3 else kind
            self.say("%s %s %s" % (name, word, hexed(value)), "0")
        elif kind == "missing":
            self.say("missing " + word, "0")
        else:
            name = kind
            if len(path) == 2 and path[0] == STATS and kind != "bool":
                name = self.rng.choice([kind, "stat_" + kind])
            self.say("%s %s %s" % (name, word, repr(value)), "0")
        target.set(path, kind, value)

    def read(self, window):
        field = self.rng.randrange(len(self.paths))
        accessor = self.rng.choice(["strings", "strings", "tokens", "int64", "double", "bool",
                                    "json"])
        values = [row.read(accessor, self.paths[field]) for row in window]
        self.say("read %s %d" % (accessor, field), (accessor, values))

    def call(self, op, first, count, cardinality):
        """A call on rows [first, first + count); returns how many rows stand there now, and how
        many input rows are finished."""
        rng = self.rng
        window = self.rows[first:first + count]
        after = [row.copy() for row in window]
        children, dropped, failed, done = [], set(), {}, count
        self.say("call %d %d" % (first, count))
        self.reads = []
        for _ in range(rng.randint(0, 3)):
            self.read(window)
        for _ in range(rng.randint(0, 3 + 2 * count)):
            if count == 0:
                break
            way, row = rng.random(), rng.randrange(count)
            if way < 0.7:
                if children and rng.random() < 0.4:
                    which = rng.randrange(len(children))
                    self.set(rng.randrange(len(self.paths)), count + which, children[which][1],
                             window[children[which][0]])
                else:
                    self.set(rng.randrange(len(self.paths)), row, after[row], window[row])
            elif way < 0.78:
                self.say("drop %d" % row, "0")
                dropped.add(row)
            elif way < 0.82:
                self.say("fail %d %s" % (row, hexed("failed %d" % op)), "0")
                failed.setdefault(row, "failed %d" % op)
            elif way < 0.92 and cardinality == MANY:
                self.say("append %d" % row, "0 %d" % (count + len(children)))
                children.append((row, window[row].copy()))
            elif way < 0.94 and cardinality == MANY:
                done = rng.randint(1, count)
                self.say("consumed %d" % done, "0")
            else:
                self.read(window)
        if rng.random() < 0.1:
            self.say("abort")
            return count, count
        out, added = [], 0
        for i in range(done):
            if i in failed:
                continue
            after[i].child = window[i].child
            if i not in dropped:
                out.append(after[i])
            mine = [child for row, child in children if row == i]
            out.extend(mine)
            added += len(mine)
        gone = {i for i in failed if i < done}
        for i in failed:
            if i < done:
                self.rejects.append((window[i].source, op, self.raws[window[i].source],
                                     window[i].child, failed[i]))
        lost = len([i for i in dropped if i < done and i not in gone])
        self.say("commit", "%d %d %d %d %d" % (done, len(out), added, lost, len(gone)))
        self.rows[first:first + done] = out
        return len(out), done

    def operator(self, op):
        rng = self.rng
        cardinality = rng.choice([FILTER, FILTER, MANY])
        self.say("op %d %d 0 %d" % (op, cardinality, len(self.paths)))
        for i, path in enumerate(self.paths):
            self.say("%d %d" % (i, int(len(path) == 2 and path[0] == STATS)))
        size = rng.choice([1, 2, 3, 100])
        at, left = 0, len(self.rows)
        while left > 0 and rng.random() < 0.95:
            out, done = self.call(op, at, min(size, left), cardinality)
            at, left = at + out, left - done
        self.number()
        self.script.append("BOUNDARY")

    def finish(self):
        self.say("rejects", "".join(
            "%s %d -15 %s %s;" % (self.id_of(r[0], r[3] if len(r) > 3 else 0), r[1],
                                  hexed(r[4]) if len(r) > 3 else "*", hexed(r[2]))
            for r in self.rejects))


def agrees(expected, line, blanks):
    if isinstance(expected, bytes):
        got = b"" if line == "-" else bytes.fromhex(line)
        if blanks:
            texts = [text.decode("utf-8", "surrogatepass") for text in (got, expected)]
            return [[fields(row) for row in text.splitlines()] for text in texts[:1]] == \
                [[fields(row) for row in text.splitlines()] for text in texts[1:]]
        return got == expected
    if isinstance(expected, tuple):
        accessor, values = expected
        words = line.split()
        if len(words) != len(values):
            return False
        for word, (state, value) in zip(words, values):
            got_state, got = word.split(":")
            got_state = int(got_state)
            if accessor == "tokens" and got_state == ESCAPED:
                got_state = VALUE
                got = hexed(json.loads('"' + bytes.fromhex(got).decode("utf-8") + '"'))
            if got_state != state:
                return False
            if state != VALUE:
                continue
            if accessor in ("strings", "tokens"):
                good = got == hexed(value)
            elif accessor == "json":
                good = fields_of(bytes.fromhex(got)) == fields_of(value)
            elif accessor == "double":
                good = bits(float.fromhex(got)) == bits(value)
            else:
                good = int(got) == value
            if not good:
                return False
        return True
    if "*" in expected:
        return re.fullmatch(re.escape(expected).replace(r"\*", "[0-9a-f]+"), line) is not None
    return line == expected


def fields_of(data):
    """JSON text without the blanks between its tokens."""
    return "".join(TOKEN.findall(data.decode("utf-8", "surrogatepass")))


def run(driver, cases, again):
    script = []
    for case in cases:
        for line in case.script:
            if line != "BOUNDARY":
                script.append(line)
            elif again:
                script.append("reencode")
    done = subprocess.run([driver], input="\n".join(script) + "\n", capture_output=True, text=True)
    return done.returncode, done.stdout.split("\n")[:-1], done.stderr


def compare(cases, code, lines, again):
    """None, or what is wrong."""
    at = 0
    for number, case in enumerate(cases):
        expected = iter(case.expected)
        for line in case.script:
            if line == "BOUNDARY":
                at += again
                continue
            if not case.answers(line):
                continue
            want = next(expected)
            if at >= len(lines) or not agrees(want, lines[at], case.blanks):
                got = lines[at] if at < len(lines) else "(nothing, exit %d)" % code
                return number, line, want, got
            at += 1
    return None


def answers(self, line):
    word = line.split(" ")[0]
    return word not in ("layout", "op", "call", "abort") and not (
        re.fullmatch(r"([0-9a-f]+|-)( ([0-9a-f]+|-))*", line))


Case.answers = answers


def encodes(cases, lines, again):
    """Per case the bytes that `encode` gave."""
    found, at = [], 0
    for case in cases:
        mine = []
        for line in case.script:
            if line == "BOUNDARY":
                at += again
            elif case.answers(line):
                if line.startswith("encode"):
                    mine.append(lines[at])
                at += 1
        found.append(mine)
    return found


def main():
    driver = sys.argv[1]
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(10**9)
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 400
    rng = random.Random(seed)
    print("# seed %d" % seed)
    cases = []
    for i in range(count):
        case = Case(rng, blanks=i % 4 == 3)
        for op in range(rng.randint(1, 5)):
            case.operator(op)
            if rng.random() < 0.5:
                case.check_rows()
        case.check_rows()
        case.finish()
        cases.append(case)
    outputs = {}
    print("1..3")
    for number, again in enumerate((0, 1), 1):
        name = "rows_agree_with_the_model" + ("_when_encoded_at_every_boundary" if again else "")
        code, lines, errors = run(driver, cases, again)
        wrong = compare(cases, code, lines, again)
        good = wrong is None and code == 0
        print("%s %d - %s" % ("ok" if good else "not ok", number, name))
        outputs[again] = encodes(cases, lines, again) if good else None
        if not good:
            print("# %s" % errors[:3000].replace("\n", "\n# "))
            if wrong is not None:
                print("# case %d: %s\n#   want %.900r\n#   got  %.900s" % wrong)
                if "-v" in sys.argv:
                    print("\n".join(map(str, cases[wrong[0]].script)))
    good = outputs[0] is not None and outputs[0] == outputs[1]
    print("%s 3 - encoding_at_every_boundary_gives_the_same_bytes" % ("ok" if good else "not ok"))
    if outputs[0] is not None and outputs[1] is not None:
        for i, (a, b) in enumerate(zip(outputs[0], outputs[1])):
            if a != b:
                for x, y in zip(a, b):
                    if x != y:
                        print("# case %d\n#   %r\n#   %r" % (i, bytes.fromhex(x.strip("-")),
                                                          bytes.fromhex(y.strip("-"))))
                if "-v" in sys.argv:
                    print("\n".join(map(str, cases[i].script)))
                break
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
