# SPDX-License-Identifier: Apache-2.0
"""Plugins as the command takes them: --plugin with files and folders, and plugin-check."""
import json
import os
import shutil
import sys

from tool import Workplace, expect, report

PLUGINS = os.path.abspath(sys.argv[2])


def odd(name):
    return os.path.join(PLUGINS, f'odd_{name}.so')


def lacks(text, *words):
    return [f'{text!r} lacks {word}' for word in words if word not in text]


def refused(arguments, *words):
    """Exit status 2, the words on stderr, nothing on stdout, and no file made."""
    with Workplace() as work:
        work.job()
        before = work.files()
        result = work.run(*arguments)
        return (expect(result, 2, words, '') +
                ([] if work.files() == before else [f'files were made: {work.files()}']))


def an_operator_of_a_plugin_runs():
    with Workplace() as work:
        job = work.job(['odd_one_mapper', {'text_length_filter': {'min_len': 20}}])
        result = work.run('run', job, '--plugin', odd('good'), '--quiet')
        return expect(result, 0) + ([] if work.output() == work.longer_than(20) else ['other rows'])


def a_plugin_may_be_given_twice_and_with_others():
    with Workplace() as work:
        result = work.run('ops', 'odd_four_mapper', '--plugin', odd('good'), '--plugin', 'lab',
                          '--plugin', odd('good'))
        return expect(result, 0) + lacks(result.stdout, 'plugin odd')


def all_plugins_of_a_folder_are_loaded():
    with Workplace() as work:
        os.mkdir(work.at('mine'))
        empty = work.run('ops', '--plugin', 'mine')
        shutil.copy(odd('good'), work.at('mine/b.so'))
        work.write('mine/notes.txt', 'not looked at')
        one = work.run('ops', 'odd_one_mapper', '--plugin', 'mine')
        shutil.copy(odd('good'), work.at('mine/a.so'))
        twice = work.run('ops', '--plugin', 'mine')
    return (expect(empty, 2) + lacks(empty.stderr, '--plugin mine', 'no .so file') +
            expect(one, 0) + expect(twice, 2) +
            lacks(twice.stderr, 'mine/a.so', 'mine/b.so', 'odd_one_mapper'))


def refusals_name_file_and_reason():
    cases = {'no_info': 'pex_plugin_info', 'no_init': 'pex_plugin_init', 'magic': 'magic',
             'newer_major': 'plugin interface 1, this library has 0', 'feature': '0x4',
             'newer_host': 'newer library', 'init_fails': 'pex_plugin_init failed',
             'third_refused': 'odd_one_mapper', 'undefined': 'odd_function_that_nobody_has',
             'absent': 'No such file'}
    findings = []
    for name, words in cases.items():
        findings += refused(['run', 'job.json', '--plugin', odd(name)], '--plugin', odd(name), words)
        findings += refused(['plugin-check', odd(name)], odd(name), words)
    return findings


def what_is_no_shared_object_is_refused():
    return (refused(['plugin-check', './rows.jsonl'], 'rows.jsonl', 'ELF') +
            refused(['plugin-check', '/dev/null'], '/dev/null', 'not a regular file') +
            refused(['plugin-check', '.'], 'is a folder') +
            refused(['plugin-check'], 'expected a plugin') +
            refused(['plugin-check', 'a', 'b'], 'unexpected argument b'))


def plugin_check_shows_what_a_plugin_is():
    with Workplace() as work:
        result = work.run('plugin-check', odd('good'))
        files = work.files()
    return (expect(result, 0) + lacks(result.stdout, odd('good'), 'plugin odd, version 1.2',
                                      'operators: 4', 'odd_three_mapper', 'flags: reentrant',
                                      'note: it declares no field that it writes') +
            ([] if files == ['rows.jsonl'] else [f'files were made: {files}']))


def plugin_check_prints_json():
    with Workplace() as work:
        result = work.run('plugin-check', 'text', '--json')
    if result.returncode != 0:
        return expect(result, 0)
    plugin = json.loads(result.stdout)
    ops = {op['name']: op for op in plugin['operators']}
    facts = (plugin['name'], plugin['major'], ops['text_length_filter']['notes'],
             ops['text_length_filter']['cardinality'])
    return [] if facts == ('text', 0, [], 'filter') else [f'found {facts}']


def a_clash_with_the_installation_is_found_by_plugin_check():
    with Workplace() as work:
        shutil.copy(os.path.join(os.path.dirname(sys.argv[1]), '../ops/text/text.so'),
                    work.at('other.so'))
        check = work.run('plugin-check', 'other.so')
        run = work.run('ops', '--plugin', 'other.so')
    both = ('other.so', 'ops/text/text.so')
    return (expect(check, 2) + lacks(check.stderr, *both) + expect(run, 2) +
            lacks(run.stderr, *both))


report(an_operator_of_a_plugin_runs, a_plugin_may_be_given_twice_and_with_others,
       all_plugins_of_a_folder_are_loaded, refusals_name_file_and_reason,
       what_is_no_shared_object_is_refused, plugin_check_shows_what_a_plugin_is,
       plugin_check_prints_json, a_clash_with_the_installation_is_found_by_plugin_check)
