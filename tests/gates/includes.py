# SPDX-License-Identifier: Apache-2.0
"""Includes point down only: a layer sees itself and those below, everybody else <partexec/...>."""
import os
import re
import sys

import tap

LAYERS = ['base', 'loop', 'store', 'data', 'resource', 'plan', 'exec', 'job', 'api']
USERS = ['ops', 'tools', 'examples']
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.M)
# Of C11 and POSIX. A compiler looks in the folder of the source first, also for <sched.h>.
SYSTEM_HEADERS = set("""aio assert complex ctype dirent dlfcn errno fcntl fenv float fmtmsg fnmatch
    ftw glob grp iconv inttypes iso646 langinfo libgen limits locale math monetary mqueue ndbm netdb
    nl_types poll pthread pwd regex sched search semaphore setjmp signal spawn stdalign stdarg
    stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string strings stropts syslog tar
    termios tgmath threads time uchar ulimit unistd utime utmpx wchar wctype wordexp""".split())
SOURCES = ('.c', '.h', '.cpp', '.hpp', '.inc')


def includes_of(root, name):
    return INCLUDE.findall(tap.read(root, name))


def layer_findings(root, name):
    layer = name.split('/')[1]
    if layer not in LAYERS:
        return [f'{name}: lib/{layer} is no known layer; add it to LAYERS of this gate, in its place']
    findings = []
    for mark, target in includes_of(root, name):
        if mark == '<':
            if os.path.exists(os.path.join(root, 'lib', target)):
                findings.append(f'{name}: <{target}> is a header of lib/; write "{target}"')
            continue
        above = target.split('/')[0]
        if '/' not in target or above not in LAYERS:
            findings.append(f'{name}: "{target}" must be written as "layer/file.h"')
        elif LAYERS.index(above) > LAYERS.index(layer):
            findings.append(f'{name}: "{target}" is of a layer above {layer}')
    return findings


def user_findings(root, name):
    findings = []
    own = name.split('/')[0]
    for mark, target in includes_of(root, name):
        near = os.path.normpath(os.path.join(os.path.dirname(name), target))
        if mark == '<' and os.path.exists(os.path.join(root, 'lib', target)):
            findings.append(f'{name}: <{target}> is internal; use <partexec/...> only')
        if mark == '"' and not (near.startswith(own + '/') and
                                os.path.exists(os.path.join(root, near))):
            findings.append(f'{name}: "{target}" is not a header of {own}/; use <partexec/...>')
    return findings


# A header for hosts that use a third-party library anyway; partexec.h does not include it.
THIRD_PARTY = {'include/partexec/uv.h': {'uv.h'}}


def public_findings(root, name):
    standard = {'stddef.h', 'stdint.h'} | THIRD_PARTY.get(name, set())
    return [f'{name}: {target}: a public header includes <partexec/...> and {sorted(standard)} only'
            for mark, target in includes_of(root, name)
            if mark == '"' or not (target.startswith('partexec/') or target in standard)]


def name_findings(name):
    file = os.path.basename(name)
    taken = file.endswith('.h') and file[:-2] in SYSTEM_HEADERS
    return [f'{name}: hides <{file}> from the files beside it; rename it'] if taken else []


def check(root):
    findings = {'lib': [], 'users': [], 'public': [], 'names': []}
    for name in tap.repository_files(root):
        top = name.split('/')[0]
        if not name.endswith(SOURCES):
            continue
        findings['names'] += name_findings(name)
        if top == 'lib':
            findings['lib'] += layer_findings(root, name)
        elif top in USERS:
            findings['users'] += user_findings(root, name)
        elif top == 'include':
            findings['public'] += public_findings(root, name)
    return [('no_layer_includes_one_above_its_own', findings['lib']),
            ('ops_tools_and_examples_include_public_headers_only', findings['users']),
            ('public_headers_include_no_third_party_header', findings['public']),
            ('no_header_is_named_like_one_of_the_system', findings['names'])]


if __name__ == '__main__':
    tap.report(check(sys.argv[1]))
