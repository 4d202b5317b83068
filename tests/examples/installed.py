# SPDX-License-Identifier: Apache-2.0
"""
Installs the build into a folder of its own and compiles the examples there with what a user has:
a compiler and pkg-config. Shared and static, gcc and clang; then runs them.
"""
import argparse
import glob
import json
import os
import re
import shutil
import subprocess
import tempfile

import run_examples
import tap

# The source of each example, and the packages that it asks pkg-config for besides partexec.
EXAMPLES = {'host': ('host.c', []), 'custom_operator': ('custom_operator.c', []),
            'memory': ('memory.c', []),
            'epoll': ('epoll.c', []), 'uv_loop': ('uv_loop.c', ['libuv']),
            'host_cpp': ('host.cpp', [])}
COMPILERS = {'gcc': 'g++', 'clang-14': 'clang++-14'}


class Installation:
    def __init__(self, build, folder):
        subprocess.run(['meson', 'install', '-C', build, '--no-rebuild', '--quiet',
                        '--destdir', folder], check=True, stdout=subprocess.DEVNULL)
        found = [os.path.join(place, 'partexec.pc') for place, _, files in os.walk(folder)
                 if 'partexec.pc' in files]
        self.folder = folder
        self.pc = found[0]
        # The file says where it will be; here everything lies below another folder.
        self.prefix = folder + self.ask('--variable=prefix', prefix=None)[0]
        self.libdir = self.ask('--variable=libdir')[0]
        self.command = os.path.join(self.prefix, 'bin', 'partexec')
        self.plugin = os.path.join(self.ask('--variable=plugindir')[0], 'text.so')

    def ask(self, *arguments, prefix=''):
        command = ['pkg-config', *arguments, self.pc]
        if prefix is not None:
            command.insert(1, f'--define-variable=prefix={self.prefix}')
        run = subprocess.run(command, check=True, capture_output=True, encoding='utf-8')
        return run.stdout.split()

    def link_flags(self, static):
        if not static:
            return self.ask('--libs')
        return [os.path.join(self.libdir, 'libpartexec.a') if flag == '-lpartexec' else flag
                for flag in self.ask('--static', '--libs')]

    def compile(self, compiler, source, output, static, packages=()):
        is_cpp = source.endswith('.cpp')
        flags = [COMPILERS[compiler], '-std=c++17'] if is_cpp else [compiler, '-std=gnu11']
        # What else the program uses, asked for in the same way.
        others = [flag for package in packages for flag in
                  subprocess.run(['pkg-config', '--cflags', '--libs', package], check=True,
                                 capture_output=True, encoding='utf-8').stdout.split()]
        return self.build([*flags, '-Wall', '-Wextra', '-Wpedantic', '-Werror',
                           *self.ask('--cflags'), source, '-o', output, *self.link_flags(static),
                           *others])

    @staticmethod
    def build(command):
        run = run_examples.run(command)
        return [] if run.returncode == 0 else [' '.join(command), *run.stderr.splitlines()[-20:]]


def facts_of(installation, examples, compiler, static):
    kind = 'static' if static else 'shared'
    suffix = f'_{compiler}_{kind}'
    compiled = f'examples_compile_with_pkg_config_only{suffix}'
    for needed in (compiler, COMPILERS[compiler]):
        if not shutil.which(needed):
            return [(compiled, f'{needed} is not installed')]
    programs = {name: os.path.join(installation.folder, name + suffix) for name in EXAMPLES}
    findings = []
    for name, (source, packages) in EXAMPLES.items():
        findings += installation.compile(compiler, os.path.join(examples, source), programs[name],
                                         static, packages)
    if findings:
        return [(compiled, findings)]
    environment = {} if static else {'LD_LIBRARY_PATH': installation.libdir}
    facts = [(compiled, [])]
    facts += run_examples.c_facts(programs['host'], programs['custom_operator'],
                                  programs['memory'], installation.plugin, environment, suffix)
    for name in ('epoll', 'uv_loop'):
        facts += run_examples.loop_facts(programs[name], installation.plugin, environment, suffix)
    return facts + run_examples.cpp_facts(programs['host_cpp'], environment, suffix)


def plugin_facts(installation, examples, compiler):
    """The plugin, by the line that its source gives, checked and run by the installed command."""
    suffix = f'_{compiler}'
    fact = f'a_plugin_needs_a_compiler_and_the_headers_only{suffix}'
    if not shutil.which(compiler):
        return [(fact, f'{compiler} is not installed')]
    plugin = os.path.join(installation.folder, f'masking{suffix}.so')
    sources = sorted(glob.glob(os.path.join(examples, 'plugin', '*.c')))
    findings = installation.build([compiler, '-shared', '-fPIC', '-fvisibility=hidden', '-Wall',
                                   '-Wextra', '-Werror', *installation.ask('--cflags'), *sources,
                                   '-o', plugin])
    if findings:
        return [(fact, findings)]
    return [(fact, []),
            (f'the_installed_command_checks_a_plugin{suffix}', check_findings(installation, plugin)),
            (f'the_operators_of_a_plugin_run{suffix}', masking_findings(installation, plugin))]


