# SPDX-License-Identifier: Apache-2.0
"""partexec analyze: its figures beside those computed here, its files, its page, what it refuses."""
import html.parser
import json
import math
import os
import random
import signal

from tool import Workplace, end, expect, read_until, report

NEEDED = {'text_len', 'alnum_ratio', 'score', 'meta.lang'}
CHAIN = ['whitespace_normalization_mapper',
         {'text_length_filter': {'min_len': 40, 'max_len': 300}},
         {'alphanumeric_filter': {'min_ratio': 0.5, 'num_proc': 2}},
         {'specified_numeric_field_filter': {'field_key': 'score', 'min_value': -1,
                                             'max_value': 1, 'max_closed_interval': False}},
         {'specified_field_filter': {'field_key': 'meta.lang', 'target_value': ['en', 'de']}},
         {'text_length_filter': {'min_len': 60, 'max_len': 90, 'reversed_range': True}}]


def make_rows(count, seed):
    chance = random.Random(seed)
    return [{'text': ' ' + ''.join(chance.choice('ab1 .\u00e9\u4e2d') for _ in
                                   range(int(chance.lognormvariate(4, 1)))) + '\u00a0\t',
             'score': chance.choice([chance.gauss(0, 1), -1, 1, 0]),
             'meta': {'lang': chance.choice(['en', 'de', 'fr', ['en', 'de'], None])}}
            for _ in range(count)]


def place(work, rows, process=None, **keys):
    work.write('rows.jsonl', ''.join(json.dumps(row) + '\n' for row in rows))
    work.job(CHAIN if process is None else process, **keys)


def analysis(work, name='out/rows.analysis.json'):
    return json.loads(work.read(name))


def normal(row):
    text = row['text'].strip()
    return ''.join(' ' if char in '\u00a0\t' else char for char in text)


def quantile(numbers, share):
    at = (len(numbers) - 1) * share
    low = numbers[math.floor(at)]
    return low + (numbers[math.ceil(at)] - low) * (at - math.floor(at))


def near(found, expected):
    return found == expected or abs(found - expected) <= 1e-12 * max(abs(expected), 1)


def moments(numbers):
    mean = math.fsum(numbers) / len(numbers)
    squares = math.fsum((number - mean) ** 2 for number in numbers)
    return {'mean': mean, 'std': math.sqrt(squares / (len(numbers) - 1)),
            'min': min(numbers), 'max': max(numbers)}


def stat_findings(name, found, numbers, shares):
    numbers = sorted(numbers)
    findings = [] if found['count'] == len(numbers) and found['exact'] else [f'{name}: {found}']
    findings += [f'{name}: {key} {found[key]}, expected {value}'
                 for key, value in moments(numbers).items() if not near(found[key], value)]
    wanted = {share: quantile(numbers, share) for share in shares}
    quantiles = {float(share): value for share, value in found['quantiles'].items()}
    if quantiles.keys() != wanted.keys():
        return findings + [f'{name}: quantiles {sorted(quantiles)}']
    return findings + [f'{name}: {share} is {quantiles[share]}, expected {value}'
                       for share, value in wanted.items() if not near(quantiles[share], value)]


def histogram_findings(name, found, numbers):
    edges, counts = found['histogram']['edges'], found['histogram']['counts']
    expected = [0] * len(counts)
    for number in numbers:
        last = len(counts) - 1
        expected[next((at for at in range(last) if number < edges[at + 1]), last)] += 1
    rising = all(low < high for low, high in zip(edges, edges[1:]))
    return [] if rising and counts == expected and len(edges) == len(counts) + 1 else \
        [f'{name}: bins {edges} {counts}, expected {expected}']


def figures_are_those_computed_here():
    findings = []
    for seed in range(3):
        with Workplace() as work:
            rows = make_rows(700, seed)
            place(work, rows, percentiles=[0.333, 0.5, 1])
            findings += expect(work.run('analyze', 'job.json', '--quiet'), 0)
            found = analysis(work)
            texts = [normal(row) for row in rows]
            numbers = {'text_len': [len(text) for text in texts],
                       'alnum_ratio': [sum(char.isalnum() for char in text) / len(text)
                                       if text else 0 for text in texts],
                       'score': [row['score'] for row in rows]}
            shares = [0.01, 0.05, 0.25, 0.333, 0.5, 0.75, 0.95, 0.99, 1]
            if found['stats'].keys() != NEEDED or found['rows'] != len(rows):
                findings.append(f'stats {list(found["stats"])}, {found["rows"]} rows')
            for name, expected in numbers.items():
                findings += stat_findings(name, found['stats'][name], expected, shares)
                findings += histogram_findings(name, found['stats'][name], expected)
    return findings


