# SPDX-License-Identifier: Apache-2.0
"""Random rows against the plain models: python3 test_model.py HOST PLUGIN [SHARED_DIR [SEED..]]."""
import random
import sys

import models
from harness import Host, Tap


def main(program, plugin, shared="", *seeds):
    host, tap = Host(program, plugin), Tap()
    for name in host.operators():
        model = models.load(name)
        if not tap.check(model is not None, f"{name} has a model"):
            continue
        for seed in map(int, seeds or (1, 2)):
            wrong = model.differs(host, random.Random(seed))
            tap.check(not wrong, f"{name} does what the model does, seed {seed}",
                      "\n".join(str(w)[:300] for w in wrong[:3]) + f"\n{len(wrong)} differ")
    tap.check(host.close() == 0, "the host ends clean")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
