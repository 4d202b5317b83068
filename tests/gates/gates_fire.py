# SPDX-License-Identifier: Apache-2.0
"""A gate that never fires guards nothing: each one must object to a tree made to break its rule."""
import os
import shutil
import subprocess
import tempfile

import api
import headers
import includes
import plugins
import repository
import symbols
import tap

LINE = '/* SPDX-License-Identifier: Apache-2.0 */\n'
GOOD_HEADER = LINE + '''#ifndef A_H
#define A_H
#define PEX_API __attribute__((visibility("default")))
/* Answers. Thread-safety: any-thread. Since: 0.1. */
PEX_API int pex_answer(void);
#endif
'''


def tree(folder, files):
    for name, text in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)


def objections(gate, files):
    """The names of the facts that a gate denies for a tree of these files."""
    with tempfile.TemporaryDirectory() as folder:
        tree(folder, files)
        return [fact for fact, findings in gate(folder) if findings and isinstance(findings, list)]


def expect(gate, files, fact):
    """Findings of this test: the gate must object to `fact`, and to nothing if fact is None."""
    found = objections(gate, files)
    wanted = [fact] if fact else []
    return [] if found == wanted else [f'it objects to {found}, expected {wanted}']


def built(library_text, map_names):
    """What the symbol gate denies for a library built from this text."""
    with tempfile.TemporaryDirectory() as folder:
        listed = ''.join(f'    {name};\n' for name in map_names)
        tree(folder, {'include/partexec/a.h': GOOD_HEADER, 'a.c': library_text,
                      'lib/partexec.map': 'PEX_0.1 {\nglobal:\n' + listed + 'local:\n    *;\n};\n'})
        for command in (['gcc', '-fPIC', '-fvisibility=hidden', '-c', 'a.c', '-o', 'a.o'],
                        ['gcc', '-shared', 'a.o', '-o', 'a.so'],
                        ['ar', 'rcs', 'a.a', 'a.o']):
            subprocess.run(command, cwd=folder, check=True)
        facts = symbols.check(folder, os.path.join(folder, 'a.so'), os.path.join(folder, 'a.a'))
        return [fact for fact, findings in facts if findings]


def plugin_built(text):
    with tempfile.TemporaryDirectory() as folder:
        tree(folder, {'p.c': text})
        subprocess.run(['gcc', '-fPIC', '-shared', '-fvisibility=hidden', 'p.c', '-o', 'p.so'],
                       cwd=folder, check=True)
        return [findings for _, findings in plugins.check(folder)][0]


EXPORT = '__attribute__((visibility("default"))) '
ANSWER = EXPORT + 'int pex_answer(void) { return 42; }\n'
ENTRIES = EXPORT + 'const int pex_plugin_info = 1;\n' + EXPORT + 'int pex_plugin_init(void)'

INCLUDES = [
    ('a_layer_may_include_those_below', {'lib/data/a.c': '#include "base/a.h"\n'}, None),
    ('a_layer_above', {'lib/base/a.c': '#include "exec/a.h"\n'},
     'no_layer_includes_one_above_its_own'),
    ('a_bare_name', {'lib/base/a.c': '#include "a.h"\n'}, 'no_layer_includes_one_above_its_own'),
    ('an_unknown_layer', {'lib/attic/a.c': ''}, 'no_layer_includes_one_above_its_own'),
    ('a_third_party_header', {'include/partexec/a.h': '#include <uv.h>\n'},
     'public_headers_include_no_third_party_header'),
    ('the_header_for_it', {'include/partexec/uv.h': '#include <uv.h>\n'}, None),
    ('another_one_in_it', {'include/partexec/uv.h': '#include <jansson.h>\n'},
     'public_headers_include_no_third_party_header'),
    ('angle_brackets', {'lib/base/a.h': '', 'lib/base/b.c': '# include <base/a.h>\n'},
     'no_layer_includes_one_above_its_own'),
    ('own_header_of_a_tool', {'tools/a.h': '', 'tools/a.c': '#include "a.h"\n'}, None),
    ('internal_header_in_a_tool', {'lib/base/a.h': '', 'tools/a.c': '#include "base/a.h"\n'},
     'ops_tools_and_examples_include_public_headers_only'),
    ('way_out_of_ops', {'lib/base/a.h': '', 'ops/x/a.c': '#include "../../lib/base/a.h"\n'},
     'ops_tools_and_examples_include_public_headers_only'),
    ('a_header_that_hides_one_of_the_system', {'lib/exec/sched.h': LINE},
     'no_header_is_named_like_one_of_the_system'),
    ('third_party_in_public', {'include/partexec/a.h': '#include <uv.h>\n'},
     'public_headers_include_no_third_party_header'),
]