def languages(row):
    lang = row['meta']['lang']
    return lang if isinstance(lang, list) else [lang]


def is_kept(row):
    """By each filter of the chain."""
    text = normal(row)
    ratio = sum(char.isalnum() for char in text) / len(text) if text else 0
    # A score of 0 is no number for its filter.
    return [40 <= len(text) <= 300, ratio >= 0.5, row['score'] != 0 and -1 <= row['score'] < 1,
            all(lang in ('en', 'de') for lang in languages(row)),
            len(text) <= 60 or len(text) >= 90]


def filters_say_what_they_would_drop():
    with Workplace() as work:
        rows = make_rows(900, 7)
        place(work, rows)
        findings = expect(work.run('analyze', 'job.json', '--quiet'), 0)
        found = analysis(work)
        filters = [entry for entry in found['operators'] if entry['kind'] == 'filter']
        decisions = [is_kept(row) for row in rows]
        for at, entry in enumerate(filters):
            reached = [kept for kept in decisions if all(kept[:at])]
            expected = (len(rows), sum(not kept[at] for kept in decisions), len(reached),
                        sum(not kept[at] for kept in reached))
            counts = (entry['in'], entry['would_drop'], entry['run_in'], entry['run_dropped'])
            findings += [] if counts == expected else [f'{entry["name"]}: {counts}, {expected}']
        below = sum(len(normal(row)) < 40 for row in rows)
        above = sum(len(normal(row)) > 300 for row in rows)
        bounds = filters[0]['bounds']
        if (bounds['below'], bounds['above'], bounds['min'], bounds['max']) != \
                (below, above, 40, 300) or filters[0]['stats'] != ['text_len']:
            findings.append(f'{filters[0]}, expected {below} below and {above} above')
        if found['kept'] != sum(all(kept) for kept in decisions):
            findings.append(f'kept {found["kept"]}')
        return findings


def a_run_agrees():
    with Workplace() as work:
        place(work, make_rows(900, 8), ['document_deduplicator'] + CHAIN)
        findings = expect(work.run('analyze', 'job.json'), 0, ['document_deduplicator: left out'])
        place(work, make_rows(900, 8), job_id='it')
        findings += expect(work.run('run', 'job.json', '--quiet'), 0)
        found, summary = analysis(work), json.loads(work.read('work/it/summary.json'))
        ran = [(entry['name'], entry['in'], entry['dropped']) for entry in summary['operators']
               if entry['name'].endswith('_filter')]
        told = [(entry['name'], entry['run_in'], entry['run_dropped'])
                for entry in found['operators'] if entry['kind'] == 'filter']
        findings += [] if ran == told else [f'{told}, and the run {ran}']
        return findings + ([] if found['kept'] == summary['output']['rows'] else ['kept'])


def values_that_are_no_numbers_are_counted():
    with Workplace() as work:
        rows = make_rows(500, 9)
        place(work, rows)
        findings = expect(work.run('analyze', 'job.json', '--quiet'), 0)
        found = analysis(work)['stats']['meta.lang']
        items = [json.dumps(lang) for row in rows for lang in languages(row)]
        wanted = [{'value': json.loads(item), 'count': items.count(item)}
                  for item in sorted(set(items), key=lambda item: (-items.count(item), item))]
        values = found['values']
        if (values['most_frequent'], values['rows'], values['count'], found['count']) != \
                (wanted, 500, len(items), 0):
            findings.append(f'{values}, expected {wanted}')
        return findings


def the_files_do_not_depend_on_how_it_ran():
    with Workplace() as work:
        place(work, make_rows(1500, 10))
        seen = set()
        for keys in ([], ['np=1'], ['np=3', 'partition.num_of_partitions=7'],
                     ['debug.slice_bytes=2000', 'scope_policy=balanced'],
                     ['partition.size=111', 'debug.encode_boundaries=true', 'batch_size=3']):
            sets = [word for key in keys for word in ('--set', key)]
            result = work.run('analyze', 'job.json', '--quiet', *sets)
            if result.returncode:
                return expect(result, 0)
            seen.add((work.read('out/rows.analysis.json'), work.read('out/rows.analysis.html')))
        return [] if len(seen) == 1 else [f'{len(seen)} different analyses']


