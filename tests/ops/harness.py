# SPDX-License-Identifier: Apache-2.0
"""The fake host as a Python object, and TAP lines."""
import json
import subprocess
import sys

# Rows may hold numbers of any length.
if hasattr(sys, "set_int_max_str_digits"):
    sys.set_int_max_str_digits(0)


class Host:
    def __init__(self, program, plugin):
        self.process = subprocess.Popen([program, plugin], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)

    def ask(self, request):
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"Bail out! the host ended with {self.process.wait()} at "
                     f"{json.dumps(request)[:500]}")
        return json.loads(line.decode("utf-8", "surrogatepass"))

    def run(self, operator, params, rows, **more):
        return self.ask({"operator": operator, "params": params, "rows": rows, **more})

    def operators(self):
        return self.ask({"list": True})

    def close(self):
        self.process.stdin.close()
        return self.process.wait()


class Tap:
    def __init__(self):
        self.count = self.failed = 0

    def note(self, text):
        for line in str(text).splitlines():
            print("# " + line)

    def check(self, passes, name, details=""):
        self.count += 1
        self.failed += not passes
        print(f"{'ok' if passes else 'not ok'} {self.count} - {name}")
        if not passes:
            self.note(details)
        return passes

    def skip(self, name, why):
        self.count += 1
        print(f"ok {self.count} - {name} # SKIP {why}")

    def end(self):
        print(f"1..{self.count}")
        return 1 if self.failed else 0


def facts(namespace):
    """Runs every function test_*(host, tap) of a module: python3 test_x.py HOST PLUGIN."""
    host, tap = Host(sys.argv[1], sys.argv[2]), Tap()
    for name, function in list(namespace.items()):
        if name.startswith("test_"):
            function(host, tap)
    tap.check(host.close() == 0, "the host ends clean")
    sys.exit(tap.end())
