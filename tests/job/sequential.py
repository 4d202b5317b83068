# SPDX-License-Identifier: Apache-2.0
"""The same job done plainly: one row after the other, in one thread, with Python's own means.

Nothing here is taken from the library. The rules of the text operators are those of Data-Juicer;
rows leave as they came, byte for byte, except for the fields that an operator changed.
"""
import base64
import hashlib
import json
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, '..', '..', 'ops', 'text', 'unicode.json'), encoding='utf-8') as _file:
    _SPECIAL = {chr(code) for first, last in json.load(_file)['sets']['special']['ranges']
                for code in range(first, last + 1)}
# Constants of the format: what whitespace_normalization_mapper makes a plain blank.
_BLANKS = {ord(blank): ' ' for blank in '\t\x84\xa0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007'
           '\u2008\u2009\u200a\u200b\u200c\u200d\u202f\u205f\u2060\u3000\ufffc'}
_UNIT = r'[^\s()<>]'
_GROUP = rf'\((?:{_UNIT}|\({_UNIT}+\))*\)'
_LINK = re.compile(
    rf'\b(?:[a-z][\w-]+:(?:/{{1,3}}|[a-z0-9%])|www\d{{0,3}}\.|[a-z0-9.-]+\.[a-z]{{2,4}}/)'
    rf'(?:{_UNIT}|{_GROUP})+'
    rf'(?:{_GROUP}|[^\s`!()\[\]{{}};:\'".,<>?\u00ab\u00bb\u201c\u201d\u2018\u2019])',
    re.IGNORECASE | re.DOTALL)
STATS = '__dj__stats__'


class BadRow(Exception):
    """A row that is bad, or that an operator fails."""


# --- rows: text, and where its fields lie ---------------------------------------------------

_DECODER = json.JSONDecoder()
_BLANK = re.compile(r'[ \t\r\n]*')


def _refuse(name):
    raise ValueError(name)


_STRICT = json.JSONDecoder(parse_constant=_refuse, parse_int=len, parse_float=len)


def _skip(text, at):
    return _BLANK.match(text, at).end()


class Row:
    """The text of an object with the spans of its top fields; (key, begin of the key, begin of the
    value, end)."""

    def __init__(self, text, place, raw=None):
        self.text, self.place, self.raw = text, place, text if raw is None else raw
        self.spans = []
        at = _skip(text, 1)
        while text[at] != '}':
            begin = at
            key, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
            _, end = _STRICT.raw_decode(text, at)
            self.spans.append((key, begin, at, end))
            at = _skip(text, end)
            if text[at] == ',':
                at = _skip(text, at + 1)

    def copy(self, text):
        return Row(text, self.place, self.raw)

    def get(self, key):
        """The value of the last field with this key; KeyError without one."""
        for name, _, begin, end in reversed(self.spans):
            if name == key:
                return json.loads(self.text[begin:end])
        raise KeyError(key)

    def without(self, count_key, keep_last=0):
        """Drops the fields with this key, but the last `keep_last` of them."""
        at = [i for i, span in enumerate(self.spans) if span[0] == count_key]
        row = self
        for _ in range(len(at) - keep_last):
            i = next(i for i, span in enumerate(row.spans) if span[0] == count_key)
            _, begin, _, end = row.spans[i]
            if i > 0:
                before = row.spans[i - 1][3]
                begin = row.text.index(',', before)
            elif len(row.spans) > 1:
                end = row.spans[1][1]
            row = row.copy(row.text[:begin] + row.text[end:])
        return row

    def set(self, key, value):
        """Replaces the value of the last such field and drops the others, or appends one."""
        try:
            if self.get(key) == value and isinstance(self.get(key), type(value)):
                return self
        except KeyError:
            end = self.spans[-1][3] if self.spans else 1
            comma = ',' if self.spans else ''
            return self.copy(f'{self.text[:end]}{comma}{dump(key)}:{dump(value)}{self.text[end:]}')
        row = self.without(key, 1)
        _, _, begin, end = next(span for span in row.spans if span[0] == key)
        return row.copy(row.text[:begin] + dump(value) + row.text[end:])


def dump(value):
    text = json.dumps(value, ensure_ascii=False)
    return ''.join(f'\\u{ord(c):04x}' if 0xd800 <= ord(c) < 0xe000 else c for c in text)


def parse(raw, place):
    """The row of a line without its end; None for a blank line; BadRow."""
    stripped = raw.strip(b' \t\r\n')
    if not stripped:
        return None
    try:
        text = stripped.decode('utf-8')
        _STRICT.decode(text)
        if text[0] != '{':
            raise ValueError('no object')
    except ValueError as error:
        raise BadRow(str(error)) from None
    return Row(text, place)


# --- operators: a row to rows ----------------------------------------------------------------

def _text(row):
    try:
        text = row.get('text')
    except KeyError:
        raise BadRow('no text') from None
    if not isinstance(text, str):
        raise BadRow('text is no string')
    return text


def _stat(row, key):
    try:
        return row.get(STATS)[key]
    except (KeyError, TypeError):
        return None


def _filter(key, low, high, measure):
    def run(row, params):
        stat = _stat(row, key)
        if stat is None:
            stat = measure(_text(row))
        elif isinstance(stat, bool) or not isinstance(stat, (int, float)):
            raise BadRow('stat is no number')
        least, most = params.get(low, 10), params.get(high, 2 ** 63 - 1)
        return [row] if least <= stat <= most else []
    return run


def _words(text):
    return sum(any(c not in _SPECIAL for c in word) for word in re.split('[ \n\t]', text))


