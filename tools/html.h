/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of a page: text that cannot be taken for markup, and numbers for readers. */
#ifndef TOOL_HTML_H
#define TOOL_HTML_H

#include <stdint.h>
#include <stdio.h>

/* Text of an element, or of an attribute in quotes. */
void html_text(FILE *to, const char *text);
/* 1,234,567 */
void html_count(FILE *to, uint64_t count);
/* Four digits that count, thousands apart. */
void html_number(FILE *to, double number);
/* 12.34 %; what is there but rounds to nothing is < 0.01 %; of nothing a dash. */
void html_share(FILE *to, uint64_t part, uint64_t whole);

#endif
