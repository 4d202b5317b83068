# SPDX-License-Identifier: Apache-2.0
"""
Installs the build into a folder of its own and compiles the examples there with what a user has:
a compiler and pkg-config. Shared and static, gcc and clang; then runs them.
"""
import argparse
import json
import os
import shutil
import subprocess
import tempfile

import run_examples
import tap

EXAMPLES = ['host', 'custom_operator']


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

    def compile(self, compiler, source, output, static):
        command = [compiler, '-std=c11', '-Wall', '-Wextra', '-Werror', *self.ask('--cflags'),
                   source, '-o', output, *self.link_flags(static)]
        run = run_examples.run(command)
        return [] if run.returncode == 0 else [' '.join(command), *run.stderr.splitlines()[-20:]]


def facts_of(installation, examples, compiler, static):
    kind = 'static' if static else 'shared'
    suffix = f'_{compiler}_{kind}'
    compiled = f'examples_compile_with_pkg_config_only{suffix}'
    if not shutil.which(compiler):
        return [(compiled, f'{compiler} is not installed')]
    programs = [os.path.join(installation.folder, name + suffix) for name in EXAMPLES]
    findings = []
    for name, program in zip(EXAMPLES, programs):
        source = os.path.join(examples, name + '.c')
        findings += installation.compile(compiler, source, program, static)
    if findings:
        return [(compiled, findings)]
    environment = {} if static else {'LD_LIBRARY_PATH': installation.libdir}
    return [(compiled, [])] + run_examples.c_facts(*programs, installation.plugin, environment,
                                                   suffix)


def command_findings(installation):
    """The command finds library and plugins by itself, with no environment at all."""
    command = os.path.join(installation.prefix, 'bin', 'partexec')
    run = subprocess.run([command, 'ops'], env={}, capture_output=True, check=False,
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('build')
    parser.add_argument('examples')
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        installation = Installation(options.build, folder)
        facts = [('a_header_folder_is_installed', [] if os.path.exists(os.path.join(
            installation.prefix, 'include', 'partexec', 'partexec.h')) else ['it is not there'])]
        for compiler in ('gcc', 'clang-14'):
            for static in (False, True):
                facts += facts_of(installation, options.examples, compiler, static)
        facts.append(('installed_command_finds_its_plugins', command_findings(installation)))
        facts.append(('the_first_example_does_what_the_readme_says',
                      first_findings(installation, options.examples)))
        facts += run_examples.python_facts(
            os.path.join(options.examples, 'host.py'),
            os.path.join(installation.libdir, 'libpartexec.so.0'), installation.plugin,
            '_installed')
    tap.report(facts)


if __name__ == '__main__':
    main()
