# SPDX-License-Identifier: Apache-2.0
"""Licence lines, no paths of one machine, formatted C, clean shell scripts."""
import os
import re
import shutil
import subprocess
import sys

import tap

LICENCE = 'SPDX-License-Identifier: Apache-2.0'
LICENSED = re.compile(r'(\.(c|h|cpp|hpp|inc|py|sh|map|in)|meson\.build|meson_options\.txt|'
                      r'packages\.txt|\.ci/run)$')
MACHINE_PATH = re.compile(r'(?<![\w.}~-])/(?:home|root|work|mnt|Users)/\w')
C_FILES = ('.c', '.h', '.cpp')


def text_of(root, name):
    """The text of a file, or None: a file that is no text, or data of a test, has no rule."""
    if name.endswith(('.jsonl', '.bin')) or '/corpus/' in name or name == 'LICENSE':
        return None
    try:
        return tap.read(root, name)
    except UnicodeDecodeError:
        return None


def licence_findings(root, names):
    return [f'{name}: line 1 or 2 must say {LICENCE}' for name in names
            if LICENSED.search(name) and
            LICENCE not in ''.join((text_of(root, name) or '').splitlines()[:2])]


def path_findings(root, names):
    findings = []
    for name in names:
        for number, line in enumerate((text_of(root, name) or '').splitlines(), 1):
            if MACHINE_PATH.search(line):
                findings.append(f'{name}:{number}: a path of one machine: {line.strip()[:80]}')
    return findings


def format_findings(root, names):
    if not shutil.which('clang-format-14'):
        return 'clang-format-14 is not installed'
    sources = [name for name in names if name.endswith(C_FILES)]
    run = subprocess.run(['clang-format-14', '--dry-run', '--Werror', '-ferror-limit=1', *sources],
                         cwd=root, text=True, capture_output=True, check=False)
    return [line for line in run.stderr.splitlines() if 'error:' in line]


def shell_findings(root, names):
    if not shutil.which('shellcheck'):
        return 'shellcheck is not installed'
    scripts = [name for name in names if name.endswith('.sh') or name == '.ci/run']
    if not scripts:
        return []
    run = subprocess.run(['shellcheck', '--format=gcc', *scripts], cwd=root, text=True,
                         capture_output=True, check=False)
    return run.stdout.splitlines()


def check(root):
    names = tap.repository_files(root)
    return [('every_source_names_its_licence', licence_findings(root, names)),
            ('no_file_names_paths_of_one_machine', path_findings(root, names)),
            ('c_files_are_formatted', format_findings(root, names)),
            ('shell_scripts_pass_shellcheck', shell_findings(root, names))]


if __name__ == '__main__':
    tap.report(check(os.path.abspath(sys.argv[1])))