def check_findings(installation, plugin):
    run = run_examples.run([installation.command, 'plugin-check', plugin])
    if run.returncode != 0:
        return run_examples.failed(run)
    return [f'it says nothing of {name}' for name in
            ('masking, version 1.0', 'mask_digits_mapper', 'values_filter') if name not in run.stdout]


def masking_findings(installation, plugin):
    """Also with the plugin of the installation, in one chain."""
    rows = [{'kind': 'abc'[number % 3], 'text': f'row {number}'} for number in range(200)]
    process = [{'values_filter': {'field': 'kind', 'values': ['a', 'c']}},
               {'mask_digits_mapper': {'with': '0'}},
               {'text_length_filter': {'min_len': 5}}]
    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, 'in.jsonl'), os.path.join(folder, 'out.jsonl')
        job = os.path.join(folder, 'job.json')
        run_examples.write_rows(source, rows)
        with open(job, 'w', encoding='utf-8') as file:
            json.dump({'dataset_path': source, 'export_path': target, 'process': process}, file)
        run = run_examples.run([installation.command, 'run', job, '--plugin', plugin])
        if run.returncode != 0:
            return run_examples.failed(run)
        with open(target, encoding='utf-8') as file:
            found = run_examples.read_rows(file.read())
    expected = [{**row, 'text': 'row ' + '0' * (len(row['text']) - 4)} for row in rows
                if row['kind'] != 'b']
    return run_examples.differences(found, expected)


def command_findings(installation):
    """The command finds library and plugins by itself, with no environment at all."""
    run = subprocess.run([installation.command, 'ops'], env={}, capture_output=True, check=False,
                         encoding='utf-8')
    if run.returncode != 0:
        return run_examples.failed(run)
    return [] if 'text_length_filter' in run.stdout else ['it does not list text_length_filter']


def first_findings(installation, examples):
    """The first example, which the README has too, with the plugin of this installation."""
    with open(os.path.join(examples, 'first.c'), encoding='utf-8') as file:
        text = file.read()
    if text.count('"text"') != 1:
        return ['first.c does not name the plugin "text" once']
    folder = os.path.join(installation.folder, 'first')
    program = os.path.join(folder, 'first')
    os.mkdir(folder)
    with open(program + '.c', 'w', encoding='utf-8') as file:
        file.write(text.replace('"text"', json.dumps(installation.plugin)))
    findings = installation.compile('gcc', program + '.c', program, static=False)
    if findings:
        return findings
    environment = {'LD_LIBRARY_PATH': installation.libdir}
    refused = run_examples.run([program], environment, folder)
    if refused.returncode == 0 or 'in.jsonl' not in refused.stderr:
        findings += ['without an input it says', refused.stderr]
    rows = run_examples.input_rows()
    run_examples.write_rows(os.path.join(folder, 'in.jsonl'), rows)
    run = run_examples.run([program], environment, folder)
    if run.returncode != 0 or run.stdout or run.stderr:
        return findings + run_examples.failed(run)
    with open(os.path.join(folder, 'out.jsonl'), encoding='utf-8') as file:
        found = run_examples.read_rows(file.read())
    return findings + run_examples.differences(found, run_examples.expected_host(rows))


def smallest_plugin_findings(installation, examples):
    """The first program of the page on plugins."""
    source = os.path.join(installation.folder, 'smallest.c')
    with open(os.path.join(examples, '..', 'docs', 'plugins.md'), encoding='utf-8') as page, \
         open(source, 'w', encoding='utf-8') as file:
        file.write(re.search('```c\n(.*?)```', page.read(), re.S).group(1))
    plugin = source[:-1] + 'so'
    findings = installation.build(['gcc', '-shared', '-fPIC', '-fvisibility=hidden', '-Wall',
                                   '-Werror', *installation.ask('--cflags'), source, '-o', plugin])
    if findings:
        return findings
    run = run_examples.run([installation.command, 'plugin-check', plugin])
    return [] if run.returncode == 0 else run_examples.failed(run)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('build')
    parser.add_argument('examples')
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        installation = Installation(options.build, folder)
        facts = [('a_header_folder_is_installed', [] if os.path.exists(os.path.join(
            installation.prefix, 'include', 'partexec', 'partexec.h')) else ['it is not there'])]
        for compiler in COMPILERS:
            for static in (False, True):
                facts += facts_of(installation, options.examples, compiler, static)
            facts += plugin_facts(installation, options.examples, compiler)
        facts.append(('the_smallest_plugin_of_the_docs_is_one',
                      smallest_plugin_findings(installation, options.examples)))
        facts.append(('installed_command_finds_its_plugins', command_findings(installation)))
        facts.append(('the_first_example_does_what_the_readme_says',
                      first_findings(installation, options.examples)))
        facts += run_examples.python_facts(
            options.examples,
            os.path.join(installation.libdir, 'libpartexec.so.0'), installation.plugin,
            '_installed')
    tap.report(facts)


if __name__ == '__main__':
    main()
