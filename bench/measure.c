/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a command and says on standard error what it took: wall, user and system seconds, and the
 * highest resident set in bytes. A program of its own because a child's resident set counts from
 * before its exec: measured from a large parent, it would be the parent's.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

int main(int argc, char **argv)
{
    struct rusage usage;
    double begin = now();
    pid_t child;
    int status;

    if (argc < 2) {
        fprintf(stderr, "usage: measure COMMAND [ARGUMENT ...]\n");
        return 2;
    }
    child = fork();
    if (child == 0) {
        execv(argv[1], argv + 1);
        fprintf(stderr, "measure: %s: %s\n", argv[1], strerror(errno));
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child) {
        fprintf(stderr, "measure: %s\n", strerror(errno));
        return 1;
    }
    fprintf(stderr, "%.6f %.6f %.6f %llu\n", now() - begin, seconds(usage.ru_utime),
            seconds(usage.ru_stime), 1024ULL * (unsigned long long)usage.ru_maxrss);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
