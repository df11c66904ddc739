/* The OpenCL program cache: what is not whole, or not the program asked for, is a
 * miss and is replaced; a cache that cannot be written costs nothing but time. */
#define _XOPEN_SOURCE 700
#include "backends/opencl/cache.h"
#include "backends/opencl/session.h"
#include "backends/opencl/opencl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h wants those four. */
#include <cmocka.h>

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char key[] = "device A\noptions -DT=float\nkernel text";
static const char other_key[] = "device B\noptions -DT=float\nkernel text";
static const unsigned char program[] = {0, 1, 2, 3, 250, 251, 252, 253, 254, 255, 0, 7};

static char root[64], driver_root[64];

/* ---- a directory of our own ----------------------------------------------------- */

/* Makes a directory in the current one and lets a variable of the environment name it. */
static int make_directory(char name[64], const char *variable)
{
    char here[4096], path[4096 + 64];
    (void)snprintf(name, 64, "cache-test-XXXXXX");
    if (!mkdtemp(name) || !getcwd(here, sizeof here))
        return -1;
    (void)snprintf(path, sizeof path, "%s/%s", here, name);
    return setenv(variable, path, 1);
}

static int set_up(void **state)
{
    (void)state;
    (void)unsetenv("PLX_NO_CACHE");
    return make_directory(root, "XDG_CACHE_HOME");
}

static int remove_one(const char *path, const struct stat *facts, int kind, struct FTW *place)
{
    (void)facts;
    (void)kind;
    (void)place;
    return remove(path);
}

