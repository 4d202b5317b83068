# SPDX-License-Identifier: Apache-2.0
"""Python itself reads the condition; only what it means for rows is said here."""
import ast
import operator

import pyvalue

COMPARE = {ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
           ast.Gt: operator.gt, ast.GtE: operator.ge, ast.In: lambda a, b: a in b,
           ast.NotIn: lambda a, b: a not in b}
NAMES = ["a", "b", "_c", "missing", "\u00e9t\u00e9", "meta", "text"]
LITERALS = ["0", "1", "1.0", "10", "1_0", "0x_a", "0b1", "0o17", "1e1", ".5", "5.", "1_0.0_1e-1_0", "True",
            "False", "None", "'a'", "\"b\"", "''", "'''a\nb'''", "'a' 'b'", "r'\\n'", "'\\n\\x41\\101\\u00e9\\q'",
            "9223372036854775807", "9223372036854775808", "0xffffffffffffffff", "1e400", "()", "[]",
            "[1, 'a']", "(1,)", "{1, 1.0, True}", "{1, 'a'}", "{'a'}", "'\u4e2d'", "[[1], (2, [])]", "00"]


class Fails(Exception):
    pass


def evaluate(node, row):
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return row.get(node.id)
    if isinstance(node, ast.Attribute):
        value = evaluate(node.value, row)
        if isinstance(value, dict) or value is None:
            return (value or {}).get(node.attr)
        return getattr(value, node.attr, None)
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        make = {ast.List: list, ast.Tuple: tuple, ast.Set: set}[type(node)]
        return make([evaluate(item, row) for item in node.elts])
    if isinstance(node, ast.BoolOp):
        values = (bool(evaluate(value, row)) for value in node.values)
        return all(values) if isinstance(node.op, ast.And) else any(values)
    if isinstance(node, ast.UnaryOp):
        value = evaluate(node.operand, row)
        if isinstance(node.op, ast.Not):
            return not value
        return -value if isinstance(node.op, ast.USub) else +value
    left = evaluate(node.left, row)
    for op, comparator in zip(node.ops, node.comparators):
        right = evaluate(comparator, row)
        if left is None or right is None:
            if not isinstance(op, ast.NotIn):
                return False
        elif type(op) not in COMPARE:
            raise Fails
        elif not COMPARE[type(op)](left, right):
            return False
        left = right
    return True


def expression(rng, depth):
    kind = rng.randrange(12) if depth else rng.randrange(4)
    if kind < 2:
        return rng.choice(NAMES)
    if kind < 4:
        return rng.choice(LITERALS)
    part = [expression(rng, depth - 1) for _ in range(rng.randrange(1, 4))]
    if kind == 4:
        name = rng.choice(["a", "b", "upper", "count", "keys", "real", "imag", "zz", "denominator"])
        return f"({part[0]}).{name}"
    if kind == 5:
        return "(" + rng.choice(["not ", "-", "+", "- -", "not not "]) + f"({part[0]}))"
    if kind == 6:
        return "(" + rng.choice([" and ", " or "]).join(part) + ")"
    if kind == 7:
        left, right = rng.choice(["()", "[]", "()"])
        return left + ", ".join(part) + rng.choice([",", ",", ""]) + right
    text = part[0]
    for other in part[1:] + [expression(rng, depth - 1)]:
        text += rng.choice([" == ", " != ", " < ", "<=", ">", " >= ", " in ", " not in ", " is "])
        text += other
    return f"({text})"


def plain(value):
    """As the stat shows it."""
    if callable(value):
        return "<callable>"
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    return value


def has_set(value):
    return isinstance(value, (set, frozenset)) or \
        isinstance(value, (list, tuple)) and any(map(has_set, value))


def verdict(tree, row):
    try:
        value = evaluate(tree.body, row)
    except (Fails, TypeError):
        return None
    stats = {"general_field_filter_condition": plain(value)}
    return (bool(value), None if has_set(value) else stats)


def row_of(rng):
    row = {name: pyvalue.value(rng) for name in NAMES[:3] + NAMES[4:] if rng.random() < 0.8}
    if rng.random() < 0.5:
        row["meta"] = {name: pyvalue.value(rng) for name in "ab"}
    return row


ALLOWED = (ast.Expression, ast.Constant, ast.Name, ast.Attribute, ast.List, ast.Tuple, ast.Set,
           ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.UAdd, ast.USub, ast.Compare,
           ast.cmpop, ast.expr_context)
TOKENS = ["a", "b.c", ".", "1", "1.", "'x'", "\"", "(", ")", "[", "]", "{", "}", ",", "==", "<", "in", "not",
          "is", "and", "or", "-", "+", "\n", " ", "#", "True", "if", "*", "0x", "_1", "01", "1__0",
          "\t", "1e", "r'", "u''", "f''", "b''", "1j", "...", "lambda", "!=", "=", "!", "$"]


def is_understood(condition):
    try:
        tree = ast.parse(condition, mode="eval")
    except (SyntaxError, ValueError):
        return False
    return all(isinstance(node, ALLOWED) and not (
        isinstance(node, ast.Constant) and not isinstance(node.value, (int, float, str, type(None))))
        for node in ast.walk(tree))


def syntax_differs(host, rng):
    """Conditions that Python's parser and ours take, or refuse, differently."""
    wrong = []
    for _ in range(1000):
        condition = rng.choice(TOKENS)
        for _ in range(rng.randrange(7)):
            # Python still takes 1or 2, and warns.
            blank = " " if condition[-1] in "01." else rng.choice(["", " "])
            condition += blank + rng.choice(TOKENS)
        answer = host.run("general_field_filter", {"filter_condition": condition}, [])
        # We take blanks on a last line of their own, which Python may not.
        if ("error" in answer) == is_understood(condition.rstrip()):
            wrong.append((condition, answer))
    return wrong


def differs(host, rng):
    wrong = syntax_differs(host, rng)
    for _ in range(200):
        condition = expression(rng, rng.randrange(1, 4)) + rng.choice(["", " ", "  # why"])
        tree = ast.parse(condition, mode="eval")
        rows = [row_of(rng) for _ in range(10)]
        verdicts = [verdict(tree, row) for row in rows]
        if any(v and v[0] and v[1] is None for v in verdicts):
            continue  # sets have no order to compare their stats by
        wrong += pyvalue.field_differs(host, "general_field_filter",
                                       {"filter_condition": condition}, rows, verdicts)
    return wrong
