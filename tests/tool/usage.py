# SPDX-License-Identifier: Apache-2.0
"""The command line: help, versions, and what is refused with status 2 and nothing written."""
import json

from tool import Workplace, expect, report


def refused(arguments, *words, text=None, **keys):
    """The call ends with 2, says these words, prints nothing and leaves no file."""
    with Workplace() as work:
        work.job(**keys)
        work.write('job.yaml', 'dataset_path: rows.jsonl\nexport_path: out.jsonl\n')
        before = work.files()
        findings = expect(work.run(*arguments, text=text), 2, words, '')
        if work.files() != before:
            findings.append(f'files {work.files()}, expected {before}')
        return findings


def help_lists_what_there_is():
    with Workplace() as work:
        top, run = work.run('--help'), work.run('run', '--help')
        findings = expect(top, 0) + expect(run, 0) + expect(work.run('help', 'plan'), 0)
        findings += [f'help lacks {call}' for call in ('run JOB', 'plan JOB', 'ops [NAME]', 'keys [NAME]', 'topo', 'analyze JOB')
                     if call not in top.stdout]
        findings += [f'help has {call}' for call in ('status DIR', 'verify')
                     if call in top.stdout]
        findings += [f'help of run lacks {option}' for option in
                     ('--set', '--dataset', '--resume', '--plugin', '--progress', '--quiet')
                     if option not in run.stdout]
        return findings


def calls_of_help(text):
    """The names that `partexec --help` lists."""
    listed = text.split('calls:\n')[1].split('\n\n')[0]
    return [line.split()[0] for line in listed.splitlines()]


def help_of_every_call_teaches():
    """Usage, a paragraph on what it is for, options, and two examples that are in its own words."""
    with Workplace() as work:
        names = [name for name in calls_of_help(work.run('--help').stdout)
                 if name not in ('help', 'version')]
        findings = [] if len(names) >= 5 else [f'only {names}']
        for name in names:
            result = work.run(name, '--help')
            paragraphs = result.stdout.split('\n\n')
            findings += expect(result, 0, stdout=work.run('help', name).stdout)
            findings += [] if len(paragraphs[1]) >= 80 else [f'{name}: no purpose']
            examples = result.stdout.partition('examples:\n')[2].splitlines()
            if len(examples) < 2 or not all(line.startswith(f'  partexec {name}')
                                            for line in examples):
                findings.append(f'{name}: examples {examples}')
        return findings


def keys_are_listed_and_looked_up():
    with Workplace() as work:
        top, one = work.run('keys'), work.run('keys', 'scope_policy')
        listed = json.loads(work.run('keys', '--json').stdout)
        findings = expect(top, 0) + expect(one, 0) + expect(work.run('keys', 'checkpoint'), 0)
        findings += [f'keys lacks {key["key"]}' for key in listed if key['class'] == 'ours' and
                     f'  {key["key"]} ' not in top.stdout]
        findings += [f'scope_policy lacks {word}' for word in ('string', '"elastic"', 'balanced')
                     if word not in one.stdout]
        return (findings + refused(['keys', 'num_prc'], 'num_prc', 'num_proc') +
                refused(['keys', 'np', 'weight'], 'weight'))


def version_is_printed():
    with Workplace() as work:
        result = work.run('--version')
        found = result.stdout.startswith('partexec ') and result.stdout.count('\n') == 1
        return expect(result, 0) + ([] if found else [result.stdout])


def no_call_prints_usage_on_stderr():
    return refused([], 'usage: partexec CALL')


def unknown_call_names_the_nearest():
    return (refused(['rnu', 'job.json'], 'unknown call rnu', 'nearest is run') +
            refused(['hlep'], 'unknown call hlep', 'nearest is help'))


def calls_of_later_versions_say_so():
    return [finding for call in ('status', 'verify')
            for finding in refused([call, 'x'], f'{call} is not in this version')]


def unknown_option_names_the_nearest():
    return (refused(['run', 'job.json', '--progres', 'off'], '--progres', '--progress') +
            refused(['plan', 'job.json', '--jsno'], '--jsno', '--json') +
            refused(['topo', '--quiet'], '--quiet') + refused(['run', '-x', 'job.json'], '-x'))


