/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of values: exact comparison, and text that is to be one. */
#ifndef PEX_TEXT_NUMBER_H
#define PEX_TEXT_NUMBER_H

#include "value.h"

/* So many digits a whole number may have. */
#define PEX__DIGITS_MAX 4300
/* What a key takes at most: the double, the count of digits, the digits. */
#define PEX__NUMBER_KEY_MAX (8 + 2 + PEX__DIGITS_MAX)

/*
 * Bytes that have the order of the number among all numbers, whatever their types, and are the same
 * for equal ones. No key begins another. Returns how many there are.
 */
size_t pex__number_key(const struct pex__value *number, char key[PEX__NUMBER_KEY_MAX]);
int pex__number_compare(const struct pex__value *a, const struct pex__value *b);

/* The nearest double. False: the number is whole and beyond them all. */
bool pex__number_double(const struct pex__value *number, double *real);

/* The number that a JSON text is; its memory is pointed to. PEX_EDATA: too many digits. PEX_ENOMEM.
 */
int32_t pex__number_parse(struct pex_string_view json, struct pex__value *number);

/*
 * The number that Python's float() reads in a text: blanks around it, underscores between digits,
 * inf, infinity and nan in any case, and decimal digits of every script. False: it is none.
 * Without memory (only texts above some hundred bytes take any): *rc is PEX_ENOMEM.
 */
bool pex__number_read(struct pex_string_view text, double *real, int32_t *rc);

#endif
