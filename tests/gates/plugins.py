# SPDX-License-Identifier: Apache-2.0
"""A plugin exports its two names, needs nothing of ours, and lets the host find every symbol."""
import glob
import os
import re
import subprocess
import sys

import symbols
import tap

ENTRIES = {'pex_plugin_info', 'pex_plugin_init'}


def needed(library):
    run = subprocess.run(['readelf', '-d', library], text=True, capture_output=True, check=True)
    return re.findall(r'\(NEEDED\).*\[(.*)\]', run.stdout)


def undefined(library):
    run = subprocess.run(['nm', '-D', '--undefined-only', library], text=True,
                         capture_output=True, check=True)
    return re.findall(r'^\s+U (\S+)$', run.stdout, re.M)


def check(folder):
    plugins = sorted(glob.glob(os.path.join(folder, '**', '*.so'), recursive=True))
    if not plugins:
        return [('plugins_are_self_contained', f'no plugin in {os.path.basename(folder)}/')]
    facts = []
    for plugin in plugins:
        exported = {name for _, name in symbols.defined(plugin, '-D')}
        findings = symbols.difference(exported, 'the plugin', ENTRIES, 'the rule')
        findings += [f'it needs {name}' for name in needed(plugin) if 'partexec' in name]
        findings += [f'{name} is taken from the library; use the table of the host'
                     for name in undefined(plugin) if name.startswith('pex_')]
        facts.append((f'plugin_{os.path.basename(plugin)[:-3]}_is_self_contained', findings))
    return facts


if __name__ == '__main__':
    tap.report(check(sys.argv[1]))
