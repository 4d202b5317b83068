# SPDX-License-Identifier: Apache-2.0
"""What documents say is what the command says: documents.py COMMAND ROOT."""
import os
import re
import shutil
import subprocess
import sys

import tap

ROOT = os.path.abspath(sys.argv[2])
sys.path.insert(0, os.path.join(ROOT, 'scripts'))
import gen_docs  # noqa: E402

OPTION = re.compile(r'--[a-z][a-z-]*')
LINK = re.compile(r'\[[^\]]*\]\(([^)\s]+)\)')


def ask(command, *arguments):
    return subprocess.run([command, *arguments], capture_output=True, check=True,
                          encoding='utf-8').stdout


def stale_findings(name, facts):
    """Where a document is not what gen_docs.py makes of it, with the first line that differs."""
    before = gen_docs.read(name)
    try:
        after = gen_docs.refreshed(before, facts)
    except ValueError as error:
        return [f'{name}: {error}']
    if before == after:
        return []
    for number, (found, made) in enumerate(zip(before.splitlines(), after.splitlines()), 1):
        if found != made:
            break
    return [f'{name}:{number}: found {found}', f'{name}:{number}: made  {made}',
            'scripts/gen_docs.py COMMAND writes it anew']


def place_findings():
    """Every part stands somewhere, once, and nothing stands for a part that nobody makes."""
    placed = [part['name'] for name in gen_docs.DOCUMENTS
              for part in gen_docs.PART.finditer(gen_docs.read(name))]
    return [f'{name}: {placed.count(name)} times' for name in {*placed, *gen_docs.PARTS}
            if placed.count(name) != 1 or name not in gen_docs.PARTS]


def lab_findings(facts):
    """The page of the operators for tests is written by hand: it has all names."""
    page = gen_docs.read('docs/lab.md')
    wanted = [name for operator in facts.operators if operator['plugin'] == 'lab'
              for name in [operator['name'], *(param['name'] for param in operator['params'])]]
    return [f'docs/lab.md lacks `{name}`' for name in wanted if f'`{name}`' not in page]


def calls_of(command):
    """{call: its options, as its help has them}."""
    listed = ask(command, '--help').split('calls:\n')[1].split('\n\n')[0]
    names = [line.split()[0] for line in listed.splitlines()]
    options = {}
    for name in names:
        text = '' if name in ('help', 'version') else ask(command, name, '--help')
        listed = text.partition('\noptions:\n')[2].partition('\n\n')[0]
        options[name] = {line.split()[0] for line in listed.splitlines()}
    return options


def section_of(manual, title):
    return re.search(rf'^\.SH {title}\n(.*?)(?=^\.SH |\Z)', manual, re.M | re.S).group(1)


def synopsis_of(manual):
    """{call: its options, as the synopsis has them}."""
    options, call = {}, None
    for line in section_of(manual, 'SYNOPSIS').splitlines():
        begin = re.match(r'partexec ([a-z-]+)', line)
        if begin:
            call = begin.group(1)
            options[call] = set()
        if call:
            options[call] |= set(OPTION.findall(line))
    return options


def manual_findings(command):
    manual = re.sub(r'\\f[BIR]|\\(?=-)', '', gen_docs.read('docs/partexec.1'))
    helped, synopsis = calls_of(command), synopsis_of(manual)
    findings = [f'a call in help or synopsis only: {call}' for call in {*helped} ^ {*synopsis}]
    for call in {*helped} & {*synopsis}:
        findings += [f'{call} {option}: in help or synopsis only'
                     for option in (helped[call] - {'--help'}) ^ synopsis[call]]
    described = set(re.findall(r'^\.TP\n(--[a-z-]+)', section_of(manual, 'OPTIONS'), re.M))
    findings += [f'{option}: in help or OPTIONS only'
                 for option in set().union(*helped.values()) ^ described]
    commands = section_of(manual, 'COMMANDS')
    return findings + [f'COMMANDS lacks {call}' for call in helped
                       if not re.search(rf'^\.TP\n(\.B )?{call}\b', commands, re.M)]


def groff_findings():
    if not shutil.which('groff'):
        return 'groff is not installed'
    run = subprocess.run(['groff', '-man', '-Tutf8', '-ww', '-z', 'docs/partexec.1'], cwd=ROOT,
                         capture_output=True, check=False, encoding='utf-8')
    return run.stderr.splitlines()


def anchors_of(text):
    """Anchors as GitHub makes them of headings."""
    code = re.compile(r'^```.*?^```', re.M | re.S)
    titles = re.findall(r'^#+ +(.*)$', code.sub('', text), re.M)
    return {re.sub(r'[^\w\- ]', '', title.lower()).replace(' ', '-') for title in titles}


def link_findings():
    findings = []
    for name in tap.repository_files(ROOT):
        if not name.endswith('.md'):
            continue
        for link in LINK.findall(gen_docs.read(name)):
            path, _, anchor = link.partition('#')
            if re.match(r'[a-z]+:', link):
                continue
            target = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
            if not os.path.exists(os.path.join(ROOT, target)):
                findings.append(f'{name}: {link}: no such file')
            elif anchor and anchor not in anchors_of(gen_docs.read(target)):
                findings.append(f'{name}: {link}: no such heading')
    return findings


def main():
    command = os.path.abspath(sys.argv[1])
    facts = gen_docs.Facts(command)
    tap.report([(f'generated_parts_are_up_to_date_in_{os.path.basename(name)}',
                 stale_findings(name, facts)) for name in gen_docs.DOCUMENTS] + [
        ('every_generated_part_has_one_place', place_findings()),
        ('the_page_of_the_lab_has_every_name', lab_findings(facts)),
        ('the_manual_has_the_calls_and_options_of_help', manual_findings(command)),
        ('the_manual_is_clean_roff', groff_findings()),
        ('links_lead_somewhere', link_findings()),
    ])


main()
