/* SPDX-License-Identifier: Apache-2.0 */
#include "resource/topology.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* First line of a file without its line end. */
static int read_line(const char *path, char *line, size_t size)
{
    FILE *file = fopen(path, "re");
    int there;

    if (file == NULL)
        return 0;
    there = fgets(line, (int)size, file) != NULL;
    fclose(file);
    if (there)
        line[strcspn(line, "\n")] = '\0';
    return there;
}

static void take_memory(struct pex__topology *topology, const char *text)
{
    uint64_t bytes = strtoull(text, NULL, 10);

    /* cgroup v1 spells "none" as a number near 2^63. */
    if (bytes > 0 && bytes < (UINT64_C(1) << 60) &&
        (topology->cgroup_memory_bytes == 0 || bytes < topology->cgroup_memory_bytes))
        topology->cgroup_memory_bytes = bytes;
}

static void take_quota(struct pex__topology *topology, double quota, double period)
{
    double cpus = quota > 0 && period > 0 ? quota / period : 0;

    if (cpus > 0 && (topology->quota_cpus == 0 || cpus < topology->quota_cpus))
        topology->quota_cpus = cpus;
}

static void read_group(struct pex__topology *topology, const char *dir)
{
    char path[4096], line[128];
    double quota, period;

    snprintf(path, sizeof path, "%s/cpu.max", dir);
    if (read_line(path, line, sizeof line) && sscanf(line, "%lf %lf", &quota, &period) == 2)
        take_quota(topology, quota, period);
    snprintf(path, sizeof path, "%s/memory.max", dir);
    if (read_line(path, line, sizeof line))
        take_memory(topology, line);
    snprintf(path, sizeof path, "%s/memory.limit_in_bytes", dir);
    if (read_line(path, line, sizeof line))
        take_memory(topology, line);
    snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", dir);
    if (read_line(path, line, sizeof line)) {
        quota = strtod(line, NULL);
        snprintf(path, sizeof path, "%s/cpu.cfs_period_us", dir);
        if (read_line(path, line, sizeof line))
            take_quota(topology, quota, strtod(line, NULL));
    }
}

/* Limits of the group and of all groups above it count. */
static void read_group_and_parents(struct pex__topology *topology, const char *root,
                                   const char *group)
{
    char dir[2048];
    size_t base = (size_t)snprintf(dir, sizeof dir, "%s", root);
    char *slash;

    if (base + strlen(group) >= sizeof dir)
        return;
    strcpy(dir + base, strcmp(group, "/") == 0 ? "" : group);
    for (;;) {
        read_group(topology, dir);
        slash = strrchr(dir + base, '/');
        if (slash == NULL)
            return;
        *slash = '\0';
    }
}

/* A line of /proc/self/cgroup: "0::/path" (v2) or "4:cpu,cpuacct:/path" (v1). */
static void read_group_line(struct pex__topology *topology, const char *sys, char *line)
{
    char root[1024], *controllers = strchr(line, ':'), *group, *name, *rest;

    if (controllers == NULL || (group = strchr(controllers + 1, ':')) == NULL)
        return;
    *group++ = '\0';
    controllers++;
    if (*controllers == '\0') {
        read_group_and_parents(topology, sys, group);
        return;
    }
    for (name = strtok_r(controllers, ",", &rest); name != NULL;
         name = strtok_r(NULL, ",", &rest)) {
        if (strcmp(name, "cpu") != 0 && strcmp(name, "memory") != 0)
            continue;
        snprintf(root, sizeof root, "%s/%s", sys, name);
        read_group_and_parents(topology, root, group);
    }
}

static void read_groups(struct pex__topology *topology, const char *proc, const char *sys)
{
    char path[1024], line[2048];
    FILE *file;

    snprintf(path, sizeof path, "%s/self/cgroup", proc);
    file = fopen(path, "re");
    if (file == NULL)
        return;
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        read_group_line(topology, sys, line);
    }
    fclose(file);
}

static int32_t affinity(void)
{
    cpu_set_t set;

    /* More CPUs than the set holds: the call fails, and the online count stands. */
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

void pex__topology_read_at(struct pex__topology *topology, const char *proc, const char *sys)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE), online;

    memset(topology, 0, sizeof *topology);
    online = sysconf(_SC_NPROCESSORS_ONLN);
    topology->online_cpus = online > 0 ? (int32_t)online : 1;
    topology->affinity_cpus = affinity();
    if (topology->affinity_cpus <= 0)
        topology->affinity_cpus = topology->online_cpus;
    topology->memory_bytes = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
    read_groups(topology, proc, sys);
    topology->usable_cpus = topology->affinity_cpus;
    /* A quota of 1.5 cores keeps two threads busy most of the time. */
    if (topology->quota_cpus > 0 && ceil(topology->quota_cpus) < topology->usable_cpus)
        topology->usable_cpus = (int32_t)ceil(topology->quota_cpus);
}

void pex__topology_read(struct pex__topology *topology)
{
    pex__topology_read_at(topology, "/proc", "/sys/fs/cgroup");
}
