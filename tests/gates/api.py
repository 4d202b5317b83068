# SPDX-License-Identifier: Apache-2.0
"""Reads the functions that the public headers declare, and the rule for their comments."""
import os
import re
import sys

import tap

DECLARATION = re.compile(r'PEX_API\s[^;{]*?\b(pex_\w+)\s*\(')
REFERENCE = re.compile(r'\bas (pex_\w+)')
COMMENT = re.compile(r'/\*.*?\*/', re.S)


def public_headers(root):
    folder = os.path.join(root, 'include', 'partexec')
    return [f'include/partexec/{name}' for name in sorted(os.listdir(folder))
            if name.endswith('.h')]


def blank(match):
    return re.sub(r'[^\n]', ' ', match.group(0))


def without_macros(text):
    """Takes out preprocessor lines, with their continuations; the line count stays."""
    return re.sub(r'^[ \t]*#(?:[^\n\\]|\\\n|\\.)*', blank, text, flags=re.M)


def functions(root):
    """The names of all functions that the public headers export."""
    names = set()
    for header in public_headers(root):
        text = without_macros(COMMENT.sub(blank, tap.read(root, header)))
        names.update(DECLARATION.findall(text))
    return names


def paragraphs(text):
    """Splits at blank lines outside of comments."""
    marked = COMMENT.sub(lambda match: match.group(0).replace('\n', '\r'), text)
    return [part.replace('\r', '\n') for part in re.split(r'\n[ \t]*\n', marked)]


def comment_findings(header, text):
    """
    A function is documented by the comments above it in its paragraph, or by a paragraph right
    before that is nothing but a comment. They name `Since:`. They, or the comment that opens the
    header, name `Thread-safety:`, or another function ("as pex_name") whose rules hold.
    """
    findings = []
    opening = text.split('#ifndef', 1)[0]
    heading = ''
    for part in paragraphs(text):
        code = without_macros(COMMENT.sub(blank, part))
        for match in DECLARATION.finditer(code):
            words = heading + ''.join(COMMENT.findall(part[:match.start()]))
            name = match.group(1)
            if 'Since:' not in words:
                findings.append(f'{header}: {name}: no comment above it names Since')
            if 'Thread-safety:' not in words + opening and not REFERENCE.search(words):
                findings.append(f'{header}: {name}: no comment above it names Thread-safety')
        alone = not COMMENT.sub(blank, part).strip()
        heading = part if alone and 'Since:' in part else ''
    return findings


def check(root):
    findings = []
    for header in public_headers(root):
        findings += comment_findings(header, tap.read(root, header))
    return [('every_function_names_since_and_thread_safety', findings)]


if __name__ == '__main__':
    tap.report(check(sys.argv[1]))
