/* SPDX-License-Identifier: Apache-2.0 */
#include "signals.h"
#include "tool.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* A handler has no argument of ours, so what it needs is here; written before it is installed. */
static struct console *handler_console;
static int wake_fd = -1;
static volatile sig_atomic_t first_signal, is_holding;

static void on_signal(int number)
{
    int saved = errno;
    ssize_t ignored;

    if (first_signal || !is_holding) {
        if (handler_console->bar_is_shown)
            ignored = write(STDERR_FILENO, "\n", 1);
        _exit(TOOL_SIGNALLED + number);
    }
    first_signal = number;
    ignored = write(wake_fd, "", 1);
    (void)ignored;
    errno = saved;
}

static void handle(int number, const struct sigaction *action)
{
    struct sigaction there;

    /* Whoever started us in the background, or with nohup, meant it. */
    if (sigaction(number, NULL, &there) == 0 && there.sa_handler != SIG_IGN)
        sigaction(number, action, NULL);
}

int signals_open(struct console *console)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    int ends[2];

    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
        return -1;
    handler_console = console;
    wake_fd = ends[1];
    /* The two handlers must not interrupt each other between the test and the set. */
    sigaddset(&action.sa_mask, SIGINT);
    sigaddset(&action.sa_mask, SIGTERM);
    handle(SIGINT, &action);
    handle(SIGTERM, &action);
    sigaction(SIGPIPE, &ignore, NULL);
    return ends[0];
}

void signals_hold(void)
{
    is_holding = 1;
}

int signals_first(void)
{
    return first_signal;
}