def whitespace_normalization(row, _):
    return [row.set('text', _text(row).strip().translate(_BLANKS))]


def clean_links(row, params):
    return [row.set('text', _LINK.sub(lambda _: params.get('repl', ''), _text(row)))]


def lab_expand(row, params):
    return [row.set('lab_child', child) for child in range(params.get('n', 2))]


def lab_append(row, params):
    return [row.set('text', _text(row) + params.get('suffix', '+'))]


def lab_drop(row, params):
    try:
        value = row.get('id')
    except KeyError:
        value = None
    if isinstance(value, bool) or not isinstance(value, int):
        raise BadRow('id is no integer')
    return [row] if value % params.get('modulo', 2) == params.get('remainder', 0) else []


def lab_fail(row, params):
    try:
        value = row.get('id')
    except KeyError:
        return [row]
    if isinstance(value, int) and not isinstance(value, bool) and value % params['every'] == 0:
        raise BadRow('lab_fail says so')
    return [row]


def unchanged(row, _):
    return [row]


LOCAL = {
    'whitespace_normalization_mapper': whitespace_normalization,
    'clean_links_mapper': clean_links,
    'text_length_filter': _filter('text_len', 'min_len', 'max_len', len),
    'words_num_filter': _filter('num_words', 'min_num', 'max_num', _words),
    'lab_expand_mapper': lab_expand,
    'lab_append_mapper': lab_append,
    'lab_drop_filter': lab_drop,
    'lab_fail_mapper': lab_fail,
    'lab_model_mapper': lambda row, params: [row.set('lab_model', True)],
    'lab_sleep_mapper': unchanged,
    'lab_spin_mapper': unchanged,
}


def _hash(row):
    try:
        given = row.get('__dj__hash')
        if isinstance(given, str):
            return given
    except KeyError:
        pass
    try:
        return hashlib.md5(_text(row).strip().encode('utf-8')).hexdigest()
    except UnicodeEncodeError:
        raise BadRow('half of a surrogate pair') from None


def _decide(name, params, rows, fail):
    """Rows with how often each goes out; in order."""
    seen, number = set(), 0
    for row in rows:
        count = 1
        if name == 'document_deduplicator':
            try:
                key = _hash(row)
            except BadRow:
                fail(row)
                continue
            count = key not in seen
            seen.add(key)
        elif name == 'lab_count_global':
            count = number % params.get('n', 2) == 0
        else:
            count = params.get('count', 2)
        number += 1
        yield row, int(count)


# --- the job ---------------------------------------------------------------------------------

class Result:
    def __init__(self):
        self.lines = self.blank = self.bad = 0
        self.rows = []
        self.operators = []
        self.quarantine = []  # (source, offset, operator, index, raw), in input order

    @property
    def output(self):
        return ''.join(row.without(STATS).text + '\n' for row in self.rows).encode('utf-8')


def lines_of(data):
    """(offset, line without its LF) of a file; a byte order mark is no part of the first."""
    at = 3 if data.startswith(b'\xef\xbb\xbf') else 0
    while at < len(data):
        end = data.find(b'\n', at)
        end = len(data) if end < 0 else end
        yield at, data[at:end]
        at = end + 1


def read(paths, result):
    for number, path in enumerate(paths):
        with open(path, 'rb') as file:
            data = file.read()
        for offset, line in lines_of(data):
            result.lines += 1
            # An id is where the row begins, behind blanks; of a bad line, the line.
            lead = len(line) - len(line.lstrip(b' \t\r\n'))
            try:
                row = parse(line, (number, offset + lead))
            except BadRow:
                result.bad += 1
                bare = line[:-1] if line.endswith(b'\r') else line
                result.quarantine.append(((number, offset, 0), path, None, None, bare))
                continue
            if row is None:
                result.blank += 1
                continue
            result.rows.append(row)


def run(paths, process):
    """process: a list of (name, params)."""
    result = Result()
    read(paths, result)
    for index, (name, params) in enumerate(process):
        count = {'in': len(result.rows), 'added': 0, 'out': 0, 'dropped': 0, 'quarantined': 0}
        out = []

        def fail(row, name=name, index=index, count=count):
            count['quarantined'] += 1
            result.quarantine.append(((*row.place, 1), paths[row.place[0]], name, index,
                                      row.raw.encode('utf-8')))

        if name in LOCAL:
            for row in result.rows:
                try:
                    made = LOCAL[name](row, params)
                except BadRow:
                    fail(row)
                    continue
                # Children stand beside their parent, which lab_expand drops.
                count['added'] += len(made) if name == 'lab_expand_mapper' else 0
                count['dropped'] += name == 'lab_expand_mapper' or not made
                out += made
        else:
            for row, times in _decide(name, params, result.rows, fail):
                count['added'] += max(times - 1, 0)
                count['dropped'] += times == 0
                out += [row] * times
        count['out'] = len(out)
        result.rows = out
        result.operators.append({'name': name, **count})
    result.quarantine.sort(key=lambda record: record[0][:2])
    return result


def quarantine_facts(path):
    """The facts of quarantine.jsonl that do not hang on words: (source, offset, op, index, raw)."""
    facts = []
    if not os.path.exists(path):
        return facts
    with open(path, encoding='utf-8') as file:
        for line in file:
            record = json.loads(line)
            raw = record['raw'].encode('utf-8') if 'raw' in record else \
                base64.b64decode(record['raw_base64'])
            if not record['message'] or record['code'] >= 0 or record['attempt'] != 1:
                facts.append(('wrong', line))
            facts.append((record['source'], record['offset'], record['operator'], record['index'],
                          raw))
    return facts
