# SPDX-License-Identifier: Apache-2.0
"""Calls that only look: plan, ops, topo. stdout has what was asked for, and nothing is written."""
import json

from tool import Workplace, expect, report


def plan(work, *arguments):
    """The plan as JSON, and findings about how it came."""
    result = work.run('plan', 'job.json', '--json', *arguments)
    findings = expect(result, 0)
    return (json.loads(result.stdout) if not findings else {}), findings


def plan_writes_nothing():
    with Workplace() as work:
        work.job(['whitespace_normalization_mapper', {'text_length_filter': {'min_len': 5}}])
        before = work.files()
        result = work.run('plan', 'job.json')
        findings = expect(result, 0)
        findings += [] if 'text_length_filter' in result.stdout else [result.stdout]
        return findings + ([] if work.files() == before else work.files())


def plan_is_the_same_every_time():
    with Workplace() as work:
        work.job(['text_length_filter'])
        first, second = work.run('plan', 'job.json'), work.run('plan', 'job.json')
        return [] if first.stdout == second.stdout else [first.stdout, second.stdout]


def plan_works_without_its_input():
    with Workplace() as work:
        work.job(['text_length_filter'], dataset_path='none.jsonl')
        result = work.run('plan', 'job.json')
        return expect(result, 0) + ([] if 'missing' in result.stdout else [result.stdout])


def plan_works_without_chain_and_export():
    with Workplace() as work:
        work.write('job.json', '{"dataset_path": "rows.jsonl"}')
        return expect(work.run('plan', 'job.json'), 0)


def set_comes_before_the_checks():
    """In order, the first = splits, a value is JSON if it parses."""
    with Workplace() as work:
        work.job([{'text_length_filter': {'min_len': 'wrong'}}])
        path = 'process.0.text_length_filter.min_len'
        bad = work.run('plan', 'job.json', '--set', f'{path}=5', '--set', f'{path}=a=b')
        good = work.run('plan', 'job.json', '--set', f'{path}=a=b', '--set', f'{path}=5')
        return expect(bad, 2, ['min_len', 'a=b'], '') + expect(good, 0)


def np_is_clipped_with_a_notice():
    with Workplace() as work:
        workers = 4 * json.loads(work.run('topo', '--json').stdout)['workers']
        work.job(np=60000)
        planned, ran = work.run('plan', 'job.json'), work.run('run', 'job.json')
        findings = expect(planned, 0) + expect(ran, 0, ['np: 60000', f'{workers} workers'])
        return findings + ([] if f'{workers} workers' in planned.stdout else [planned.stdout])


def np_within_the_bound_is_honoured():
    with Workplace() as work:
        workers = 4 * json.loads(work.run('topo', '--json').stdout)['workers'] - 1
        work.job(np=workers)
        result = work.run('plan', 'job.json')
        return expect(result, 0) + ([] if f'{workers} workers' in result.stdout else
                                    [result.stdout])


def yaml_and_json_give_the_same_plan():
    with Workplace() as work:
        work.job([{'text_length_filter': {'min_len': 5}}, 'whitespace_normalization_mapper'])
        work.write('job.yaml', 'work_dir: work\ndataset_path: &rows rows.jsonl\n'
                               'export_path: out/rows.jsonl\nprocess:\n'
                               '- text_length_filter: {min_len: 0x5}\n'
                               '- whitespace_normalization_mapper:\n')
        one, other = work.run('plan', 'job.json'), work.run('plan', 'job.yaml')
        findings = expect(one, 0) + expect(other, 0)
        return findings + ([] if one.stdout == other.stdout else [one.stdout, other.stdout])


def resume_is_answered():
    with Workplace() as work:
        work.job()
        return expect(work.run('plan', 'job.json', '--resume'), 0, ['--resume', 'afresh'])


def json_plan_is_json():
    with Workplace() as work:
        work.job(['text_length_filter'])
        found, findings = plan(work)
        return findings + ([] if isinstance(found, dict) and found else [str(found)])


def ops_lists_all_sorted():
    with Workplace() as work:
        text, data = work.run('ops'), work.run('ops', '--json')
        names = [operator['name'] for operator in json.loads(data.stdout)]
        listed = [line.split()[0] for line in text.stdout.splitlines()]
        findings = expect(text, 0) + expect(data, 0)
        findings += [] if names == sorted(names) == listed else [str(names), str(listed)]
        return findings + [f'no {name}' for name in ('text_length_filter', 'lab_hang_mapper')
                           if name not in names]


def ops_shows_one():
    with Workplace() as work:
        text = work.run('ops', 'text_length_filter')
        data = work.run('ops', 'text_length_filter', '--json')
        operator = json.loads(data.stdout)
        findings = expect(text, 0) + expect(data, 0)
        findings += [f'text lacks {param["name"]}' for param in operator['params']
                     if param['name'] not in text.stdout]
        findings += [] if operator['cardinality'] == 'filter' else [str(operator)]
        return findings + ([] if 'min_len' in text.stdout and 'default' in text.stdout else
                           [text.stdout])


def ops_names_the_nearest():
    with Workplace() as work:
        return expect(work.run('ops', 'text_length_fliter'), 2,
                      ['text_length_fliter', 'text_length_filter'], '')


def topo_has_the_machine():
    with Workplace() as work:
        text, data = work.run('topo'), work.run('topo', '--json')
        topology = json.loads(data.stdout)
        findings = expect(text, 0, (), None) + expect(data, 0)
        findings += [f'text lacks {key}' for key in topology if key not in text.stdout]
        return findings + ([] if topology['workers'] >= 1 else [str(topology)])


report(plan_writes_nothing, plan_is_the_same_every_time, plan_works_without_its_input,
       plan_works_without_chain_and_export, set_comes_before_the_checks,
       np_is_clipped_with_a_notice, np_within_the_bound_is_honoured,
       yaml_and_json_give_the_same_plan, resume_is_answered,
       json_plan_is_json, ops_lists_all_sorted, ops_shows_one, ops_names_the_nearest,
       topo_has_the_machine)
