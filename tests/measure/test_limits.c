/* What the system lets a process have, read from trees like /proc and /sys/fs/cgroup that lie in a
 * directory of the test. */
#include "base/processor.h"

#include <parallax/host_limits.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <sys/stat.h>

static const uint64_t mib = 1 << 20;
static char root[64];

/* ---- trees ------------------------------------------------------------------------------ */

static void put(const char *path, const char *text)
{
    char whole[600];
    (void)snprintf(whole, sizeof whole, "%s%s", root, path);
    for (char *slash = strchr(whole + strlen(root) + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(whole, 0700);
        *slash = '/';
    }
    FILE *to = fopen(whole, "w");
    assert_non_null(to);
    (void)fputs(text, to);
    assert_int_equal(fclose(to), 0);
}

static void put_group(const char *directory, const char *file, const char *text)
{
    char path[400];
    (void)snprintf(path, sizeof path, "%s/%s", directory, file);
    put(path, text);
}

/* A machine of 8 GiB, of which half is in use, and 4 processors. */
static int make_root(void **state)
{
    (void)state;
    (void)snprintf(root, sizeof root, "/tmp/parallax-limits-XXXXXX");
    if (mkdtemp(root) == NULL)
        return 1;
    put("/proc/meminfo", "MemTotal:        8388608 kB\nMemFree:  1 kB\nMemAvailable:    4194304 kB\nSwapFree:  0 kB\n");
    put("/proc/self/status", "Name:\tcat\nCpus_allowed:\t00000000,0000000f\nCpus_allowed_list:\t0-3\n");
    return 0;
}

static int remove_root(void **state)
{
    char command[100];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

static const char unified_mount[] = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

/* In a group of version 2, mounted whole. */
static void be_in(const char *path)
{
    char line[300];
    (void)snprintf(line, sizeof line, "0::%s\n", path);
    put("/proc/self/cgroup", line);
    put("/proc/self/mountinfo", unified_mount);
}

static plx_host_limits now(void)
{
    plx_host_limits limits;
    plx_host_limits_below(root, &limits);
    return limits;
}

/* ---- memory ----------------------------------------------------------------------------- */

static void without_groups_there_is_the_machine(void **state)
{
    (void)state;
    plx_host_limits limits = now();
    assert_true(limits.memory_bytes == 8192 * mib && limits.memory_left == 4096 * mib);
    assert_true(limits.group_bytes == 0 && limits.quota == 0);
    assert_int_equal(limits.processors, 4);
    assert_string_equal(limits.memory_by, "");
    plx_host_limits_below("/no/such/root", &limits);
    assert_true(limits.memory_bytes > mib && limits.memory_left > mib); /* as the C library says */
}

#define JOB "/sys/fs/cgroup/system.slice/slurmstepd.scope/job_7"

/* A job of Slurm, whose steps have no limit of their own. */
static void a_group_below_the_root_has_the_limit_of_its_parent(void **state)
{
    (void)state;
    be_in("/system.slice/slurmstepd.scope/job_7/step_0/user/task_0");
    put_group(JOB "/step_0/user/task_0", "memory.max", "max\n");
    put_group(JOB, "memory.max", "536870912\n");
    put_group("/sys/fs/cgroup/system.slice", "memory.max", "1073741824\n");
    plx_host_limits limits = now();
    assert_true(limits.memory_bytes == 512 * mib && limits.group_bytes == 512 * mib);
    assert_string_equal(limits.memory_by, JOB "/memory.max");
    put_group(JOB "/step_0/user/task_0", "memory.high", "268435456\n");
    assert_true(now().memory_bytes == 256 * mib);
}

/* What is read of files is dropped when memory is short. */
static void what_is_in_use_is_not_left(void **state)
{
    (void)state;
    be_in("/job");
    put_group("/sys/fs/cgroup/job", "memory.max", "536870912\n");
    put_group("/sys/fs/cgroup/job", "memory.current", "314572800\n");
    assert_true(now().memory_left == 212 * mib);
    put_group("/sys/fs/cgroup/job", "memory.stat", "anon 1\ninactive_file 104857600\nactive_file 52428800\n");
    assert_true(now().memory_left == 362 * mib && now().memory_bytes == 512 * mib);
    put_group("/sys/fs/cgroup/job", "memory.current", "900000000\n");
    put_group("/sys/fs/cgroup/job", "memory.stat", "anon 1\n");
    assert_true(now().memory_left == 0);
}

static void the_group_in_which_least_is_left_decides(void **state)
{
    (void)state;
    be_in("/all/one");
    put_group("/sys/fs/cgroup/all/one", "memory.max", "536870912\n");
    put_group("/sys/fs/cgroup/all/one", "memory.current", "1048576\n");
    put_group("/sys/fs/cgroup/all", "memory.max", "1073741824\n");
    put_group("/sys/fs/cgroup/all", "memory.current", "1048576000\n");
    assert_true(now().memory_bytes == 512 * mib && now().memory_left == 24 * mib);
}

static void no_limit_is_none(void **state)
{
    (void)state;
    be_in("/job");
    for (int i = 0; i < 4; i++) {
        put_group("/sys/fs/cgroup/job", "memory.max",
                  ((const char *[]){"max\n", "", "-1\n", "9223372036854771712\n"})[i]);
        assert_true(now().memory_bytes == 8192 * mib && now().group_bytes == 0);
        assert_string_equal(now().memory_by, "");
    }
}

/* Version 1: a hierarchy for each controller, and a limit that is no number but a large one. */
static void version_1_has_a_hierarchy_for_memory(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "9:name=systemd:/\n4:memory:/slurm/uid_0/job_1/step_0\n2:cpu,cpuacct:/slurm\n");
    put("/proc/self/mountinfo", "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
                                "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
                                "36 31 0:33 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n");
    put("/sys/fs/cgroup/memory/slurm/uid_0/job_1/step_0/memory.limit_in_bytes", "9223372036854771712\n");
    put("/sys/fs/cgroup/memory/slurm/uid_0/job_1/memory.limit_in_bytes", "536870912\n");
    put("/sys/fs/cgroup/memory/slurm/uid_0/job_1/memory.usage_in_bytes", "209715200\n");
    put("/sys/fs/cgroup/memory/slurm/uid_0/job_1/memory.stat", "cache 1\ntotal_inactive_file 104857600\n");
    put("/sys/fs/cgroup/cpu,cpuacct/slurm/cpu.cfs_quota_us", "150000\n");
    put("/sys/fs/cgroup/cpu,cpuacct/slurm/cpu.cfs_period_us", "100000\n");
    const plx_host_limits limits = now();
    assert_true(limits.memory_bytes == 512 * mib && limits.memory_left == 412 * mib);
    assert_true(limits.quota == 1.5);
    assert_string_equal(limits.quota_by, "/sys/fs/cgroup/cpu,cpuacct/slurm/cpu.cfs_quota_us");
}

/* Of a container that sees the machine's paths only its own part is mounted. */
static void a_mounted_part_is_where_its_paths_begin(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "4:memory:/docker/abc/inner\n");
    put("/proc/self/mountinfo", "35 31 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
    put("/sys/fs/cgroup/memory/inner/memory.limit_in_bytes", "268435456\n");
    assert_true(now().memory_bytes == 256 * mib);
    put("/proc/self/cgroup", "4:memory:/docker/abc\n");
    assert_true(now().memory_bytes == 8192 * mib);
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "134217728\n");
    assert_true(now().memory_bytes == 128 * mib);
    put("/proc/self/cgroup", "4:memory:/elsewhere\n"); /* not to be seen: what is mounted is all that is known */
    assert_true(now().memory_bytes == 128 * mib);
    put("/proc/self/cgroup", "4:memory:/docker/abcdef\n");
    assert_true(now().memory_bytes == 128 * mib);
    put("/sys/fs/cgroup/memory/memory.stat", "hierarchical_memory_limit 67108864\n");
    assert_true(now().memory_bytes == 64 * mib); /* of a group above */
}

