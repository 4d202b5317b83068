# SPDX-License-Identifier: Apache-2.0
"""What the gates share: the files of the repository, and a report in TAP."""
import os
import re
import sys

# As .gitignore has it.
SKIPPED_FOLDERS = re.compile(r'^(\./build[^/]*|.*/__pycache__|\./\.git)$')


def repository_files(root):
    """All files that belong to the repository, as paths relative to root, sorted."""
    found = []
    for folder, folders, files in os.walk(root):
        here = os.path.relpath(folder, root)
        folders[:] = [name for name in folders
                      if not SKIPPED_FOLDERS.match(os.path.join('.', here, name).replace('/./', '/'))]
        found += [os.path.normpath(os.path.join(here, name)) for name in files]
    # In a second work tree .git is a file that says where the first one is.
    return sorted(name for name in found if not name.endswith('.pyc') and name != '.git')


def read(root, name):
    with open(os.path.join(root, name), encoding='utf-8') as file:
        return file.read()


def report(facts):
    """Prints TAP for [(fact, findings)] and exits; findings is a list, or a text: why skipped."""
    print(f'1..{len(facts)}')
    failed = False
    for number, (fact, findings) in enumerate(facts, 1):
        if isinstance(findings, str):
            print(f'ok {number} {fact} # SKIP {findings}')
            continue
        for finding in findings:
            print(f'# {finding}')
        print(f'{"not ok" if findings else "ok"} {number} {fact}')
        failed = failed or bool(findings)
    sys.exit(1 if failed else 0)
