/* Writes README's tables of measurements from the JSON files of one machine, or says
 * whether they still are what those files give:
 *
 *   ladder_tables README FOLDER [--update]
 *
 * FOLDER holds ladder-OPERATION.json, bench-*.json and overlap-memory.json (parallax-results/1)
 * and, perhaps, probe.json (parallax-probe/1).  A table lies between a line "<!-- BEGIN LADDER gemm -->"
 * and a line "<!-- END LADDER gemm -->".  Exit status: 0 equal or updated, 1 different, 2
 * something can't be read or written. */
#define _POSIX_C_SOURCE 200809L

#include "tables.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KERNELS = 32, MOST_SHAPES = 16 };

/* A column group: one API's device, and how tables name it. */
typedef struct viewpoint {
    size_t device;
    const char *title, *api;
} viewpoint;

/* What one ladder file holds, looked up. */
typedef struct ladder {
    json_t *records, *devices;
    viewpoint cuda, opencl;
    const char *kernels[MOST_KERNELS];
    size_t kernel_count;
    json_t *shapes[MOST_SHAPES];
    size_t shape_count;
} ladder;

/* ---- looking up ------------------------------------------------------------------ */

const char *text_of(json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

double number_of(json_t *object, const char *outer, const char *inner)
{
    return json_number_value(json_object_get(json_object_get(object, outer), inner));
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* The first device of an API, or the first that is the same chip as `chip`. */
static bool find_viewpoint(json_t *devices, const char *api, json_t *chip, const char *title,
                           viewpoint *found)
{
    size_t index;
    json_t *device;
    json_array_foreach(devices, index, device)
    {
        bool same = chip == NULL ||
                    json_equal(json_object_get(device, "physical"), json_object_get(chip, "physical"));
        if (!same || !starts_with(text_of(device, "label"), api))
            continue;
        *found = (viewpoint){.device = index, .title = title, .api = text_of(device, "api")};
        return true;
    }
    return false;
}

static bool add_kernel(ladder *l, const char *name)
{
    for (size_t i = 0; i < l->kernel_count; i++)
        if (strcmp(l->kernels[i], name) == 0)
            return true;
    if (l->kernel_count == MOST_KERNELS)
        return false;
    l->kernels[l->kernel_count++] = name;
    return true;
}

static bool add_shape(ladder *l, json_t *shape)
{
    for (size_t i = 0; i < l->shape_count; i++)
        if (json_equal(l->shapes[i], shape))
            return true;
    if (l->shape_count == MOST_SHAPES)
        return false;
    l->shapes[l->shape_count++] = shape;
    return true;
}

/* Records come in the order of the ladder, shapes from small to large. */
static bool read_ladder(json_t *root, ladder *l)
{
    size_t index;
    json_t *record;
    *l = (ladder){.records = json_object_get(root, "records"), .devices = json_object_get(root, "devices")};
    if (strcmp(text_of(root, "schema"), "parallax-results/1") != 0 || json_array_size(l->records) == 0)
        return false;
    if (!find_viewpoint(l->devices, "cuda:", NULL, "CUDA", &l->cuda))
        return false;
    json_t *chip = json_array_get(l->devices, l->cuda.device);
    if (!find_viewpoint(l->devices, "opencl:", chip, "OpenCL", &l->opencl))
        return false;
    json_array_foreach(l->records, index, record)
    {
        if (json_is_true(json_object_get(record, "vendor"))) /* no step of a ladder */
            continue;
        /* What no API has for these elements is no step here. */
        if (strcmp(text_of(record, "status"), "unsupported") != 0 && !add_kernel(l, text_of(record, "kernel")))
            return false;
        if (!add_shape(l, json_object_get(record, "shape")))
            return false;
    }
    return true;
}

static json_t *record_of(const ladder *l, const viewpoint *from, size_t kernel, size_t shape)
{
    size_t index;
    json_t *record;
    json_array_foreach(l->records, index, record)
    {
        if ((size_t)json_integer_value(json_object_get(record, "device")) == from->device &&
            strcmp(text_of(record, "kernel"), l->kernels[kernel]) == 0 &&
            json_equal(json_object_get(record, "shape"), l->shapes[shape]))
            return record;
    }
    return NULL;
}

static bool is_yardstick(json_t *record)
{
    return json_is_true(json_object_get(record, "yardstick"));
}

/* A copy is no transpose, however fast. */
static double best_time(const ladder *l, size_t shape)
{
    double best = 0;
    const viewpoint *both[] = {&l->cuda, &l->opencl};
    for (size_t i = 0; i < 2 * l->kernel_count; i++) {
        json_t *record = record_of(l, both[i % 2], i / 2, shape);
        double time = time_of(record);
        if (time > 0 && !is_yardstick(record) && (!(best > 0) || time < best))
            best = time;
    }
    return best;
}

/* ---- cells ------------------------------------------------------------------------ */

static void put_time(FILE *to, double ns)
{
    if (!(ns > 0))
        (void)fprintf(to, " |");
    else if (ns < 999.5e3)
        (void)fprintf(to, " %.*f µs |", ns < 9.995e3 ? 2 : ns < 99.95e3 ? 1 : 0, ns / 1e3);
    else
        (void)fprintf(to, " %.*f ms |", ns < 9.995e6 ? 2 : ns < 99.95e6 ? 1 : 0, ns / 1e6);
}

static void put_ratio(FILE *to, double above, double below)
{
    if (above > 0 && below > 0)
        (void)fprintf(to, " %.*f |", above / below < 9.995 ? 2 : 1, above / below);
    else
        (void)fprintf(to, " |");
}

static bool counts_flops(json_t *record)
{
    return number_of(record, "rate", "gflops") > number_of(record, "rate", "gbps");
}

static void put_rate(FILE *to, json_t *record)
{
    double rate = number_of(record, "rate", counts_flops(record) ? "gflops" : "gbps");
    if (time_of(record) > 0)
        (void)fprintf(to, " %.0f |", rate);
    else
        (void)fprintf(to, " |");
}

static void put_gain(FILE *to, json_t *record)
{
    put_ratio(to, json_number_value(json_object_get(record, "gain")), 1);
}

/* Time, rate, gain and share of the best; what is not right says so instead of a time. */
static void put_cells(FILE *to, json_t *record, double best)
{
    double time = time_of(record);
    if (time > 0)
        put_time(to, time);
    else
        (void)fprintf(to, " %s |", record == NULL ? "" : text_of(record, "status"));
    put_rate(to, record);
    put_gain(to, record);
    if (time > 0 && best > 0)
        (void)fprintf(to, " %.0f %% |", 100 * best / time);
    else
        (void)fprintf(to, " |");
}

/* ---- tables ------------------------------------------------------------------------ */

void put_shape(FILE *to, json_t *shape)
{
    for (size_t i = 0; i < json_array_size(shape); i++)
        (void)fprintf(to, "%s%" JSON_INTEGER_FORMAT, i > 0 ? "×" : "",
                      json_integer_value(json_array_get(shape, i)));
}

static void put_sources(FILE *to, const ladder *l, const char *folder, const char *name)
{
    json_t *device = json_array_get(l->devices, l->cuda.device);
    (void)fprintf(to, "%s; %s and %s, driver %s ([%s](results/%s/%s))\n\n", text_of(device, "name"),
                  l->cuda.api, l->opencl.api, text_of(device, "driver"), name, folder, name);
}

/* The kernels of one shape, both APIs side by side. */
static void put_comparison(FILE *to, const ladder *l, size_t shape)
{
    json_t *first = json_array_get(l->records, 0);
    const char *unit = counts_flops(first) ? "GFLOP/s" : "GB/s";
    double best = best_time(l, shape);
    (void)fprintf(
        to,
        "| kernel | CUDA | %s | gain | of best | OpenCL | %s | gain | of best | OpenCL over CUDA |\n"
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        unit, unit);
    for (size_t i = 0; i < l->kernel_count; i++) {
        json_t *cuda = record_of(l, &l->cuda, i, shape), *opencl = record_of(l, &l->opencl, i, shape);
        bool copy = is_yardstick(cuda) || is_yardstick(opencl);
        (void)fprintf(to, "| %s%s |", l->kernels[i], copy ? " (yardstick)" : "");
        put_cells(to, cuda, best);
        put_cells(to, opencl, best);
        put_ratio(to, time_of(cuda), time_of(opencl));
        (void)fputc('\n', to);
    }
}

/* The time of the last kernel that has one. */
static double last_time(const ladder *l, const viewpoint *from, size_t shape)
{
    double ns = 0;
    for (size_t i = l->kernel_count; i-- > 0 && !(ns > 0);)
        ns = time_of(record_of(l, from, i, shape));
    return ns;
}

/* The form in which ladders of products are published: microseconds, a column per shape. */
static void put_published(FILE *to, const ladder *l, const viewpoint *from)
{
    (void)fprintf(to, "| %s, µs |", from->title);
    for (size_t s = 0; s < l->shape_count; s++) {
        (void)fputc(' ', to);
        put_shape(to, l->shapes[s]);
        (void)fprintf(to, " |");
    }
    (void)fprintf(to, "\n|---|");
    for (size_t s = 0; s < l->shape_count; s++)
        (void)fprintf(to, "--:|");
    (void)fputc('\n', to);
    for (size_t i = 0; i < l->kernel_count; i++) {
        (void)fprintf(to, "| %s |", l->kernels[i]);
        for (size_t s = 0; s < l->shape_count; s++) {
            double ns = time_of(record_of(l, from, i, s));
            if (ns > 0)
                (void)fprintf(to, " %.*f |", ns < 999.5e3 ? 1 : 0, ns / 1e3);
            else
                (void)fprintf(to, " |");
        }
        (void)fputc('\n', to);
    }
    (void)fprintf(to, "| gain, last over first |");
    for (size_t s = 0; s < l->shape_count; s++)
        put_ratio(to, time_of(record_of(l, from, 0, s)), last_time(l, from, s));
    (void)fputc('\n', to);
}

static void put_ladder(FILE *to, const ladder *l, const char *folder, const char *name)
{
    json_t *first = json_array_get(l->records, 0);
    size_t largest = l->shape_count - 1;
    const char *reduction = text_of(first, "reduction");
    (void)fprintf(to, "**%s %s %s%s", text_of(first, "op"), text_of(first, "dtype"), reduction,
                  reduction[0] != '\0' ? " " : "");
    put_shape(to, l->shapes[largest]);
    (void)fprintf(to, "** on an ");
    put_sources(to, l, folder, name);
    put_comparison(to, l, largest);
    if (l->shape_count == 1)
        return;
    (void)fputc('\n', to);
    put_published(to, l, &l->cuda);
    (void)fputc('\n', to);
    put_published(to, l, &l->opencl);
}

/* ---- probes -------------------------------------------------------------------------- */

static json_t *sweep_of(json_t *sweeps, json_t *like, size_t device)
{
    size_t index;
    json_t *sweep;
    json_array_foreach(sweeps, index, sweep)
    {
        if ((size_t)json_integer_value(json_object_get(sweep, "device")) == device &&
            strcmp(text_of(sweep, "probe"), text_of(like, "probe")) == 0 &&
            strcmp(text_of(sweep, "name"), text_of(like, "name")) == 0)
            return sweep;
    }
    return NULL;
}

/* "not visible, 1.01 (1.00 to 1.02)". */
static void put_verdict(FILE *to, json_t *sweep)
{
    json_t *verdict = json_object_get(sweep, "verdict"), *interval = json_object_get(verdict, "ratio_ci95");
    double ratio = json_number_value(json_object_get(verdict, "ratio"));
    (void)fprintf(to, " %s", text_of(verdict, "visibility"));
    if (ratio > 0)
        (void)fprintf(to, ", %.2f (%.2f to %.2f)", ratio, json_number_value(json_array_get(interval, 0)),
                      json_number_value(json_array_get(interval, 1)));
    (void)fprintf(to, " |");
}

static bool put_probes(FILE *to, json_t *root, const char *folder)
{
    json_t *devices = json_object_get(root, "devices"), *sweeps = json_object_get(root, "sweeps"), *sweep;
    viewpoint cuda, opencl;
    size_t index;
    if (strcmp(text_of(root, "schema"), "parallax-probe/1") != 0 ||
        !find_viewpoint(devices, "cuda:", NULL, "CUDA", &cuda))
        return false;
    json_t *device = json_array_get(devices, cuda.device);
    bool both = find_viewpoint(devices, "opencl:", device, "OpenCL", &opencl);
    (void)fprintf(to,
                  "**probes** on an %s: is it visible, and the worst over the best time (95 %% interval) "
                  "([probe.json](results/%s/probe.json))\n\n",
                  text_of(device, "name"), folder);
    (void)fprintf(to, "| probe | phenomenon | CUDA |%s\n|---|---|---|%s\n", both ? " OpenCL |" : "",
                  both ? "---|" : "");
    json_array_foreach(sweeps, index, sweep)
    {
        if ((size_t)json_integer_value(json_object_get(sweep, "device")) != cuda.device)
            continue;
        (void)fprintf(to, "| %s/%s | %s |", text_of(sweep, "probe"), text_of(sweep, "name"),
                      text_of(sweep, "phenomenon"));
        put_verdict(to, sweep);
        if (both)
            put_verdict(to, sweep_of(sweeps, sweep, opencl.device));
        (void)fputc('\n', to);
    }
    return true;
}

/* ---- blocks --------------------------------------------------------------------------- */

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static bool put_block(FILE *to, const char *name, json_t *root, const char *folder, const char *file)
{
    ladder l;
    if (strcmp(name, "probe") == 0)
        return put_probes(to, root, folder);
    if (!read_ladder(root, &l))
        return false;
    put_ladder(to, &l, folder, file);
    return true;
}

/* A table that is made of more than one file. */
static char *render_with(bool (*put)(FILE *, const char *, const char *), const char *folder)
{
    char *text = NULL;
    size_t length;
    FILE *to = open_memstream(&text, &length);
    if (to == NULL)
        return NULL;
    bool good = put(to, folder, last_part(folder));
    if (fclose(to) == 0 && good)
        return text;
    free(text);
    return NULL;
}

/* malloc'ed; NULL when the file can't be used, which is then said.  Without probe.json
 * there is nothing to show. */
static char *render(const char *name, const char *folder)
{
    char file[64], path[4096], *text = NULL;
    size_t length;
    json_error_t error;
    bool probe = strcmp(name, "probe") == 0, good;
    if (strcmp(name, "peers") == 0)
        return render_with(put_peers, folder);
    if (strcmp(name, "twins") == 0)
        return render_with(put_twins, folder);
    (void)snprintf(file, sizeof file, "%s%s.json", probe ? "" : "ladder-", name);
    (void)snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *there = fopen(path, "r");
    if (there == NULL && probe)
        return strdup("");
    if (there != NULL)
        (void)fclose(there);
    json_t *root = json_load_file(path, 0, &error);
    FILE *to = root != NULL ? open_memstream(&text, &length) : NULL;
    if (to == NULL) {
        (void)fprintf(stderr, "%s: %s\n", path, root == NULL ? error.text : "no memory");
        json_decref(root);
        return NULL;
    }
    good = put_block(to, name, root, last_part(folder), file);
    good = fclose(to) == 0 && good;
    json_decref(root);
    if (good)
        return text;
    (void)fprintf(stderr, "%s: no results of CUDA and OpenCL on one device\n", path);
    free(text);
    return NULL;
}

/* ---- README ----------------------------------------------------------------------------- */

static char *read_text(const char *path)
{
    char *text = NULL, piece[4096];
    size_t length, got;
    FILE *from = fopen(path, "r"), *to = from != NULL ? open_memstream(&text, &length) : NULL;
    if (to == NULL) {
        perror(path);
        if (from != NULL)
            (void)fclose(from);
        return NULL;
    }
    while ((got = fread(piece, 1, sizeof piece, from)) > 0)
        (void)fwrite(piece, 1, got, to);
    (void)fclose(from);
    (void)fclose(to);
    return text;
}

/* Beside the old one, then in its place. */
static bool write_text(const char *path, const char *text)
{
    char temporary[4096];
    (void)snprintf(temporary, sizeof temporary, "%s.new", path);
    FILE *to = fopen(temporary, "w");
    bool good = to != NULL && fputs(text, to) >= 0;
    good = to != NULL && fclose(to) == 0 && good;
    good = good && rename(temporary, path) == 0;
    if (!good)
        perror(path);
    return good;
}

/* The text between the two markers of a name. */
static bool find_block(const char *text, const char *name, const char **start, const char **end)
{
    char begin[96], finish[96];
    (void)snprintf(begin, sizeof begin, "<!-- BEGIN LADDER %s -->\n", name);
    (void)snprintf(finish, sizeof finish, "<!-- END LADDER %s -->\n", name);
    *start = strstr(text, begin);
    if (*start == NULL)
        return false;
    *start += strlen(begin);
    *end = strstr(*start, finish);
    return *end != NULL;
}

/* The first line in which they differ. */
static void say_difference(const char *path, const char *name, const char *is, const char *should)
{
    size_t length = strcspn(is, "\n") + 1;
    while (strncmp(is, should, length) == 0 && is[length - 1] != '\0') {
        is += length;
        should += length;
        length = strcspn(is, "\n") + 1;
    }
    (void)fprintf(stderr,
                  "%s: the table %s is not what the results give (`make update-tables` writes it)\n"
                  "  is        %.*s\n  should be %.*s\n",
                  path, name, (int)length - 1, is, (int)strcspn(should, "\n"), should);
}

/* The README with one block as the results have it; NULL when that can't be. */
static char *with_block(const char *path, char *readme, const char *folder, const char *name, bool update)
{
    const char *start, *end;
    char *block = render(name, folder), *made = NULL;
    if (block != NULL && !find_block(readme, name, &start, &end))
        (void)fprintf(stderr, "%s: no lines BEGIN and END LADDER %s\n", path, name);
    else if (block != NULL) {
        size_t size = strlen(readme) + strlen(block) + 1;
        made = malloc(size);
        if (made != NULL)
            (void)snprintf(made, size, "%.*s%s%s", (int)(start - readme), readme, block, end);
        if (made != NULL && !update && strcmp(made, readme) != 0)
            say_difference(path, name, start, block);
    }
    free(block);
    free(readme);
    return made;
}

int main(int count, char **words)
{
    static const char *const names[] = {"peers", "twins", "reduce", "transpose", "matvec", "gemm", "probe"};
    bool update = count == 4 && strcmp(words[3], "--update") == 0;
    if (count != 3 && !update) {
        (void)fprintf(stderr, "usage: ladder_tables README FOLDER [--update]\n");
        return 2;
    }
    char *old = read_text(words[1]), *made = old != NULL ? strdup(old) : NULL;
    for (size_t i = 0; made != NULL && i < sizeof names / sizeof names[0]; i++)
        made = with_block(words[1], made, words[2], names[i], update);
    int status = made == NULL ? 2 : strcmp(made, old) != 0;
    if (status == 1 && update)
        status = write_text(words[1], made) ? 0 : 2;
    free(made);
    free(old);
    return status;
}