static void both_versions_at_once_are_both_heeded(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "4:memory:/old\n0::/new\n");
    put("/proc/self/mountinfo", "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
                                "41 31 0:38 / /sys/fs/cgroup/uni\\040fied rw - cgroup2 cgroup2 rw\n");
    put("/sys/fs/cgroup/memory/old/memory.limit_in_bytes", "536870912\n");
    put("/sys/fs/cgroup/uni fied/new/cpu.max", "50000 100000\n");
    assert_true(now().memory_bytes == 512 * mib && now().quota == 0.5);
    put("/sys/fs/cgroup/uni fied/new/memory.max", "268435456\n");
    assert_true(now().memory_bytes == 256 * mib);
}

/* The namespace's root, and what lies outside of it. */
static void a_path_out_of_the_namespace_is_its_root(void **state)
{
    (void)state;
    put_group("/sys/fs/cgroup", "memory.max", "268435456\n");
    put_group("/etc", "memory.max", "1048576\n");
    for (int i = 0; i < 2; i++) {
        be_in(i == 0 ? "/" : "/../../../etc");
        assert_true(now().memory_bytes == 256 * mib);
    }
}

/* ---- processors --------------------------------------------------------------------------- */

static void the_least_quota_of_all_groups_counts(void **state)
{
    (void)state;
    be_in("/pod/container");
    put_group("/sys/fs/cgroup/pod/container", "cpu.max", "max 100000\n");
    assert_true(now().quota == 0);
    put_group("/sys/fs/cgroup/pod", "cpu.max", "50000 100000\n");
    put_group("/sys/fs/cgroup", "cpu.max", "200000 100000\n");
    assert_true(now().quota == 0.5);
    assert_string_equal(now().quota_by, "/sys/fs/cgroup/pod/cpu.max");
    put_group("/sys/fs/cgroup/pod/container", "cpu.max", "40000 100000\n");
    assert_true(now().quota == 0.4);
}

