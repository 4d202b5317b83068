/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <stdio.h>
#include <string.h>

void command_print(const char *text)
{
    size_t length = strlen(text);

    fputs(text, stdout);
    if (length == 0 || text[length - 1] != '\n')
        putchar('\n');
}

void command_say_resume(const struct options *options, struct console *console)
{
    if (options->wants_resume)
        console_notice(console, "notice: --resume: this version keeps no record to go on from; "
                                "the job starts afresh");
}