COMMENTS = [
    ('a_documented_function', GOOD_HEADER, None),
    ('a_group_under_one_comment',
     GOOD_HEADER.replace('#endif', 'PEX_API int pex_other(void);\n#endif'), None),
    ('a_function_after_a_blank_line',
     GOOD_HEADER.replace('#endif', '\nPEX_API int pex_other(void);\n#endif'),
     'every_function_names_since_and_thread_safety'),
    ('no_since', GOOD_HEADER.replace('Since', 'From'),
     'every_function_names_since_and_thread_safety'),
    ('no_thread_safety', GOOD_HEADER.replace('Thread-safety', 'Threads'),
     'every_function_names_since_and_thread_safety'),
]

NEEDS = {'bad_format': 'clang-format-14', 'a_careless_script': 'shellcheck'}
REPOSITORY = [
    ('a_good_tree', {'a.c': LINE}, None),
    ('a_missing_licence', {'a.c': 'int a;\n'}, 'every_source_names_its_licence'),
    ('a_machine_path', {'a.md': 'see /ho' + 'me/me/notes\n'}, 'no_file_names_paths_of_one_machine'),
    ('bad_format', {'.clang-format': 'BasedOnStyle: LLVM\n', 'a.c': LINE + 'int  a ;\n'},
     'c_files_are_formatted'),
    ('a_careless_script',
     {'a.sh': '#!/bin/bash\n# SPDX-License-Identifier: Apache-2.0\nrm $1\n'},
     'shell_scripts_pass_shellcheck'),
]

SYMBOLS = [
    ('a_good_library', ANSWER, ['pex_answer'], []),
    ('an_unprefixed_symbol', ANSWER + 'int answer(void) { return 1; }\n', ['pex_answer'],
     ['static_library_has_prefixed_names_only']),
    ('an_internal_export', ANSWER + EXPORT + 'int pex__a(void) { return 1; }\n', ['pex_answer'],
     ['shared_library_exports_pex_names_only', 'headers_and_shared_library_agree']),
    ('a_missing_map_line', ANSWER, [], ['headers_and_map_agree']),
    ('an_unsorted_map', ANSWER, ['pex_b', 'pex_answer'],
     ['map_lists_every_symbol_once', 'headers_and_map_agree']),
    ('a_global_variable', ANSWER + 'int pex__count;\nstatic int hidden = 4;\n'
     'int *pex__hidden(void) { return &hidden; }\n', ['pex_answer'], ['no_global_mutable_state']),
]


def plugin_facts():
    good = plugin_built(ENTRIES + ' { return 0; }\n')
    third = plugin_built(ENTRIES + ' { return 0; }\n' + ANSWER)
    taken = plugin_built('int pex_answer(void);\n' + ENTRIES + ' { return pex_answer(); }\n')
    return [
        ('plugins_gate_accepts_two_entries', good),
        ('plugins_gate_sees_a_third_export', [] if third else ['it accepts it']),
        ('plugins_gate_sees_a_symbol_of_the_library', [] if taken else ['it accepts it']),
    ]


def main():
    facts = [(f'includes_gate_sees_{name}', expect(includes.check, files, fact))
             for name, files, fact in INCLUDES]
    facts += [(f'comments_gate_sees_{name}',
               expect(api.check, {'include/partexec/a.h': text}, fact))
              for name, text, fact in COMMENTS]
    for name, files, fact in REPOSITORY:
        tool = NEEDS.get(name)
        missing = tool and not shutil.which(tool)
        facts.append((f'repository_gate_sees_{name}', f'{tool} is not installed' if missing
                      else expect(repository.check, files, fact)))
    broken = {'include/partexec/a.h': LINE + 'size_t pex_size(void);\n'}
    facts.append(('headers_gate_sees_a_missing_include',
                  expect(lambda root: headers.check(root, [('gcc', 'c', 'c99')]), broken,
                         'every_header_compiles_alone_gcc_c99')))
    for name, text, listed, wanted in SYMBOLS:
        found = built(text, listed)
        facts.append((f'symbols_gate_sees_{name}',
                      [] if found == wanted else [f'it denies {found}, expected {wanted}']))
    tap.report(facts + plugin_facts())


if __name__ == '__main__':
    main()
