/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spools: rows on their way, in files of the job folder. A spool has the name KIND-STAGE-PARTITION
 * and is open only while a piece is written to it or read from it, so that their number is bounded
 * by the threads, not by the partitions. Whoever is done with one removes it; what a failure leaves
 * goes with pex__spools_remove at the end of the job, and what a killed process leaves with the
 * start of the next run under the same ID.
 */
#ifndef PEX_JOB_SPOOL_H
#define PEX_JOB_SPOOL_H

#include <partexec/base.h>

enum {
    PEX__SPOOL_STAGE,   /* rows between two stages, in blocks */
    PEX__SPOOL_PART,    /* rows of the output that wait for their turn */
    PEX__SPOOL_STATS,   /* the stats of those rows */
    PEX__SPOOL_REJECTS, /* quarantine records */
    PEX__SPOOL_KEYS,    /* keys of a convergence point */
    PEX__SPOOL_KINDS
};

/* Which one. */
struct pex__spool_name {
    const char *folder; /* not owned */
    int32_t kind;
    size_t stage, partition;
};

/* One that is written, by one thread at a time. */
struct pex__spool {
    int fd;         /* -1: not open now */
    uint64_t bytes; /* written; 0: there is no file */
};

/* The path, to be freed with free; NULL: no memory. */
char *pex__spool_path(const struct pex__spool_name *name);
/* Writes at the end, and leaves it open for more. No bytes: nothing, not even a file. */
int32_t pex__spool_write(struct pex__spool *spool, const struct pex__spool_name *name,
                         const void *data, size_t length, struct pex_error *err);
void pex__spool_close(struct pex__spool *spool);
/* Opens for reading; *fd is the caller's, *path to be freed with free. */
int32_t pex__spool_open(const struct pex__spool_name *name, int *fd, char **path,
                        struct pex_error *err);
void pex__spool_remove(const struct pex__spool_name *name);
/* All of a job folder. */
void pex__spools_remove(const char *folder);

#endif