static int tear_down(void **state)
{
    (void)state;
    return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* PoCL has a cache of its own, which it looks for once and expects to stay. */
static int set_up_all(void **state)
{
    (void)state;
    return make_directory(driver_root, "POCL_CACHE_DIR");
}

static int tear_down_all(void **state)
{
    (void)state;
    return nftw(driver_root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- files -------------------------------------------------------------------- */

static void path_of(const char *which, char path[4096])
{
    assert_true(plx_cl_cache_path(which, strlen(which), path, 4096));
}

static size_t read_file(const char *path, unsigned char *bytes, size_t room)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t length = fread(bytes, 1, room, file);
    (void)fclose(file);
    assert_true(length < room);
    return length;
}

static void write_file(const char *path, const unsigned char *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static size_t files_in_cache(void)
{
    char directory[4096];
    path_of(key, directory);
    *strrchr(directory, '/') = '\0';
    DIR *open_directory = opendir(directory);
    size_t count = 0;
    if (!open_directory)
        return 0;
    for (const struct dirent *entry; (entry = readdir(open_directory)) != NULL;)
        count += entry->d_name[0] != '.';
    (void)closedir(open_directory);
    return count;
}

static void store(const char *which)
{
    plx_cl_cache_write(which, strlen(which), program, sizeof program);
}

static bool is_hit(const char *which)
{
    unsigned char *found;
    size_t length;
    if (!plx_cl_cache_read(which, strlen(which), &found, &length))
        return false;
    assert_int_equal(length, sizeof program);
    assert_memory_equal(found, program, sizeof program);
    free(found);
    return true;
}

/* ---- tests: files alone --------------------------------------------------------- */

static void what_was_stored_comes_back(void **state)
{
    (void)state;
    assert_false(is_hit(key));
    store(key);
    assert_true(is_hit(key));
    assert_false(is_hit(other_key));
    store(other_key);
    assert_true(is_hit(key));
    assert_true(is_hit(other_key));
    assert_int_equal(files_in_cache(), 2); /* and nothing temporary */
}

static void every_truncation_is_a_miss(void **state)
{
    (void)state;
    char path[4096];
    unsigned char whole[512];
    store(key);
    path_of(key, path);
    size_t length = read_file(path, whole, sizeof whole - 1);
    for (size_t cut = 0; cut < length; cut++) {
        write_file(path, whole, cut);
        assert_false(is_hit(key));
    }
    whole[length] = 0;
    write_file(path, whole, length + 1);
    assert_false(is_hit(key));
    write_file(path, whole, length);
    assert_true(is_hit(key));
}

static void every_changed_byte_is_a_miss(void **state)
{
    (void)state;
    char path[4096];
    unsigned char whole[512];
    store(key);
    path_of(key, path);
    size_t length = read_file(path, whole, sizeof whole);
    for (size_t i = 0; i < length; i++)
        for (int bit = 0; bit < 8; bit++) {
            whole[i] ^= (unsigned char)(1u << bit);
            write_file(path, whole, length);
            assert_false(is_hit(key));
            whole[i] ^= (unsigned char)(1u << bit);
        }
}

/* As if two keys had the same hash. */
static void another_keys_file_is_a_miss(void **state)
{
    (void)state;
    char path[4096], other_path[4096];
    store(other_key);
    path_of(key, path);
    path_of(other_key, other_path);
    assert_string_not_equal(path, other_path);
    assert_int_equal(rename(other_path, path), 0);
    assert_false(is_hit(key));
}

static void a_bad_file_is_replaced(void **state)
{
    (void)state;
    char path[4096];
    store(key);
    path_of(key, path);
    write_file(path, (const unsigned char *)"rubbish", 7);
    assert_false(is_hit(key));
    store(key);
    assert_true(is_hit(key));
    assert_int_equal(files_in_cache(), 1);
}

/* A file stands where the directory should be: nobody, root included, can write there. */
static void a_directory_that_cannot_be_made_is_a_miss(void **state)
{
    (void)state;
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/file", getenv("XDG_CACHE_HOME"));
    write_file(path, (const unsigned char *)"", 0);
    assert_int_equal(setenv("XDG_CACHE_HOME", path, 1), 0);
    store(key);
    assert_false(is_hit(key));
}

static void a_read_only_directory_is_read(void **state)
{
    (void)state;
    char directory[4096];
    store(key);
    path_of(key, directory);
    *strrchr(directory, '/') = '\0';
    assert_int_equal(chmod(directory, 0500), 0);
    store(other_key);
    bool found = is_hit(key), written = is_hit(other_key);
    assert_int_equal(chmod(directory, 0700), 0);
    assert_true(found);
    assert_int_equal(written, geteuid() == 0); /* permissions do not bind root */
    assert_int_equal(files_in_cache(), written ? 2 : 1);
}

static void it_can_be_turned_off(void **state)
{
    (void)state;
    store(key);
    assert_int_equal(setenv("PLX_NO_CACHE", "1", 1), 0);
    assert_false(is_hit(key));
    store(other_key);
    assert_int_equal(unsetenv("PLX_NO_CACHE"), 0);
    assert_true(is_hit(key));
    assert_false(is_hit(other_key));
}

static void a_relative_directory_is_not_followed(void **state)
{
    (void)state;
    char path[4096];
    const char *home = getenv("HOME");
    char *kept = home ? strdup(home) : NULL;
    assert_int_equal(setenv("XDG_CACHE_HOME", "relative", 1), 0);
    assert_int_equal(setenv("HOME", "/tmp", 1), 0);
    path_of(key, path);
    assert_int_equal(unsetenv("HOME"), 0);
    bool homeless = plx_cl_cache_path(key, strlen(key), path, sizeof path);
    if (kept)
        (void)setenv("HOME", kept, 1);
    free(kept);
    assert_int_equal(strncmp(path, "/tmp/.cache/parallax/", 21), 0);
    assert_false(homeless);
}

/* ---- tests: programs ------------------------------------------------------------ */

static const char source[] = "kernel void seven(global int *x) { x[get_global_id(0)] = SEVEN; }\n";

/* Opens the device anew, as another process would, and lets the kernel show that it
 * is whole.  The cache is tested on whatever driver there is, also on one that has its own. */
static void build_and_run_with(bool driver_keeps_programs)
{
    plx_error error;
    plx_session *session;
    plx_plugin_queue *queue;
    plx_memory *memory;
    cl_program built;
    cl_kernel kernel;
    int32_t result[4] = {0};
    const size_t size[3] = {4, 1, 1};
    assert_int_equal(plx_cl_open(0, &session, &error), PLX_OK);
    session->driver_keeps_programs = driver_keeps_programs;
    assert_int_equal(plx_cl_program(session,
                                    &(plx_cl_source){.name = "seven", .text = source, .length = sizeof source - 1},
                                    "-DSEVEN=7", &built, &error),
                     PLX_OK);
    assert_int_equal(plx_cl_kernel(session, built, "seven", 4, &kernel, &error), PLX_OK);
    assert_int_equal(plx_cl_queue_create(session, &queue, &error), PLX_OK);
    assert_int_equal(plx_cl_alloc(session, sizeof result, &memory, &error), PLX_OK);
    cl_mem buffer = memory->buffer;
    assert_int_equal(plx_cl.SetKernelArg(kernel, 0, sizeof buffer, &buffer), CL_SUCCESS);
    assert_int_equal(plx_cl_launch(queue, kernel, size, size, &error), PLX_OK);
    assert_int_equal(plx_cl_download(queue, result, memory, 0, sizeof result, &error), PLX_OK);
    assert_int_equal(plx_cl_synchronize(queue, &error), PLX_OK);
    for (int i = 0; i < 4; i++)
        assert_int_equal(result[i], 7);
    plx_cl_free(session, memory);
    plx_cl_queue_destroy(queue);
    assert_int_equal(plx_cl.ReleaseKernel(kernel), CL_SUCCESS);
    plx_cl_close(session);
}

static void build_and_run(void)
{
    build_and_run_with(false);
}

static void skip_without_device(void)
{
    plx_error error;
    size_t count;
    if (plx_cl_probe(NULL, 0, &count, &error) == PLX_OK)
        return;
    print_message("no OpenCL device: %s\n", error.text);
    skip();
}

/* The one file in the cache. */
static void cached_file(char path[4096])
{
    char directory[4096 - 256];
    assert_int_equal(files_in_cache(), 1);
    (void)snprintf(directory, sizeof directory, "%s/parallax", getenv("XDG_CACHE_HOME"));
    DIR *open_directory = opendir(directory);
    assert_non_null(open_directory);
    for (const struct dirent *entry; (entry = readdir(open_directory)) != NULL;)
        if (entry->d_name[0] != '.')
            (void)snprintf(path, 4096, "%s/%s", directory, entry->d_name);
    (void)closedir(open_directory);
}

static struct stat facts_of(const char *path)
{
    struct stat facts;
    assert_int_equal(stat(path, &facts), 0);
    return facts;
}

static void a_built_program_is_kept_and_used(void **state)
{
    (void)state;
    skip_without_device();
    char path[4096];
    build_and_run();
    cached_file(path);
    ino_t first = facts_of(path).st_ino;
    build_and_run();
    cached_file(path);
    assert_true(facts_of(path).st_ino == first); /* found: not written again */
}

static void a_damaged_program_is_built_anew(void **state)
{
    (void)state;
    skip_without_device();
    char path[4096];
    build_and_run();
    cached_file(path);
    off_t whole = facts_of(path).st_size;
    assert_int_equal(truncate(path, whole / 2), 0);
    build_and_run();
    cached_file(path);
    assert_true(facts_of(path).st_size > whole / 2);
}

/* The file is whole and the key is right, but the driver cannot use what it says. */
static void a_program_that_the_driver_refuses_is_built_anew(void **state)
{
    (void)state;
    skip_without_device();
    char path[4096], kept_key[8192];
    uint64_t head[7]; /* magic, length of the key, of the program, 32 bytes of hash */
    build_and_run();
    cached_file(path);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(head, sizeof head, 1, file), 1);
    assert_true(head[1] < sizeof kept_key);
    assert_int_equal(fread(kept_key, 1, (size_t)head[1], file), head[1]);
    (void)fclose(file);
    plx_cl_cache_write(kept_key, (size_t)head[1], program, sizeof program);
    off_t small = facts_of(path).st_size;
    build_and_run();
    cached_file(path);
    assert_true(facts_of(path).st_size > small);
}

/* SHA-256 of the key, as sha256sum has it. */
static void the_name_is_a_strong_hash_of_the_key(void **state)
{
    char path[4096];
    (void)state;
    assert_true(plx_cl_cache_path(key, strlen(key), path, sizeof path));
    assert_string_equal(strrchr(path, '/') + 1,
                        "2f6fbd500e1ffd11663a6c3799d2b698c4f0207c9ea10a45663de60e858da087.clbin");
}

static void programs_are_built_without_a_cache(void **state)
{
    (void)state;
    skip_without_device();
    assert_int_equal(setenv("PLX_NO_CACHE", "1", 1), 0);
    build_and_run();
    assert_int_equal(unsetenv("PLX_NO_CACHE"), 0);
    assert_int_equal(files_in_cache(), 0);
}

static void what_the_driver_keeps_is_not_kept_twice(void **state)
{
    (void)state;
    skip_without_device();
    build_and_run_with(true);
    build_and_run_with(true);
    assert_int_equal(files_in_cache(), 0);
}

static void pocl_keeps_programs(void **state)
{
    (void)state;
    skip_without_device();
    plx_error error;
    plx_session *session;
    assert_int_equal(plx_cl_open(0, &session, &error), PLX_OK);
    assert_int_equal(session->driver_keeps_programs, strstr(session->platform_version, "PoCL") != NULL);
    plx_cl_close(session);
}

static void a_build_failure_quotes_the_compiler(void **state)
{
    (void)state;
    skip_without_device();
    static const char wrong[] = "kernel void wrong(global int *x) { x[0] = nonsense; }\n";
    plx_error error;
    plx_session *session;
    cl_program built;
    assert_int_equal(plx_cl_open(0, &session, &error), PLX_OK);
    assert_int_equal(plx_cl_program(session,
                                    &(plx_cl_source){.name = "wrong", .text = wrong, .length = sizeof wrong - 1}, "",
                                    &built, &error),
                     PLX_BUILD_FAILED);
    assert_non_null(strstr(error.text, "wrong did not compile"));
    assert_non_null(strstr(error.text, "nonsense"));
    plx_cl_close(session);
    assert_int_equal(files_in_cache(), 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_was_stored_comes_back),
        TEST(every_truncation_is_a_miss),
        TEST(every_changed_byte_is_a_miss),
        TEST(another_keys_file_is_a_miss),
        TEST(a_bad_file_is_replaced),
        TEST(a_directory_that_cannot_be_made_is_a_miss),
        TEST(a_read_only_directory_is_read),
        TEST(it_can_be_turned_off),
        TEST(a_relative_directory_is_not_followed),
        TEST(a_built_program_is_kept_and_used),
        TEST(a_damaged_program_is_built_anew),
        TEST(a_program_that_the_driver_refuses_is_built_anew),
        TEST(programs_are_built_without_a_cache),
        TEST(the_name_is_a_strong_hash_of_the_key),
        TEST(what_the_driver_keeps_is_not_kept_twice),
        TEST(pocl_keeps_programs),
        TEST(a_build_failure_quotes_the_compiler),
    };
    return cmocka_run_group_tests(tests, set_up_all, tear_down_all);
}
