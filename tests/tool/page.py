# SPDX-License-Identifier: Apache-2.0
"""The page of an analysis in a browser: nothing is wider than the window, and every bar is seen."""
import html
import json
import re
import shutil
import subprocess

import tap
from tool import Workplace, expect

WIDTHS = (360, 400, 800, 1280)
FRAME = '<iframe style="border:0;width:{width}px;height:900px" srcdoc="{page}"></iframe>'
#: What each frame shows, as JSON in the body.
MEASURE = '''<script>onload = () => {
  const found = [...document.querySelectorAll('iframe')].map(frame => {
    const page = frame.contentDocument, boxes = [...page.querySelectorAll('.card, svg, .axis')];
    const bars = [...page.querySelectorAll('.bar')].filter(bar => bar.getAttribute('height') > 0);
    return {scroll: page.documentElement.scrollWidth, bars: bars.length,
            outside: boxes.filter(box => box.getBoundingClientRect().right >
                                         page.documentElement.clientWidth + 0.5).length,
            flat: bars.filter(bar => bar.getBoundingClientRect().height < 0.5).length};
  });
  document.body.textContent = 'found ' + JSON.stringify(found);
}</script>'''


def browser():
    return next((path for path in map(shutil.which, ('chromium', 'chromium-browser',
                                                     'google-chrome')) if path), None)


def measured(work, page):
    """What the browser finds of the page at each width."""
    frames = ''.join(FRAME.format(width=width, page=html.escape(page)) for width in WIDTHS)
    work.write('frames.html', f'<!DOCTYPE html><meta charset="utf-8">{MEASURE}<body>{frames}')
    run = subprocess.run([browser(), '--headless', '--no-sandbox', '--disable-gpu',
                          f'--user-data-dir={work.at("profile")}', '--dump-dom',
                          'file://' + work.at('frames.html')],
                         capture_output=True, check=False, encoding='utf-8', timeout=100)
    found = re.search(r'found (\[.*?\])</body>', run.stdout, re.S)
    return json.loads(found.group(1)) if found else []


def page_findings(process, rows):
    with Workplace() as work:
        work.write('rows.jsonl', ''.join(json.dumps(row) + '\n' for row in rows))
        work.job(process)
        findings = expect(work.run('analyze', 'job.json', '--quiet'), 0)
        found = measured(work, work.read('out/rows.analysis.html'))
        if len(found) != len(WIDTHS):
            return findings + ['the browser found nothing']
        for width, seen in zip(WIDTHS, found):
            if seen['scroll'] > width or seen['outside'] or seen['flat'] or \
                    bool(seen['bars']) != bool(rows):
                findings.append(f'at {width}: {seen}')
        return findings


def plain_findings():
    return page_findings([{'text_length_filter': {'min_len': 20, 'max_len': 35}},
                          {'alphanumeric_filter': {'min_ratio': 0.4}},
                          {'specified_field_filter': {'field_key': 'id', 'target_value': [1]}}],
                         [{'id': f'row {number}', 'text': 'a b' * (number % 30)}
                          for number in range(300)])


def wide_findings():
    """Thirty stats, with names that do not break of themselves."""
    names = ['n' * 200, '\u4e2d' * 90, '<table width="9999">', *(f'field_{i}' for i in range(27))]
    return page_findings([{'specified_numeric_field_filter': {
        'field_key': name, 'min_value': -5, 'max_value': 123456789}} for name in names],
        [{name: (number - 50) * 10.0 ** (at - 9) for at, name in enumerate(names)}
         for number in range(100)])


def empty_findings():
    return page_findings([{'text_length_filter': {}}], [])


FACTS = (('a_page_fits_its_window', plain_findings), ('so_does_one_with_many_stats', wide_findings),
         ('and_one_without_rows', empty_findings))
tap.report([(name, fact() if browser() else 'no chromium is installed') for name, fact in FACTS])