static uint32_t threads_with(double quota, uint32_t processors, uint32_t wanted)
{
    const plx_host_limits limits = {.quota = quota, .processors = processors};
    return plx_host_threads_within(&limits, wanted);
}

static void each_thread_has_a_processor(void **state)
{
    (void)state;
    assert_int_equal(threads_with(0, 0, 8), 8);
    assert_int_equal(threads_with(0.5, 4, 8), 1);
    assert_int_equal(threads_with(1, 4, 8), 1);
    assert_int_equal(threads_with(1.5, 4, 8), 2);
    assert_int_equal(threads_with(64, 4, 8), 4);
    assert_int_equal(threads_with(64, 0, 8), 8);
    assert_int_equal(threads_with(0.01, 1, 1), 1);
}

/* ---- rubbish --------------------------------------------------------------------------------- */

static void lines_that_are_no_mounts_are_left(void **state)
{
    char long_line[3 * PLX_LIMITS_LINE];
    (void)state;
    memset(long_line, 'x', sizeof long_line);
    (void)snprintf(long_line + sizeof long_line - 200, 200, " - cgroup2 cgroup2 rw\n%s", unified_mount);
    be_in("/job");
    put("/proc/self/mountinfo", long_line);
    put_group("/sys/fs/cgroup/job", "memory.max", "536870912\n");
    assert_true(now().memory_bytes == 512 * mib);
    put("/proc/self/mountinfo", " - cgroup2\n1 2 3 / - cgroup2 cgroup2 rw\n\n - \n");
    assert_true(now().memory_bytes == 8192 * mib);
    put("/proc/self/cgroup", "0:\n::\n0\n");
    put("/proc/self/mountinfo", unified_mount);
    assert_true(now().memory_bytes == 8192 * mib);
}

/* ---- caches ------------------------------------------------------------------------------------ */

static void put_cache(int index, const char *level, const char *size, const char *shared)
{
    char directory[100];
    (void)snprintf(directory, sizeof directory, "/cpus/cpu0/cache/index%d", index);
    put_group(directory, "level", level);
    put_group(directory, "size", size);
    put_group(directory, "shared_cpu_list", shared);
}

static uint64_t cache_now(void)
{
    char cpus[100];
    (void)snprintf(cpus, sizeof cpus, "%s/cpus", root);
    return plx_processor_cache_bytes(cpus);
}

static void the_last_cache_is_all_of_its_instances(void **state)
{
    (void)state;
    assert_true(cache_now() == 0);
    put("/cpus/online", "0-1\n");
    put_cache(0, "1\n", "32K\n", "0\n");
    assert_true(cache_now() == 0); /* a first level alone is none that a timing has to get past */
    put_cache(2, "2\n", "512K\n", "0\n");
    assert_true(cache_now() == 1 * mib);
    put_cache(3, "3\n", "32768K\n", "0-1\n");
    assert_true(cache_now() == 32 * mib);
    put("/cpus/online", "0-15,64-79\n");
    put_cache(3, "3\n", "32M\n", "0-7,64-71\n");
    assert_true(cache_now() == 64 * mib);
    put("/cpus/online", "0-16\n"); /* some are switched off */
    assert_true(cache_now() == 64 * mib);
}

static void caches_in_lines_that_are_none_are_not_there(void **state)
{
    (void)state;
    put("/cpus/online", "x-\n");
    put_cache(2, "2\n", "512K\n", "-,,\n");
    assert_true(cache_now() == mib / 2);
    put_cache(3, "3\n", "99999999999K\n", "0-1\n");
    assert_true(cache_now() == mib / 2);
    put_cache(3, "3\n", "32768K\n", "7-2,18446744073709551615-0\n");
    assert_true(cache_now() == 32 * mib);
}

#define LIMITS_TEST(name) cmocka_unit_test_setup_teardown(name, make_root, remove_root)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIMITS_TEST(without_groups_there_is_the_machine),
        LIMITS_TEST(a_group_below_the_root_has_the_limit_of_its_parent),
        LIMITS_TEST(what_is_in_use_is_not_left),
        LIMITS_TEST(the_group_in_which_least_is_left_decides),
        LIMITS_TEST(no_limit_is_none),
        LIMITS_TEST(version_1_has_a_hierarchy_for_memory),
        LIMITS_TEST(a_mounted_part_is_where_its_paths_begin),
        LIMITS_TEST(both_versions_at_once_are_both_heeded),
        LIMITS_TEST(a_path_out_of_the_namespace_is_its_root),
        LIMITS_TEST(the_least_quota_of_all_groups_counts),
        LIMITS_TEST(each_thread_has_a_processor),
        LIMITS_TEST(lines_that_are_no_mounts_are_left),
        LIMITS_TEST(the_last_cache_is_all_of_its_instances),
        LIMITS_TEST(caches_in_lines_that_are_none_are_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