def options_need_their_values():
    return (refused(['run', 'job.json', '--set'], '--set', 'KEY=VALUE') +
            refused(['run', 'job.json', '--set', 'np'], 'np', 'KEY=VALUE') +
            refused(['run', 'job.json', '--set', '=3'], '=3', 'KEY=VALUE') +
            refused(['run', 'job.json', '--progress', 'loud'], 'loud', 'auto, bar, json or off') +
            refused(['run', 'job.json', '--resume=yes'], '--resume', 'no value'))


def operands_are_counted():
    return (refused(['run'], 'expected a job file') + refused(['plan'], 'expected a job file') +
            refused(['run', 'job.json', 'other'], 'other') + refused(['topo', 'x'], 'x'))


def job_file_must_be_readable():
    return (refused(['run', 'none.json'], 'none.json', 'No such file') +
            refused(['run', '.'], '.: is a folder'))


def job_text_must_parse():
    return (refused(['run', '-'], 'line 1', 'JSON', text='{"np": }') +
            refused(['plan', '-'], 'YAML', text='np: 3\n'))


def a_number_that_is_too_large_is_named_by_its_line():
    with Workplace() as work:
        work.write('big.json', '{\n"np": 92233720368547758080}\n')
        result = work.run('plan', 'big.json')
        return expect(result, 2, ['big.json: line 2, ', 'the number is too large'], '') + \
            ([result.stderr] if 'YAML' in result.stderr else [])


def an_export_that_is_no_regular_file_is_refused():
    return refused(['run', 'job.json'], 'export_path', 'the device "/dev/null"',
                   export_path='/dev/null')


def yaml_errors_name_file_and_place():
    with Workplace() as work:
        work.write('twice.yml', 'np: 1\nnp: 2\n')
        return expect(work.run('plan', 'twice.yml'), 2, ['twice.yml: line 2, column 1', '"np"'], '')


def unknown_keys_name_the_nearest_also_when_quiet():
    return refused(['run', 'job.json', '--quiet'], 'job.json', 'export_pth', 'export_path',
                   export_pth='x')


def all_errors_are_listed():
    return refused(['run', 'job.json'], 'no_such_key', 'scope_policy', 'text_length_fliter',
                   'text_length_filter', process=['text_length_fliter'], no_such_key=1,
                   scope_policy='wild')


def a_long_list_of_errors_is_not_cut():
    names = [f'no_such_key_number_{number}' for number in range(80)]
    return refused(['run', 'job.json'], *names, **{name: 1 for name in names})


def wrong_parameters_are_refused_at_start():
    return (refused(['run', 'job.json'], 'min_len', process=[{'text_length_filter': {
        'min_len': 'many'}}]) +
            refused(['run', 'job.json', '--set', 'process.0.text_length_filter.min_lne=3'],
                    'min_lne', 'min_len', process=[{'text_length_filter': {}}]))


def paths_of_set_must_lead_somewhere():
    return refused(['run', 'job.json', '--set', 'process.7.x=1'], '--set process.7.x=1')


def missing_input_is_refused_by_run():
    return (refused(['run', 'job.json'], 'none.jsonl', dataset_path='none.jsonl') +
            refused(['run', 'job.json', '--dataset', 'none.jsonl'], 'none.jsonl'))


def plugins_that_are_asked_for_must_load():
    return (refused(['run', 'job.json', '--plugin', 'none.so'], '--plugin none.so') +
            refused(['run', 'job.json', '--plugin', './rows.jsonl'], '--plugin ./rows.jsonl'))


report(help_lists_what_there_is, help_of_every_call_teaches, keys_are_listed_and_looked_up,
       version_is_printed, no_call_prints_usage_on_stderr,
       unknown_call_names_the_nearest, calls_of_later_versions_say_so,
       unknown_option_names_the_nearest, options_need_their_values, operands_are_counted,
       job_file_must_be_readable, job_text_must_parse, a_number_that_is_too_large_is_named_by_its_line,
       an_export_that_is_no_regular_file_is_refused, yaml_errors_name_file_and_place,
       unknown_keys_name_the_nearest_also_when_quiet, all_errors_are_listed,
       a_long_list_of_errors_is_not_cut, wrong_parameters_are_refused_at_start,
       paths_of_set_must_lead_somewhere, missing_input_is_refused_by_run,
       plugins_that_are_asked_for_must_load)
