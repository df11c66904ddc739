/* Files of results made by hand. */
#define _POSIX_C_SOURCE 200809L

#include "diff_support.h"

void assert_near(double found, double expected, double by)
{
    if (!(fabs(found - expected) <= by))
        fail_msg("%.15g, expected %.15g", found, expected);
}

char directory[] = "/tmp/parallax-test-diff-XXXXXX";
char old_path[64], new_path[64];

int make_directory(void **state)
{
    (void)state;
    if (mkdtemp(directory) == NULL)
        return -1;
    (void)snprintf(old_path, sizeof old_path, "%s/old.json", directory);
    (void)snprintf(new_path, sizeof new_path, "%s/new.json", directory);
    return 0;
}

int remove_directory(void **state)
{
    (void)state;
    (void)unlink(old_path);
    (void)unlink(new_path);
    return rmdir(directory);
}

json_t *empty_file(void)
{
    json_t *root = json_pack("{s:s, s:{s:s, s:s}, s:[{s:s, s:s, s:s}, {s:s, s:s, s:s}], s:[], s:[]}", "schema",
                             "parallax-results/1", "environment", "parallax", "0.1.0", "kernels_hash", "abc", "devices",
                             "label", "alpha:0", "name", "Chip", "driver", "1.0", "label", "alpha:1", "name", "Chip",
                             "driver", "1.0", "records", "pairs");
    assert_non_null(root);
    return root;
}

/* A record of a vector's sum; the shape tells records apart. */
json_t *add_record(json_t *root, int n, double median, double half, int samples)
{
    json_t *record =
        json_pack("{s:s, s:s, s:[i], s:s, s:s, s:i, s:s, s:s, s:s, s:i, s:{s:f}, s:{s:f, s:[f, f], s:i, s:s}}", "op",
                  "reduce", "dtype", "f32", "shape", n, "reduction", "sum", "backend", "alpha:0", "device", 0, "kernel",
                  "vector", "status", "ok", "input", "uniform", "seed", 1, "error", "max_over_bound", 0.1, "time",
                  "median_ns", median, "ci95_ns", median - half, median + half, "samples", samples, "clock", "device");
    assert_non_null(record);
    json_array_append_new(json_object_get(root, "records"), record);
    return record;
}

plx_diff_results diff_of(json_t *before, json_t *after, double threshold)
{
    plx_diff_results results;
    plx_error error = {""};
    plx_diff_options options = {.threshold = threshold};
    assert_int_equal(json_dump_file(before, old_path, 0), 0);
    assert_int_equal(json_dump_file(after, new_path, 0), 0);
    if (plx_diff(old_path, new_path, &options, &results, &error) != PLX_OK)
        fail_msg("%s", error.text);
    return results;
}

json_t *one(double median, double half, int samples)
{
    json_t *root = empty_file();
    add_record(root, 1000, median, half, samples);
    return root;
}
