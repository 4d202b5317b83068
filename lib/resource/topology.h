/* SPDX-License-Identifier: Apache-2.0 */
/* The machine as this process may use it: cores of the affinity mask, cgroup quota, memory. */
#ifndef PEX_RESOURCE_TOPOLOGY_H
#define PEX_RESOURCE_TOPOLOGY_H

#include <partexec/base.h>

struct pex__topology {
    int32_t online_cpus;
    int32_t affinity_cpus;        /* of the calling thread's mask */
    double quota_cpus;            /* cgroup CPU quota in cores; 0: none */
    int32_t usable_cpus;          /* the smaller of both, at least 1 */
    uint64_t memory_bytes;        /* RAM */
    uint64_t cgroup_memory_bytes; /* the tightest limit of this process's groups; 0: none */
};

/* Reads /proc and /sys; facts that cannot be read count as absent. */
void pex__topology_read(struct pex__topology *topology);
/* The same with the file trees at other places; for tests. proc: "/proc", sys: "/sys/fs/cgroup". */
void pex__topology_read_at(struct pex__topology *topology, const char *proc, const char *sys);

#endif
