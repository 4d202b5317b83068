# SPDX-License-Identifier: Apache-2.0
import re

import texts

PIECES = ["\\appendix", "\\appendixname", "\\begin{references}", "\\begin{REFERENCES}",
          "\\begin{References}", "\\begin{thebibliography}", "\\bibliography{", "\\bibliography",
          "}", "\\", "a", "\n", "{", "\u4e2d", "\\begin", "appendix", "x}y"]
HEAD = (r"(\\appendix|\\begin\{references\}|\\begin\{REFERENCES\}|\\begin\{thebibliography\}|"
        r"\\bibliography\{.*\}).*$")


def differs(host, rng):
    rows = [texts.pieces_of(rng, PIECES) for _ in range(texts.ROWS)]
    return texts.mapper_differs(host, "remove_bibliography_mapper", {}, rows,
                                lambda text: re.sub(HEAD, "", text, flags=re.DOTALL))
