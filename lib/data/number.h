/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers from and to JSON text, exact, whatever the locale of the process says. */
#ifndef PEX_DATA_NUMBER_H
#define PEX_DATA_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/* Room that the printing functions need. */
#define PEX__NUMBER_TEXT 32

/* Non-zero and *value if the valid JSON number is an integer literal that fits. */
int pex__number_int64(const char *text, size_t length, int64_t *value);

/* The valid JSON number, rounded to nearest, ties to even; infinite where it is too large. */
double pex__number_double(const char *text, size_t length);

/* Both return the length of what they wrote; no NUL. */
size_t pex__number_print_int64(int64_t value, char *out);

/*
 * A finite double in the shortest form that reads back equal, as Python's repr writes it: with a
 * point or an exponent, always.
 */
size_t pex__number_print_double(double value, char *out);

#endif