def only_the_analysis_is_written():
    with Workplace() as work:
        place(work, make_rows(50, 11), keep_stats_in_res_ds=True, export_stats=True, job_id='mine')
        os.mkdir(work.at('out'))
        work.write('out/rows.jsonl', 'of an earlier run')
        before = work.files()
        result = work.run('analyze', 'job.json', '--quiet')
        added = ['out/rows.analysis.html', 'out/rows.analysis.json']
        findings = expect(result, 0) + ([result.stderr] if result.stderr else [])
        if work.files() != sorted(before + added) or os.path.exists(work.at('work')):
            findings.append(f'files {work.files()}')
        if work.read('out/rows.jsonl') != 'of an earlier run':
            findings.append('the export was touched')
        return findings + expect(work.run('analyze', 'job.json', '--quiet'), 0)


def names_come_from_the_export_or_the_option():
    findings = []
    for export, name in (('rows.jsonl.zst', 'rows'), ('a/b/parts/', 'a/b/parts'),
                         ('a.b/c', 'a.b/c'), ('x.jsonl.jsonl.gz', 'x.jsonl')):
        with Workplace() as work:
            place(work, make_rows(5, 12), export_path=export)
            findings += expect(work.run('analyze', 'job.json'), 0, [f'{name}.analysis.html'])
            findings += [] if analysis(work, f'{name}.analysis.json')['rows'] == 5 else [export]
    for option in ('look', 'look.html', 'look.json'):
        with Workplace() as work:
            place(work, make_rows(5, 12), export_path=None)
            findings += expect(work.run('analyze', 'job.json', '--to', option), 0, ['look.html'])
            findings += [] if analysis(work, 'look.json')['rows'] == 5 else [option]
    return findings


def stdout_has_a_table_or_json():
    with Workplace() as work:
        place(work, make_rows(60, 13))
        table, text = work.run('analyze', 'job.json'), work.run('analyze', 'job.json', '--json')
        findings = expect(table, 0, ['out/rows.analysis.json', 'out/rows.analysis.html'])
        findings += expect(text, 0, stdout=work.read('out/rows.analysis.json'))
        findings += [f'the table lacks {word}' for word in
                     (*NEEDED, 'mean', 'std', '50%', 'text_length_filter', 'min_len 40', 'of 60')
                     if word not in table.stdout]
        return findings + (['percentiles'] if 'percentiles' in table.stderr else [])


def few_rows_are_no_trouble():
    findings = []
    for count in (0, 1, 2):
        with Workplace() as work:
            place(work, make_rows(count, 14))
            findings += expect(work.run('analyze', 'job.json', '--quiet'), 0)
            found = analysis(work)['stats']['text_len']
            known = [key for key in ('mean', 'std', 'min', 'max') if found[key] is not None]
            wanted = [[], ['mean', 'min', 'max'], ['mean', 'std', 'min', 'max']][count]
            if found['count'] != count or known != wanted:
                findings.append(f'{count} rows: {found}')
    return findings


def rows_that_fail_are_told_and_in_no_statistic():
    with Workplace() as work:
        place(work, make_rows(20, 15))
        work.write('rows.jsonl', work.read('rows.jsonl') + '{"text": 5}\nno row\n')
        findings = expect(work.run('analyze', 'job.json'), 0, ['2 rows failed', 'rows.jsonl at '])
        found = analysis(work)
        if (found['rows'], found['failed'], found['stats']['text_len']['count']) != (20, 2, 20):
            findings.append(f'{found["rows"]} rows, {found["failed"]} failed')
        os.remove(work.at('out/rows.analysis.json'))
        os.remove(work.at('out/rows.analysis.html'))
        findings += expect(work.run('analyze', 'job.json', '--quiet', '--set', 'on_error=fail'), 1,
                           ['failed: '], '')
        return findings + [f'{name} is there' for name in work.files() if 'analysis' in name]


