# SPDX-License-Identifier: Apache-2.0
"""The operators' rules in plain Python, a module per operator, found by its name. A module has

differs(host, rng)  rows of random texts on which operator and model differ (ideally none);
agrees(host, case)  optional: whether the operator agrees with an oracle case, as (right, answer);
                    None leaves the case to the common rules of test_oracle.py;
BOUNDS              filters on a number: the parameters for the lower and the upper bound.
"""
import importlib
import os


def load(name):
    """The module of an operator; None if it has none."""
    if os.path.exists(os.path.join(os.path.dirname(__file__), name + ".py")):
        return importlib.import_module("models." + name)
    return None
