# SPDX-License-Identifier: Apache-2.0
"""What the libraries export: pex_ names only, the same set in the headers, the map, the library."""
import argparse
import re
import subprocess

import api
import tap


def defined(library, *options):
    """[(type, name)] of the symbols that a library defines, versions cut off."""
    run = subprocess.run(['nm', '--defined-only', *options, library], text=True,
                         capture_output=True, check=True)
    found = re.findall(r'^[0-9a-f]+ (\S) (\S+)$', run.stdout, re.M)
    return [(kind, name.split('@')[0]) for kind, name in found]


def map_names(text):
    """{node: names} of a symbol map."""
    text = re.sub(r'/\*.*?\*/', '', text, flags=re.S)
    nodes = {}
    for node, body in re.findall(r'(\S+)\s*\{(.*?)\}', text, re.S):
        exported = body.split('local:')[0].replace('global:', '')
        nodes[node] = [name.strip() for name in exported.split(';') if name.strip()]
    return nodes


def difference(one, one_name, other, other_name):
    return ([f'{name} is in {one_name}, not in {other_name}' for name in sorted(one - other)] +
            [f'{name} is in {other_name}, not in {one_name}' for name in sorted(other - one)])


def foreign(names, prefix):
    return [f'{name} does not start with {prefix}' for name in sorted(names)
            if not re.match(prefix, name)]


def map_findings(nodes):
    names = [name for exported in nodes.values() for name in exported]
    findings = [f'{name} is there twice' for name in sorted(set(names)) if names.count(name) > 1]
    findings += [f'{name} is a pattern; list every symbol' for name in names if '*' in name]
    for node, exported in nodes.items():
        if exported != sorted(exported):
            findings.append(f'{node} is not sorted')
    return findings


# A plugin's pointer to the host table belongs to the process, not to a context, so the calls that set
# it take turns in the process.
PROCESS_WIDE = {'init_lock'}


def mutable(static_library):
    """Symbols in .data and .bss: state that all contexts of a process would share."""
    run = subprocess.run(['objdump', '-t', static_library], text=True, capture_output=True,
                         check=True)
    return re.findall(r'^\S+ .{7} \.(?:data|bss|tdata|tbss)(?!\.rel\.ro)\S*\t[0-9a-f]{16} (.*)$',
                      run.stdout, re.M)


def check(root, shared, static):
    headers = api.functions(root)
    nodes = map_names(tap.read(root, 'lib/partexec.map'))
    mapped = {name for names in nodes.values() for name in names}
    exported = {name for _, name in defined(shared, '-D') if name not in nodes}
    objects = {name for _, name in defined(static, '-g')}
    variables = {name for name in mutable(static) if not name.startswith('.')} - PROCESS_WIDE
    return [
        ('shared_library_exports_pex_names_only', foreign(exported, 'pex_[a-z]')),
        ('static_library_has_prefixed_names_only', foreign(objects, 'pex_')),
        ('map_lists_every_symbol_once', map_findings(nodes)),
        ('headers_and_map_agree', difference(headers, 'the headers', mapped, 'lib/partexec.map')),
        ('headers_and_shared_library_agree',
         difference(headers, 'the headers', exported, 'the shared library')),
        ('no_global_mutable_state', [f'{name} is a variable' for name in sorted(variables)]),
    ]


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('root')
    parser.add_argument('shared')
    parser.add_argument('static')
    options = parser.parse_args()
    tap.report(check(options.root, options.shared, options.static))
