# SPDX-License-Identifier: Apache-2.0
"""Every public header compiles alone, in every language it promises; a plugin source does too."""
import os
import shutil
import subprocess
import sys

import tap

WARNINGS = ['-Wall', '-Wextra', '-Wshadow', '-Wundef', '-Werror', '-pedantic', '-fsyntax-only']
COMPILERS = [('gcc', 'c', 'c99'), ('gcc', 'c', 'c11'), ('g++', 'c++', 'c++11'),
             ('clang-14', 'c', 'c99'), ('clang-14', 'c', 'c11'), ('clang++-14', 'c++', 'c++11')]
# What a third-party header asks of those who include it.
THIRD_PARTY = {'uv.h': ['-D_GNU_SOURCE']}
PLUGIN = '''#define PEX_PLUGIN_BUILD
#include <partexec/plugin.h>
PEX_PLUGIN_DEFINE("empty", "1")
PEX_PLUGIN_ENTRY(pex_context *registry) { return registry ? 0 : PEX_EINVAL; }
'''


def sources(root):
    folder = os.path.join(root, 'include', 'partexec')
    for header in sorted(os.listdir(folder)):
        if header.endswith('.h'):
            # Twice: the guard must hold.
            yield header, f'#include <partexec/{header}>\n' * 2
    if os.path.exists(os.path.join(folder, 'plugin.h')):
        yield 'a plugin source', PLUGIN


def check(root, compilers=COMPILERS):
    facts = []
    for compiler, language, standard in compilers:
        fact = f'every_header_compiles_alone_{compiler}_{standard}'
        if not shutil.which(compiler):
            facts.append((fact, f'{compiler} is not installed'))
            continue
        findings = []
        for header, text in sources(root):
            command = [compiler, f'-std={standard}', *WARNINGS, *THIRD_PARTY.get(header, []),
                       '-I', os.path.join(root, 'include'), '-x', language, '-']
            run = subprocess.run(command, input=text, text=True, capture_output=True, check=False)
            if run.returncode != 0:
                findings += [f'{header}: {line}' for line in run.stderr.splitlines()]
        facts.append((fact, findings))
    return facts


if __name__ == '__main__':
    tap.report(check(sys.argv[1]))
