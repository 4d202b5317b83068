# SPDX-License-Identifier: Apache-2.0
"""Says in a few lines what a job did: show_result.py SUMMARY EXPORT."""
import json
import sys


def operator_line(operator):
    line = f'  {operator["name"]:32} {operator["in"]:7} rows in {operator["out"]:7} out'
    if operator['quarantined']:
        line += f', {operator["quarantined"]} quarantined'
    return line


def shortened(value, length=60):
    if isinstance(value, dict):
        return {key: shortened(part, length) for key, part in value.items()}
    if isinstance(value, str) and len(value) > length:
        return value[:length] + '...'
    return value


def main(summary_path, export_path):
    with open(summary_path, encoding='utf-8') as file:
        summary = json.load(file)
    source, target = summary['input'], summary['output']
    seconds = max(summary['seconds'], 1e-9)

    print(f'\nWhat happened: {source["files"]} files, {source["bytes"] / 1e6:.1f} MB, '
          f'{source["bad"]} of them no UTF-8 text and set aside')
    for operator in summary['operators']:
        print(operator_line(operator))
    print(f'How fast:      {summary["seconds"]:.3f} s on {summary["workers"]} workers: '
          f'{source["rows"] / seconds:,.0f} rows/s, {source["bytes"] / 1e6 / seconds:,.0f} MB/s')
    print(f'Where it is:   {export_path}: {target["rows"]} rows, {target["bytes"] / 1e6:.1f} MB')
    with open(export_path, encoding='utf-8') as file:
        first = file.readline()
    if first:
        print(f'Its first row: {json.dumps(shortened(json.loads(first)), ensure_ascii=False)}')


if __name__ == '__main__':
    main(*sys.argv[1:])
