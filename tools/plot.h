/* SPDX-License-Identifier: Apache-2.0 */
/* A histogram as SVG, with the bounds of filters over it. */
#ifndef TOOL_PLOT_H
#define TOOL_PLOT_H

#include "analysis.h"

/* The figure of stat `at`, which has a number at least. */
void plot_write(const struct analysis *analysis, size_t at, FILE *to);

#endif
