# SPDX-License-Identifier: Apache-2.0
import rules
import texts

LINK_PIECES = ["http", "https", "www", "WWW", "Www", "w", "ww", "a", "Z", "9", "_", "-", ".", "..",
               ":", ":", "/", "//", "///", "////", "(", ")", "()", "(a)", "((b))", "(a(b)c)", "<",
               ">", " ", "\n", "%", "com", "co.uk", ".org/", ".museum/", "x.yz/", "!", "?", "'",
               "\"", "[", "]", "\u201c", "\u2019", "\u00bb", "\u00e9", "\u4e2d", "\u3002", "\u0660",
               "\u0130", "\u017f", "\u212a", "\u00a0", "\u001c", "\U0001f600", "index", "a-b",
               "1.2.3.4", "mailto:x@y.org", "#", "&", "=", ";", ","]

# The link pattern, matched at a position by trying every way there is. A matcher is a function
# from a position to all ends, so nothing here is clever about order except where it says so.

LETTERS = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ\u0130\u017f\u212a")
DIGITS = set("0123456789")
NOT_GOOD = set("`!()[]{};:'\".,<>?\u00ab\u00bb\u201c\u201d\u2018\u2019")


def _is_unit(c):
    return c not in rules.CLASS["space"] and c not in "()<>"


def _group_end(text, at, depth=0):
    """The end of a parenthesis group at `at`, nested twice at most; None without one."""
    if text[at:at + 1] != "(" or depth > 1:
        return None
    at += 1
    items = 0
    while at < len(text) and text[at] != ")":
        if _is_unit(text[at]):
            while at < len(text) and _is_unit(text[at]):
                at += 1
        else:
            at = _group_end(text, at, depth + 1) if depth == 0 else None
            if at is None:
                return None
        items += 1
    if at == len(text) or (depth == 1 and not items):
        return None
    return at + 1


def _units_end(text, at):
    """The longest run of two or more units that ends in a group or a good character."""
    best, count = None, 0
    while at < len(text):
        end = _group_end(text, at)
        good = end is not None
        if end is None:
            if not _is_unit(text[at]):
                break
            end, good = at + 1, text[at] not in NOT_GOOD
        count += 1
        at = end
        if count >= 2 and good:
            best = at
    return best


def _head_ends(text, at):
    """Ends of the heads that start at `at`, in the order in which they are tried."""
    if text[at] in LETTERS:
        end = at + 1
        while end < len(text) and (text[end] in rules.CLASS["word"] or text[end] == "-"):
            end += 1
        if end - at >= 2 and text[end:end + 1] == ":":
            slashes = 0
            while slashes < 3 and text[end + 1 + slashes:end + 2 + slashes] == "/":
                slashes += 1
            yield from (end + 1 + n for n in range(slashes, 0, -1))
            if text[end + 1:end + 2] in LETTERS | DIGITS | {"%"}:
                yield end + 2
    if text[at:at + 3].lower() == "www":
        for digits in (3, 2, 1, 0):
            part = text[at + 3:at + 3 + digits]
            if len(part) == digits and all(c in rules.CLASS["digit"] for c in part) and \
                    text[at + 3 + digits:at + 4 + digits] == ".":
                yield at + 4 + digits
    end = at
    while end < len(text) and text[end] in LETTERS | DIGITS | set(".-"):
        end += 1
    for dot in range(end - 1, at, -1):
        size = 0
        while text[dot + 1 + size:dot + 2 + size] in LETTERS:
            size += 1
        if text[dot] == "." and 2 <= size <= 4 and text[dot + 1 + size:dot + 2 + size] == "/":
            yield dot + 2 + size


def _is_boundary(text, at):
    before = at > 0 and text[at - 1] in rules.CLASS["word"]
    return before != (at < len(text) and text[at] in rules.CLASS["word"])


def clean_links(text, replace):
    """replace: a function from the link to what stands in its place."""
    out, at = [], 0
    while at < len(text):
        end = None
        if _is_boundary(text, at):
            for head in _head_ends(text, at):
                end = _units_end(text, head)
                if end is not None:
                    break
        if end is None:
            out.append(text[at])
            at += 1
        else:
            out.append(replace(text[at:end]))
            at = end
    return "".join(out)


def link_text(rng):
    return "".join(rng.choice(LINK_PIECES) for _ in range(rng.randrange(1, 25)))


LINK = (r"(?i)\b((?:[a-z][\w-]+:(?:/{1,3}|[a-z0-9%])|www\d{0,3}[.]|[a-z0-9.\-]+[.][a-z]{2,4}/)"
        r"(?:[^\s()<>]+|\(([^\s()<>]+|(\([^\s()<>]+\)))*\))+"
        r"(?:\(([^\s()<>]+|(\([^\s()<>]+\)))*\)"
        r"|[^\s`!()\[\]{};:'\".,<>?\u00ab\u00bb\u201c\u201d\u2018\u2019]))")


def engine_differs(host, rng):
    """The same pattern given as one's own, which PCRE2 matches, with all of its groups."""
    rows = [{"text": link_text(rng), "id": i} for i in range(texts.ROWS)]
    params = {"repl": r"<\1|\2|\3|\4|\5>"}
    built_in = dict(host.run("clean_links_mapper", params, rows)["rows"])
    own = host.run("clean_links_mapper", {**params, "pattern": LINK}, rows)
    wrong = [(ascii(rows[i]), ascii(built_in[i]), ascii(row)) for i, row in own["rows"]
             if row != built_in[i]]
    return wrong if len(own["rows"]) > len(rows) // 2 else wrong + [str(own)]


def differs(host, rng):
    rows = [link_text(rng) for _ in range(texts.ROWS)]
    wrong = []
    for params, replace in (({}, lambda link: ""), ({"repl": "<\\1>"}, lambda link: f"<{link}>"),
                            ({"repl": "\\\\\\g<0>\\x41"}, lambda link: f"\\{link}A")):
        expected = [{"text": clean_links(t, replace)} for t in rows]
        wrong += texts.compare(host, "clean_links_mapper", params, rows, expected, batch=100)
    return wrong + engine_differs(host, rng)
