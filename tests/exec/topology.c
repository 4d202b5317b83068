/* SPDX-License-Identifier: Apache-2.0 */
/* What the library sees of a machine, on made-up /proc and /sys/fs/cgroup trees. */
#include "resource/topology.h"

#include <check.h>
#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[64];

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
    (void)info;
    (void)kind;
    (void)walk;
    return remove(path);
}

static void setup(void)
{
    strcpy(root, "/tmp/pex-topology-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(root));
}

static void teardown(void)
{
    nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Writes root/path with all folders above it. */
static void put(const char *path, const char *text)
{
    char full[512];
    FILE *file;

    snprintf(full, sizeof full, "%s/%s", root, path);
    for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        ck_assert(mkdir(full, 0700) == 0 || errno == EEXIST);
        *slash = '/';
    }
    file = fopen(full, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    fclose(file);
}

static struct pex__topology look(void)
{
    struct pex__topology topology;
    char proc[128], sys[128];

    snprintf(proc, sizeof proc, "%s/proc", root);
    snprintf(sys, sizeof sys, "%s/sys", root);
    pex__topology_read_at(&topology, proc, sys);
    return topology;
}

static void check_quota(double quota)
{
    struct pex__topology topology = look();
    int32_t usable = topology.affinity_cpus;

    ck_assert_double_eq_tol(topology.quota_cpus, quota, 1e-9);
    if (quota > 0 && ceil(quota) < usable)
        usable = (int32_t)ceil(quota);
    ck_assert_int_eq(topology.usable_cpus, usable);
    ck_assert_int_ge(topology.usable_cpus, 1);
}

START_TEST(without_files_the_affinity_mask_counts)
{
    struct pex__topology topology = look();

    ck_assert_int_ge(topology.online_cpus, 1);
    ck_assert_int_ge(topology.affinity_cpus, 1);
    ck_assert_uint_gt(topology.memory_bytes, 0);
    ck_assert_uint_eq(topology.cgroup_memory_bytes, 0);
    check_quota(0);
}
END_TEST

START_TEST(version_2_limits_of_the_group)
{
    put("proc/self/cgroup", "0::/user/job\n");
    put("sys/user/job/cpu.max", "50000 100000\n");
    put("sys/user/job/memory.max", "1073741824\n");
    check_quota(0.5);
    ck_assert_uint_eq(look().cgroup_memory_bytes, 1073741824);
}
END_TEST

START_TEST(version_2_the_tightest_group_above_counts)
{
    put("proc/self/cgroup", "0::/a/b/c\n");
    put("sys/a/b/c/cpu.max", "max 100000\n");
    put("sys/a/b/c/memory.max", "max\n");
    put("sys/a/b/cpu.max", "300000 100000\n");
    put("sys/a/b/memory.max", "5000000\n");
    put("sys/a/cpu.max", "150000 100000\n");
    put("sys/a/memory.max", "6000000\n");
    put("sys/other/cpu.max", "1 100000\n");
    check_quota(1.5);
    ck_assert_uint_eq(look().cgroup_memory_bytes, 5000000);
}
END_TEST

START_TEST(version_2_the_root_group_is_read_once)
{
    put("proc/self/cgroup", "0::/\n");
    put("sys/cpu.max", "250000 100000\n");
    put("sys/memory.max", "77\n");
    check_quota(2.5);
    ck_assert_uint_eq(look().cgroup_memory_bytes, 77);
}
END_TEST

/* In a container without a namespace of its own, the group's path is the host's, and does not
 * exist. */
START_TEST(a_group_that_is_not_there_leaves_those_above)
{
    put("proc/self/cgroup", "0::/docker/0123\n");
    put("sys/cpu.max", "100000 100000\n");
    check_quota(1);
}
END_TEST

START_TEST(max_is_no_limit)
{
    put("proc/self/cgroup", "0::/g\n");
    put("sys/g/cpu.max", "max 100000\n");
    put("sys/g/memory.max", "max\n");
    check_quota(0);
    ck_assert_uint_eq(look().cgroup_memory_bytes, 0);
}
END_TEST

START_TEST(version_1_controllers_have_folders_of_their_own)
{
    put("proc/self/cgroup", "9:memory:/m/x\n4:cpu,cpuacct:/c\n2:devices:/d\n1:name=systemd:/s\n");
    put("sys/cpu/c/cpu.cfs_quota_us", "75000\n");
    put("sys/cpu/c/cpu.cfs_period_us", "50000\n");
    put("sys/memory/m/x/memory.limit_in_bytes", "9223372036854771712\n");
    put("sys/memory/m/memory.limit_in_bytes", "4096000\n");
    check_quota(1.5);
    ck_assert_uint_eq(look().cgroup_memory_bytes, 4096000);
}
END_TEST

START_TEST(version_1_minus_one_is_no_limit)
{
    put("proc/self/cgroup", "4:cpu:/c\n3:memory:/c\n");
    put("sys/cpu/c/cpu.cfs_quota_us", "-1\n");
    put("sys/cpu/c/cpu.cfs_period_us", "100000\n");
    put("sys/memory/c/memory.limit_in_bytes", "9223372036854771712\n");
    check_quota(0);
    ck_assert_uint_eq(look().cgroup_memory_bytes, 0);
}
END_TEST

START_TEST(version_1_without_a_period_is_no_limit)
{
    put("proc/self/cgroup", "4:cpu:/c\n");
    put("sys/cpu/c/cpu.cfs_quota_us", "50000\n");
    check_quota(0);
}
END_TEST

START_TEST(both_versions_side_by_side)
{
    put("proc/self/cgroup", "4:memory:/v1\n0::/v2\n");
    put("sys/memory/v1/memory.limit_in_bytes", "1000\n");
    put("sys/v2/cpu.max", "100000 50000\n");
    check_quota(2);
    ck_assert_uint_eq(look().cgroup_memory_bytes, 1000);
}
END_TEST

static const char *const odd_quotas[] = {
    "",           "\n",          "x\n",          "100000\n",        "100000 x\n", "100000 0\n",
    "0 100000\n", "-5 100000\n", "nan 100000\n", "50000 -100000\n", "max\n",
};

START_TEST(a_quota_that_is_none_is_no_limit)
{
    put("proc/self/cgroup", "0::/g\n");
    put("sys/g/cpu.max", odd_quotas[_i]);
    check_quota(0);
}
END_TEST

static const char *const odd_memory[] = {"",    "\n",   "x\n",
                                         "0\n", "-1\n", "99999999999999999999999\n"};

START_TEST(a_memory_limit_that_is_none_is_no_limit)
{
    put("proc/self/cgroup", "0::/g\n");
    put("sys/g/memory.max", odd_memory[_i]);
    ck_assert_uint_eq(look().cgroup_memory_bytes, 0);
}
END_TEST

static const char *const odd_lines[] = {
    "", "\n", ":\n", "0:\n", "0\n", "no colon at all\n", "0::\n", "4:cpu\n", ":::\n", "1:,:/g\n",
};

START_TEST(lines_that_name_no_group_are_passed_over)
{
    char text[64];

    snprintf(text, sizeof text, "%s0::/g\n", odd_lines[_i]);
    put("proc/self/cgroup", text);
    put("sys/g/cpu.max", "100000 100000\n");
    check_quota(1);
}
END_TEST

START_TEST(a_path_too_long_is_passed_over)
{
    char *text = malloc(6000);

    ck_assert_ptr_nonnull(text);
    strcpy(text, "0::/");
    memset(text + 4, 'a', 5000);
    strcpy(text + 5004, "\n0::/g\n");
    put("proc/self/cgroup", text);
    put("sys/g/cpu.max", "100000 100000\n");
    check_quota(1);
    free(text);
}
END_TEST

START_TEST(a_small_quota_leaves_one_cpu)
{
    put("proc/self/cgroup", "0::/g\n");
    put("sys/g/cpu.max", "1000 100000\n");
    check_quota(0.01);
    ck_assert_int_eq(look().usable_cpus, 1);
}
END_TEST

#define COUNT(array) (int)(sizeof(array) / sizeof *(array))

int main(void)
{
    Suite *suite = suite_create("topology");
    TCase *tcase = tcase_create("topology");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, without_files_the_affinity_mask_counts);
    tcase_add_test(tcase, version_2_limits_of_the_group);
    tcase_add_test(tcase, version_2_the_tightest_group_above_counts);
    tcase_add_test(tcase, version_2_the_root_group_is_read_once);
    tcase_add_test(tcase, a_group_that_is_not_there_leaves_those_above);
    tcase_add_test(tcase, max_is_no_limit);
    tcase_add_test(tcase, version_1_controllers_have_folders_of_their_own);
    tcase_add_test(tcase, version_1_minus_one_is_no_limit);
    tcase_add_test(tcase, version_1_without_a_period_is_no_limit);
    tcase_add_test(tcase, both_versions_side_by_side);
    tcase_add_loop_test(tcase, a_quota_that_is_none_is_no_limit, 0, COUNT(odd_quotas));
    tcase_add_loop_test(tcase, a_memory_limit_that_is_none_is_no_limit, 0, COUNT(odd_memory));
    tcase_add_loop_test(tcase, lines_that_name_no_group_are_passed_over, 0, COUNT(odd_lines));
    tcase_add_test(tcase, a_path_too_long_is_passed_over);
    tcase_add_test(tcase, a_small_quota_leaves_one_cpu);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
