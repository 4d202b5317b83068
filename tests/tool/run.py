# SPDX-License-Identifier: Apache-2.0
"""Running jobs: exit codes, which stream has what, the output against a result made here."""
import json
import os

from tool import Workplace, end, expect, read_until, report

FILTER = {'text_length_filter': {'min_len': 20}}


def output_findings(work, rows, name='out/rows.jsonl'):
    found = work.output(name)
    return [] if found == rows else [f'{len(found)} rows, expected {len(rows)}']


def done_is_0_and_stdout_is_empty():
    with Workplace() as work:
        work.job([FILTER])
        result = work.run('run', 'job.json')
        kept = work.longer_than(20)
        words = ['partexec: job ', f'{len(work.rows)} rows and 0 bad lines in, {len(kept)} out',
                 f'{len(work.rows) - len(kept)} dropped', '0 quarantined', 'out/rows.jsonl']
        return expect(result, 0, words, '') or output_findings(work, kept)


def quiet_prints_nothing():
    with Workplace() as work:
        work.job([FILTER])
        result = work.run('run', 'job.json', '--quiet', '--resume', '--set', 'np=60000')
        findings = expect(result, 0, (), '') or output_findings(work, work.longer_than(20))
        return findings + ([result.stderr] if result.stderr else [])


def the_job_id_is_that_of_the_folder():
    with Workplace() as work:
        work.job([FILTER])
        result = work.run('run', 'job.json')
        folders = os.listdir(work.at('work'))
        return expect(result, 0, [f'job {name}' for name in folders])


def quarantined_rows_are_no_failure():
    with Workplace() as work:
        work.write('rows.jsonl', work.read('rows.jsonl') + 'not a row\n')
        work.job([FILTER])
        result = work.run('run', 'job.json')
        return expect(result, 0, ['1 quarantined', 'quarantine.jsonl'], '') or \
            output_findings(work, work.longer_than(20))


def failed_is_1_and_leaves_no_output():
    with Workplace() as work:
        work.write('rows.jsonl', work.read('rows.jsonl') + 'not a row\n')
        work.job([FILTER], on_error='fail')
        result = work.run('run', 'job.json', '--quiet')
        findings = expect(result, 1, ['failed: '], '')
        return findings + (['an output'] if os.path.exists(work.at('out/rows.jsonl')) else [])


def a_held_folder_is_3():
    with Workplace() as work:
        work.job(['lab_hang_mapper'], job_id='mine')
        first = work.start('run', 'job.json')
        try:
            read_until(first, 'job mine')
            return expect(work.run('run', 'job.json', '--quiet'), 3, ['mine'], '')
        finally:
            end(first)


def dataset_replaces_the_path():
    with Workplace() as work:
        rows = [{'text': 'another row, which is long enough'}]
        work.write('12', json.dumps(rows[0]) + '\n')
        work.job([FILTER], dataset_path='none.jsonl')
        return expect(work.run('run', 'job.json', '--dataset', '12', '--set',
                               'input_format=jsonl'), 0) or output_findings(work, rows)


def set_changes_the_run():
    with Workplace() as work:
        work.job([FILTER])
        result = work.run('run', 'job.json', '--set', 'process.0.text_length_filter.min_len=30',
                          '--set', 'export_path=other.jsonl', '--set=np=2')
        return expect(result, 0, ['other.jsonl']) or \
            output_findings(work, work.longer_than(30), 'other.jsonl')


def a_job_id_may_be_a_number():
    with Workplace() as work:
        work.job([FILTER])
        work.write('job.yaml', 'dataset_path: rows.jsonl\nexport_path: out.jsonl\nwork_dir: work\n'
                               'job_id: 123\n')
        findings = expect(work.run('run', 'job.json', '--set', 'job_id=20261130'), 0,
                          ['job 20261130']) + expect(work.run('run', 'job.yaml'), 0, ['job 123'])
        return findings or ([] if sorted(os.listdir(work.at('work'))) == ['123', '20261130'] else
                            os.listdir(work.at('work')))


def a_job_comes_from_stdin():
    with Workplace() as work:
        work.job([FILTER])
        return expect(work.run('run', '-', text=work.read('job.json')), 0) or \
            output_findings(work, work.longer_than(20))


def a_job_comes_as_yaml():
    with Workplace() as work:
        work.write('job.yaml', 'dataset_path: rows.jsonl\nexport_path: out.jsonl\n'
                               'process:\n- text_length_filter: {min_len: 20}\n')
        return expect(work.run('run', 'job.yaml'), 0) or \
            output_findings(work, work.longer_than(20), 'out.jsonl')


def resume_starts_afresh_and_says_so():
    with Workplace() as work:
        work.job([FILTER])
        return expect(work.run('run', 'job.json', '--resume'), 0, ['--resume', 'afresh']) or \
            output_findings(work, work.longer_than(20))


def nobody_reading_the_progress_does_not_end_the_job():
    with Workplace() as work:
        work.job([FILTER])
        process = work.start('run', 'job.json', '--progress', 'json')
        process.stderr.close()
        process.stdout.read()
        findings = [] if process.wait() == 0 else [f'status {process.returncode}']
        process.stdout.close()
        return findings or output_findings(work, work.longer_than(20))


def a_dataset_block_reads_its_first_rows():
    findings = []
    with Workplace() as work:
        work.write('more.jsonl', ''.join(f'{{"id": {i}, "text": "more"}}\n' for i in range(50)))
        configs = [{'type': 'local', 'path': 'rows.jsonl'},
                   {'type': 'local', 'path': 'more.jsonl', 'weight': 1.0}]
        rows = work.rows + [{'id': i, 'text': 'more'} for i in range(50)]
        for most in (1, 9, len(work.rows), len(work.rows) + 1, len(rows), len(rows) + 1):
            for keys in ({}, {'num_of_partitions': 3}, {'size': 7}):
                work.job(dataset_path=None, partition=keys,
                         dataset={'configs': configs, 'max_sample_num': most})
                result = work.run('run', 'job.json')
                findings += expect(result, 0) or output_findings(work, rows[:most])
    return findings


def only_files_with_a_suffix_are_read_of_a_folder():
    with Workplace() as work:
        os.mkdir(work.at('in'))
        for name in ('a.jsonl', 'b.json', 'c.csv', 'djsonl', 'e.JSONL'):
            work.write('in/' + name, f'{{"text": "{name}"}}\n')
        findings = []
        for suffixes, names in ((['.jsonl'], 'a.jsonl e.JSONL'), ('JsonL', 'a.jsonl e.JSONL'),
                                (['.json', '.jsonl'], 'a.jsonl b.json e.JSONL')):
            work.job(dataset_path='in', suffixes=suffixes)
            result = work.run('run', 'job.json')
            rows = [{'text': name} for name in names.split()]
            findings += expect(result, 0) or output_findings(work, rows)
        work.job(dataset_path='in', suffixes=['.parquet'])
        return findings + expect(work.run('run', 'job.json'), 2, ['suffixes'])


report(done_is_0_and_stdout_is_empty, quiet_prints_nothing, the_job_id_is_that_of_the_folder,
       quarantined_rows_are_no_failure, failed_is_1_and_leaves_no_output, a_held_folder_is_3,
       dataset_replaces_the_path, set_changes_the_run, a_job_id_may_be_a_number,
       a_job_comes_from_stdin,
       a_job_comes_as_yaml, resume_starts_afresh_and_says_so,
       nobody_reading_the_progress_does_not_end_the_job, a_dataset_block_reads_its_first_rows,
       only_files_with_a_suffix_are_read_of_a_folder)
