# SPDX-License-Identifier: Apache-2.0
from facts import mapped


def test_latex_operators_take_linear_time(host, tap):
    """Each piece makes one of them look for an end that never comes."""
    for operator in ("remove_comments_mapper", "remove_header_mapper", "remove_bibliography_mapper",
                     "expand_macro_mapper", "clean_copyright_mapper"):
        for piece in ("%", "a%", "\\section[", "\\section{", "\\bibliography{",
                      "\\newcommand{\\a}{",
                      "\\def\\a", "\\def ", "/*", "//\n", "copyr", "\\a\\b"):
            got = mapped(host, operator, {}, piece * (1000000 // len(piece)))
            tap.check(isinstance(got, str), f"{operator}: a million of {piece!r}")