class Page(html.parser.HTMLParser):
    """Elements that are open and closed in order, what they would load, and all text."""

    def __init__(self):
        super().__init__()
        self.open, self.faults, self.text, self.tags = [], [], '', set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag not in ('meta', 'rect', 'line'):
            self.open.append(tag)
        self.faults += [f'{tag} {name}="{value}"' for name, value in attrs
                        if name.startswith('on') or name in ('src', 'srcset', 'xlink:href') or
                        (name == 'href' and not value.startswith('#'))]

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f'</{tag}> closes nothing')

    def handle_data(self, data):
        self.text += data


def the_page_stands_alone_whatever_the_names():
    evil = '</style></title><script src="//a/b"></script><img onerror=x \'"&amp;'
    with Workplace() as work:
        rows = [{'text': 'x', evil: number % 7, 'kind': f'<b onclick="{number % 3}">\u202e'}
                for number in range(100)]
        chain = [{'specified_numeric_field_filter': {'field_key': evil, 'min_value': 2}},
                 {'specified_field_filter': {'field_key': 'kind', 'target_value': []}}]
        place(work, rows, chain)
        findings = expect(work.run('analyze', 'job.json', '--quiet'), 0)
        text = work.read('out/rows.analysis.html')
        page = Page()
        page.feed(text)
        page.close()
        findings += page.faults + [f'{tag} is never closed' for tag in page.open]
        findings += [f'element {tag}' for tag in page.tags & {'script', 'img', 'link', 'iframe', 'b'}]
        findings += [f'the page lacks {word}' for word in (evil, '<b onclick=', 'min_value 2')
                     if word not in page.text]
        findings += ['no content policy'] if "default-src 'none'" not in text else []
        findings += ['loads something'] if 'url(' in text or '@import' in text else []
        found = analysis(work)['stats']
        return findings + ([] if found[evil]['count'] == 100 else [f'{found.keys()}'])


def refused(words, *arguments, files=(), **keys):
    """The call ends with 2, says these words, and writes nothing."""
    with Workplace() as work:
        work.job(**{'process': CHAIN, **keys})
        for name, text in files:
            work.write(name, text)
        before = work.files()
        findings = expect(work.run('analyze', 'job.json', '--quiet', *arguments), 2, words, '')
        return findings + ([] if work.files() == before else [f'files {work.files()}'])


def what_cannot_be_analyzed_is_refused():
    return (refused(['process', 'no filter', 'text_length_filter'],
                    process=['whitespace_normalization_mapper']) +
            refused(['percentiles', '1.5', 'from 0 to 1'], percentiles=[0.5, 1.5]) +
            refused(['percentiles', '0.5'], percentiles=0.5) +
            refused(['export_path', '--to'], export_path=None) +
            refused(['--to'], '--to', 'here/') + refused(['--to'], '--to', '') +
            refused(['--resume', '--help'], '--resume') +
            refused(['a.json', 'no analysis', '--to'], '--to', 'a', files=[('a.json', '{}')]) +
            refused(['a.html', 'no analysis'], '--to', 'a.json', files=[('a.html', '<p>')]) +
            refused(['rows.jsonl/a.json'], '--to', 'rows.jsonl/a') +
            refused(['none.jsonl'], dataset_path='none.jsonl') +
            refused(['text_length_fliter', 'min_lne'], process=[
                'text_length_fliter', {'text_length_filter': {'min_lne': 3}}]))


def a_signal_leaves_nothing_behind():
    with Workplace() as work:
        work.job(['lab_hang_mapper', {'text_length_filter': {}}])
        before = work.files()
        process = work.start('analyze', 'job.json', '--progress', 'json')
        try:
            read_until(process, '"rows"')
            process.send_signal(signal.SIGINT)
            process.communicate()
        finally:
            end(process)
        return ([] if process.returncode == 130 else [f'status {process.returncode}']) + \
            ([] if work.files() == before else [f'files {work.files()}'])


report(figures_are_those_computed_here, filters_say_what_they_would_drop, a_run_agrees,
       values_that_are_no_numbers_are_counted, the_files_do_not_depend_on_how_it_ran,
       only_the_analysis_is_written, names_come_from_the_export_or_the_option,
       stdout_has_a_table_or_json, few_rows_are_no_trouble,
       rows_that_fail_are_told_and_in_no_statistic, the_page_stands_alone_whatever_the_names,
       what_cannot_be_analyzed_is_refused, a_signal_leaves_nothing_behind)
