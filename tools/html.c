/* SPDX-License-Identifier: Apache-2.0 */
#include "html.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void html_text(FILE *to, const char *text)
{
    for (const char *at = text; *at; at++) {
        if (*at == '&')
            fputs("&amp;", to);
        else if (*at == '<')
            fputs("&lt;", to);
        else if (*at == '>')
            fputs("&gt;", to);
        else if (*at == '"')
            fputs("&quot;", to);
        else if (*at == '\'')
            fputs("&#39;", to);
        else if ((unsigned char)*at < ' ' || *at == 0x7F)
            fprintf(to, "\\x%02x", (unsigned char)*at);
        else
            fputc(*at, to);
    }
}

static void write_digits(FILE *to, const char *digits)
{
    size_t length = strlen(digits);

    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            fputc(',', to);
        fputc(digits[i], to);
    }
}

void html_count(FILE *to, uint64_t count)
{
    char digits[32];

    snprintf(digits, sizeof(digits), "%" PRIu64, count);
    write_digits(to, digits);
}

void html_number(FILE *to, double number)
{
    if (number < 0)
        fputs("\xE2\x88\x92", to); /* a minus sign */
    number = fabs(number);
    if (number >= 1000 && number < 1e12)
        html_count(to, (uint64_t)llround(number));
    else
        fprintf(to, "%.4g", number);
}

void html_share(FILE *to, uint64_t part, uint64_t whole)
{
    double percent = whole ? 100.0 * (double)part / (double)whole : 0.0;

    if (whole == 0)
        fputs("&ndash;", to);
    else if (part > 0 && percent < 0.01)
        fputs("&lt;&nbsp;0.01&nbsp;%", to);
    else
        fprintf(to, "%.2f&nbsp;%%", percent);
}
