/* A first recipe for somebody's kernel, by what its text says and what such parameters are usually called.  What can't
 * be told stays in it as a name that no recipe knows, so that reading it refuses the draft and says where: nothing is
 * made up in silence. */
#define _XOPEN_SOURCE 700

#include "study/recipe/load.h"
#include "study/recipe/ptx.h"
#include "study/recipe/recipe.h"
#include "study/recipe/signature.h"

#include "base/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES = 10, SIZES = 6 };

/* What a parameter is called that is one of an operation's numbers. */
typedef struct usual {
    const char *is; /* in expressions */
    const char *names[NAMES];
    const char *smallest; /* of a leading dimension; NULL: it is a size */
} usual;

/* How the operation's parts are usually called, and which threads its result has. */
typedef struct habit {
    plx_op op;
    const char *operands[3][NAMES];
    usual numbers[SIZES];
    const char *width, *height; /* of the result; of one thread each */
} habit;

static const habit habits[] = {
    {PLX_REDUCE,
     {{"x", "in", "input", "idata", "src", "data", "a"}, {"result", "out", "output", "odata", "dst", "sum", "y"}},
     {{"n", {"n", "size", "len", "length", "count", "num", "numel", "total", "elements"}, NULL}},
     "n",
     "1"},
    {PLX_TRANSPOSE,
     {{"in", "input", "idata", "src", "a", "x"}, {"out", "output", "odata", "dst", "b", "y"}},
     {{"rows", {"rows", "m", "height", "h", "ny", "nrows", "numrows", "num_rows"}, NULL},
      {"cols", {"cols", "n", "width", "w", "nx", "ncols", "numcols", "num_cols", "columns"}, NULL},
      {"ld_in", {"ld_in", "ldi", "lda", "pitch_in", "in_stride", "stride_in"}, "cols"},
      {"ld_out", {"ld_out", "ldo", "ldb", "pitch_out", "out_stride", "stride_out"}, "rows"}},
     "cols",
     "rows"},
    {PLX_MATVEC,
     {{"a", "mat", "matrix", "w", "weight"},
      {"x", "vec", "vector", "in", "input", "v"},
      {"y", "out", "output", "result"}},
     {{"rows", {"rows", "m", "height", "nrows", "numrows", "num_rows", "ny"}, NULL},
      {"cols", {"cols", "n", "k", "width", "ncols", "numcols", "num_cols", "nx", "columns"}, NULL},
      {"lda", {"lda", "ld", "stride", "pitch"}, "cols"}},
     "rows",
     "1"},
    {PLX_GEMM,
     {{"a", "lhs", "x"}, {"b", "rhs", "w", "weight"}, {"c", "d", "out", "output", "result", "y"}},
     {{"m", {"m", "rows", "height", "a_rows", "rows_a", "ny"}, NULL},
      {"n", {"n", "cols", "width", "b_cols", "cols_b", "nx"}, NULL},
      {"k", {"k", "inner", "depth", "common", "a_cols", "b_rows"}, NULL},
      {"lda", {"lda", "a_stride", "stride_a"}, "k"},
      {"ldb", {"ldb", "b_stride", "stride_b"}, "n"},
      {"ldc", {"ldc", "c_stride", "stride_c", "ldd"}, "n"}},
     "n",
     "m"},
};

typedef struct draft {
    const habit *habit;
    const plx_operation *operation;
    const plx_dialect *dialect;
    plx_signature kernel;
    const char *text; /* the source */
    bool used[SIZES], uses_alpha, uses_beta, is_square;
    size_t operand_of[PLX_SIGNATURE_PARAMETERS]; /* of a pointer; or NO_OPERAND */
    char block[3][PLX_SIGNATURE_WORD];           /* numbers, or names of tunables */
    FILE *to, *notes;
} draft;
enum { NO_OPERAND = 99 };

static void PLX_PRINTF(2, 3) note(draft *of, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    (void)vfprintf(of->notes, format, words);
    va_end(words);
    (void)fputc('\n', of->notes);
}

/* ---- what the parameters are -------------------------------------------------------------------- */

/* "d_A" and "A_ptr" are a. */
static void plain_name(const char *name, char *plain)
{
    const size_t length = strlen(name);
    const char *from = length > 2 && name[1] == '_' && strchr("dgph", name[0]) != NULL ? name + 2 : name;
    size_t count = 0;
    for (; *from != '\0'; from++)
        plain[count++] = (char)tolower((unsigned char)*from);
    plain[count] = '\0';
    if (count > 4 && strcmp(plain + count - 4, "_ptr") == 0)
        plain[count - 4] = '\0';
}

static bool is_usual(const char *name, const char *const names[NAMES])
{
    char plain[PLX_SIGNATURE_WORD];
    plain_name(name, plain);
    for (size_t i = 0; i < NAMES && names[i] != NULL; i++)
        if (strcmp(plain, names[i]) == 0)
            return true;
    return false;
}

static bool is_free(const draft *of, size_t operand)
{
    for (size_t i = 0; i < of->kernel.count; i++)
        if (of->kernel.parameters[i].kind == PLX_PARAMETER_POINTER && of->operand_of[i] == operand)
            return false;
    return true;
}

/* The only pointer that is no const one is the result, wherever it stands. */
static void find_output(draft *of)
{
    size_t found = NO_OPERAND;
    for (size_t i = 0; i < of->kernel.count; i++)
        of->operand_of[i] = NO_OPERAND;
    for (size_t i = 0; i < of->kernel.count; i++) {
        if (of->kernel.parameters[i].kind != PLX_PARAMETER_POINTER || of->kernel.parameters[i].is_const)
            continue;
        if (found != NO_OPERAND)
            return;
        found = i;
    }
    if (found != NO_OPERAND)
        of->operand_of[found] = of->operation->output;
}

/* More pointers than operands: those that are called like one.  Else in their order. */
static void find_operands(draft *of, size_t pointers)
{
    find_output(of);
    for (size_t i = 0; i < of->kernel.count && pointers > of->operation->operand_count; i++)
        for (size_t j = 0; j < of->operation->operand_count; j++)
            if (of->kernel.parameters[i].kind == PLX_PARAMETER_POINTER && of->operand_of[i] == NO_OPERAND &&
                is_free(of, j) && is_usual(of->kernel.parameters[i].name, of->habit->operands[j]))
                of->operand_of[i] = j;
    for (size_t i = 0; i < of->kernel.count; i++)
        for (size_t j = 0; j < of->operation->operand_count; j++)
            if (of->kernel.parameters[i].kind == PLX_PARAMETER_POINTER && of->operand_of[i] == NO_OPERAND &&
                is_free(of, j))
                of->operand_of[i] = j;
}

static plx_status read_pointers(draft *of, const char *path, plx_error *error)
{
    size_t pointers = 0;
    for (size_t i = 0; i < of->kernel.count; i++)
        pointers += of->kernel.parameters[i].kind == PLX_PARAMETER_POINTER;
    if (pointers < of->operation->operand_count)
        return plx_fail(error, PLX_INVALID, "%.200s: %s has %zu pointers, and %s has %zu operands", path,
                        of->kernel.name, pointers, of->operation->name, of->operation->operand_count);
    find_operands(of, pointers);
    return PLX_OK;
}

/* Which of the operation's numbers it is; NO_OPERAND: none that is known. */
static size_t number_of(const draft *of, const char *name)
{
    for (size_t i = 0; i < SIZES && of->habit->numbers[i].is != NULL; i++)
        if (is_usual(name, of->habit->numbers[i].names))
            return i;
    return NO_OPERAND;
}

static bool has_type(const draft *of, const char *word)
{
    for (size_t i = 0; i < of->kernel.template_count; i++)
        if (of->kernel.of_template[i].is_type && strcmp(of->kernel.of_template[i].name, word) == 0)
            return true;
    return false;
}

/* The element type of a pointer: "float4 *" is one of f32. */
static bool element_type(const draft *of, size_t parameter, plx_dtype *dtype)
{
    char type[PLX_SIGNATURE_WORD];
    (void)snprintf(type, sizeof type, "%s", of->kernel.parameters[parameter].type);
    for (int cut = 0; cut < 2; cut++) {
        for (int i = 0; i < PLX_DTYPE_COUNT; i++) {
            const char *word = of->dialect->types[i];
            if (word != NULL &&
                (strcmp(type, word) == 0 || (strncmp(word, "__", 2) == 0 && strcmp(type, word + 2) == 0))) {
                *dtype = (plx_dtype)i;
                return true;
            }
        }
        const size_t length = strlen(type);
        if (length > 1 && strchr("248", type[length - 1]) != NULL)
            type[length - 1] = '\0';
    }
    return false;
}

static size_t parameter_of(const draft *of, size_t operand)
{
    for (size_t i = 0; i < of->kernel.count; i++)
        if (of->kernel.parameters[i].kind == PLX_PARAMETER_POINTER && of->operand_of[i] == operand)
            return i;
    return 0;
}

/* ---- writing it -------------------------------------------------------------------------------- */

static const char *operand_name(const draft *of, size_t operand)
{
    const plx_problem problem = {.op = of->operation->op};
    plx_extent extents[PLX_MAX_OPERANDS] = {{.name = ""}};
    of->operation->extents(&problem, extents);
    return extents[operand].name;
}

static void write_number(draft *of, const plx_source_parameter *parameter)
{
    const size_t which = number_of(of, parameter->name);
    (void)fprintf(of->to, "{\"%c%u\": ", parameter->is_unsigned && parameter->bits >= 32 ? 'u' : 'i', parameter->bits);
    if (which == NO_OPERAND) {
        note(of, "%s: no size of %s is called that; put a number or an expression in its place", parameter->name,
             of->operation->name);
        (void)fprintf(of->to, "\"%s\"}", parameter->name);
        return;
    }
    of->used[which] = true;
    (void)fprintf(of->to, "\"%s\"}", of->habit->numbers[which].is);
}

static void write_real(draft *of, const plx_source_parameter *parameter, bool is_element)
{
    char plain[PLX_SIGNATURE_WORD];
    plx_dtype dtype = PLX_F32;
    plain_name(parameter->name, plain);
    const bool is_alpha = strcmp(plain, "alpha") == 0, is_beta = strcmp(plain, "beta") == 0;
    const bool has_factors = plx_field_of_kind(of->operation, PLX_FIELD_ALPHA) != NULL;
    (void)element_type(of, parameter_of(of, 0), &dtype);
    const unsigned wide = plx_element_size(dtype) < 4 ? 32 : (unsigned)plx_element_size(dtype) * 8;
    if ((is_alpha || is_beta) && has_factors) {
        of->uses_alpha |= is_alpha;
        of->uses_beta |= is_beta;
        if (is_element || parameter->bits == wide)
            (void)fprintf(of->to, "{\"scalar\": \"%s\"}", plain);
        else
            (void)fprintf(of->to, "{\"f%u\": \"%s\"}", parameter->bits, plain);
        return;
    }
    note(of, "%s: a number that is none of %s's; put it in its place", parameter->name, of->operation->name);
    (void)fprintf(of->to, "{\"f%u\": \"%s\"}", is_element ? 32 : parameter->bits, parameter->name);
}

static void write_threads(draft *of, FILE *to)
{
    (void)fprintf(to, "%s", of->block[0]);
    for (int i = 1; i < 3 && of->block[i][0] != '\0'; i++)
        (void)fprintf(to, " * %s", of->block[i]);
}

static void write_argument(draft *of, size_t index)
{
    const plx_source_parameter *parameter = &of->kernel.parameters[index];
    switch (parameter->kind) {
    case PLX_PARAMETER_POINTER:
        if (of->operand_of[index] != NO_OPERAND)
            (void)fprintf(of->to, "{\"operand\": \"%s\"}", operand_name(of, of->operand_of[index]));
        else
            (void)fprintf(of->to, "{\"scratch\": \"%s\"}", parameter->name);
        break;
    case PLX_PARAMETER_LOCAL:
        note(of, "%s: local memory of one element for each thread; say how many bytes it needs", parameter->name);
        (void)fprintf(of->to, "{\"local\": \"");
        write_threads(of, of->to);
        (void)fprintf(of->to, " * esize\"}");
        break;
    case PLX_PARAMETER_WHOLE:
        write_number(of, parameter);
        break;
    case PLX_PARAMETER_REAL:
        write_real(of, parameter, false);
        break;
    case PLX_PARAMETER_OTHER:
        if (has_type(of, parameter->type)) {
            write_real(of, parameter, true);
            break;
        }
        note(of, "%s: of type %s, whose members the text of the kernel does not tell; list them", parameter->name,
             parameter->type);
        (void)fprintf(of->to, "{\"struct\": [{\"i64\": \"members_of_%.40s\"}]}", parameter->name);
    }
}

static void write_arguments(draft *of)
{
    (void)fprintf(of->to, "      \"args\": [");
    for (size_t i = 0; i < of->kernel.count; i++) {
        (void)fprintf(of->to, "%s\n        ", i > 0 ? "," : "");
        write_argument(of, i);
    }
    (void)fprintf(of->to, "\n      ]\n    }\n  ]\n}\n");
}

static void write_types(draft *of, const char *key, size_t parameter)
{
    plx_dtype dtype;
    if (has_type(of, of->kernel.parameters[parameter].type))
        (void)fprintf(of->to, "\"%s\": [\"f32\", \"f64\"], ", key);
    else if (element_type(of, parameter, &dtype))
        (void)fprintf(of->to, "\"%s\": [\"%s\"], ", key, plx_dtype_name(dtype));
    else {
        note(of, "%s: of type %s; f32 was taken for the elements", of->kernel.parameters[parameter].name,
             of->kernel.parameters[parameter].type);
        (void)fprintf(of->to, "\"%s\": [\"f32\"], ", key);
    }
}

static void write_condition(draft *of, bool *first, const char *left, const char *relation, const char *right)
{
    (void)fprintf(of->to, "%s\"%s %s %s\"", *first ? "" : ", ", left, relation, right);
    *first = false;
}

/* Only problems that such parameters can describe. */
static void write_where(draft *of)
{
    const usual *numbers = of->habit->numbers, *last = NULL;
    bool first = true;
    (void)fprintf(of->to, "\"where\": [");
    for (size_t i = 0; i < SIZES && numbers[i].is != NULL; i++)
        if (numbers[i].smallest == NULL) {
            write_condition(of, &first, numbers[i].is, ">", "0");
            if (of->is_square && last != NULL)
                write_condition(of, &first, last->is, "==", numbers[i].is);
            else if (!of->used[i] && !of->is_square)
                note(of, "%s: no parameter is called like it", numbers[i].is);
            last = &numbers[i];
        }
    for (size_t i = 0; i < SIZES && numbers[i].is != NULL; i++)
        if (numbers[i].smallest != NULL && !of->used[i])
            write_condition(of, &first, numbers[i].is, "==", numbers[i].smallest);
    if (plx_field_of_kind(of->operation, PLX_FIELD_ALPHA) != NULL && !of->uses_alpha)
        write_condition(of, &first, "alpha", "==", "1");
    if (plx_field_of_kind(of->operation, PLX_FIELD_BETA) != NULL && !of->uses_beta)
        write_condition(of, &first, "beta", "==", "0");
    (void)fprintf(of->to, "]");
}

/* A kernel with one size is one for squares. */
static void look_for_squares(draft *of)
{
    size_t wholes = 0, sizes = 0;
    for (size_t i = 0; i < of->kernel.count; i++)
        wholes += of->kernel.parameters[i].kind == PLX_PARAMETER_WHOLE;
    for (size_t i = 0; i < SIZES && of->habit->numbers[i].is != NULL; i++)
        sizes += of->habit->numbers[i].smallest == NULL;
    of->is_square = wholes == 1 && sizes > 1;
    if (of->is_square)
        note(of, "it has one size: only square problems are taken");
}

static bool is_scratch(const draft *of, size_t parameter)
{
    return of->kernel.parameters[parameter].kind == PLX_PARAMETER_POINTER && of->operand_of[parameter] == NO_OPERAND;
}

static void write_scratch(draft *of)
{
    bool first = true;
    for (size_t i = 0; i < of->kernel.count; i++) {
        const plx_source_parameter *parameter = &of->kernel.parameters[i];
        if (!is_scratch(of, i))
            continue;
        note(of,
             "%s: no operand of %s; memory of the kernel's own was taken, so large as the result: say how much, and "
             "whether it begins with zeros",
             parameter->name, of->operation->name);
        (void)fprintf(of->to, "%s\"%s\": {\"bytes\": \"%s * %s * osize\", \"align\": 256, \"before\": \"garbage\"}",
                      first ? "  \"scratch\": {" : ", ", parameter->name, of->habit->width, of->habit->height);
        first = false;
    }
    if (!first)
        (void)fprintf(of->to, "},\n");
}

static void write_tunables(draft *of)
{
    bool first = true;
    for (size_t i = 0; i < of->kernel.template_count; i++) {
        const plx_template_parameter *one = &of->kernel.of_template[i];
        if (one->is_type)
            continue;
        if (one->value == 0)
            note(of, "%s: a number of the template; 16 was taken", one->name);
        (void)fprintf(of->to, "%s\"%s\": [%lld]", first ? "  \"tune\": {" : ", ", one->name,
                      (long long)(one->value != 0 ? one->value : 16));
        first = false;
    }
    if (!first)
        (void)fprintf(of->to, "},\n");
}

static void write_entry(draft *of)
{
    bool has_types = false;
    (void)fprintf(of->to, "      \"entry\": \"%s", of->kernel.name);
    for (size_t i = 0; i < of->kernel.template_count; i++) {
        const plx_template_parameter *one = &of->kernel.of_template[i];
        (void)fprintf(of->to, "%s{%s}", i == 0 ? "<" : ", ", one->is_type ? has_types ? "TO" : "T" : one->name);
        has_types |= one->is_type;
    }
    (void)fprintf(of->to, "%s\",\n", of->kernel.template_count > 0 ? ">" : "");
}

/* ---- grid and block ------------------------------------------------------------------------------ */

static const char *const line_names[] = {"BLOCK_SIZE",        "BLOCKSIZE", "BLOCK",    "THREADS", "NUM_THREADS",
                                         "THREADS_PER_BLOCK", "TPB",       "NTHREADS", "WG",      NULL};
static const char *const tile_names[] = {"TILE_DIM",  "TILE_SIZE", "TILE", "TILE_WIDTH", "BLOCK_SIZE", "BLOCKSIZE",
                                         "BLOCK_DIM", "BLOCK",     "TS",   "BS",         NULL};
static const char *const row_names[] = {"BLOCK_ROWS", NULL};

/* A number of the template, or of a #define, of one of these names; else this one. */
static void side_of(draft *of, const char *const *names, int otherwise, char *side)
{
    const char *found = NULL;
    for (size_t i = 0; i < of->kernel.template_count; i++)
        for (size_t j = 0; names[j] != NULL; j++)
            if (!of->kernel.of_template[i].is_type && strcmp(of->kernel.of_template[i].name, names[j]) == 0) {
                (void)snprintf(side, PLX_SIGNATURE_WORD, "%s", names[j]);
                return;
            }
    const int64_t value = plx_source_define(of->text, names, &found);
    if (value == 0)
        note(of, "block: its threads are not in the text; %d were taken along an axis", otherwise);
    (void)snprintf(side, PLX_SIGNATURE_WORD, "%lld", (long long)(value != 0 ? value : otherwise));
}

static void find_block(draft *of)
{
    const char *found;
    const int axes = of->kernel.axes;
    if (of->kernel.threads[0] != 0) {
        for (int i = 0; i < 3 && of->kernel.threads[i] > 0; i++)
            if (i == 0 || of->kernel.threads[i] > 1 || axes > i)
                (void)snprintf(of->block[i], sizeof of->block[i], "%lld", (long long)of->kernel.threads[i]);
        if (axes == 1 || of->block[1][0] != '\0')
            return;
    }
    side_of(of, axes > 1 ? tile_names : line_names, axes > 1 ? 16 : 256, of->block[0]);
    const int64_t rows = axes > 1 ? plx_source_define(of->text, row_names, &found) : 0;
    if (rows != 0)
        (void)snprintf(of->block[1], sizeof of->block[1], "%lld", (long long)rows);
    else if (axes > 1)
        memcpy(of->block[1], of->block[0], sizeof of->block[1]);
    if (of->kernel.threads[0] != 0 &&
        strtoll(of->block[0], NULL, 10) * strtoll(of->block[1], NULL, 10) != of->kernel.threads[0])
        note(of, "block: the text has the number of its threads alone, %lld; say how many there are along each axis",
             (long long)of->kernel.threads[0]);
}

/* One thread for each element of the result, or of what is read; a row of a tile may be several rows of threads. */
static void write_grid(draft *of)
{
    const habit *result = of->habit;
    if (of->kernel.axes > 1) {
        const bool has_rows = strcmp(of->block[0], of->block[1]) != 0 && of->kernel.threads[0] == 0;
        (void)fprintf(of->to, "      \"grid\": [\"ceildiv(%s, %s)\", \"ceildiv(%s, %s)\"],\n", result->width,
                      of->block[0], result->height, has_rows ? of->block[0] : of->block[1]);
    } else {
        const bool is_flat = strcmp(result->height, "1") != 0;
        (void)fprintf(of->to, "      \"grid\": [\"ceildiv(%s%s%s, %s)\"],\n", result->width, is_flat ? " * " : "",
                      is_flat ? result->height : "", of->block[0]);
    }
    note(of, "grid: one thread for each element of the %s; change it where a thread does more",
         of->operation->op == PLX_REDUCE ? "input" : "result");
    (void)fprintf(of->to, "      \"block\": [");
    for (int i = 0; i < 3 && of->block[i][0] != '\0'; i++)
        (void)fprintf(of->to, isdigit((unsigned char)of->block[i][0]) ? "%s%s" : "%s\"%s\"", i > 0 ? ", " : "",
                      of->block[i]);
    (void)fprintf(of->to, "],\n");
    if (of->dialect->shared != NULL && strstr(of->text, of->dialect->shared) != NULL) {
        note(of, "shared: one element for each thread; say how many bytes it needs");
        (void)fprintf(of->to, "      \"shared\": \"");
        write_threads(of, of->to);
        (void)fprintf(of->to, " * esize\",\n");
    }
}

/* ---- the whole --------------------------------------------------------------------------------- */

static void write_all(draft *of)
{
    char *arguments = NULL;
    size_t length = 0;
    FILE *to = of->to;
    find_block(of);
    look_for_squares(of);
    /* Which of the operation's numbers there are is known behind the arguments. */
    of->to = open_memstream(&arguments, &length);
    if (of->to != NULL) {
        write_arguments(of);
        (void)fclose(of->to);
    }
    of->to = to;
    (void)fprintf(to, "{\n  \"parallax_recipe\": 1,\n  \"op\": \"%s\",\n  \"api\": \"%s\",\n  \"problem\": {",
                  of->operation->name, of->dialect->name);
    write_types(of, "dtype", parameter_of(of, 0));
    const size_t output = parameter_of(of, of->operation->output);
    if (strcmp(of->kernel.parameters[output].type, of->kernel.parameters[parameter_of(of, 0)].type) != 0)
        write_types(of, "out_dtype", output);
    write_where(of);
    (void)fprintf(to, "},\n");
    write_tunables(of);
    write_scratch(of);
    (void)fprintf(to, "  \"launches\": [\n    {\n");
    write_entry(of);
    write_grid(of);
    (void)fprintf(to, "%s", arguments != NULL ? arguments : "");
    free(arguments);
}

static plx_status find_dialect(const char *path, const plx_dialect **dialect, plx_error *error)
{
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot != NULL && i < PLX_LANGUAGES; i++) {
        const plx_language *language = &plx_languages[i];
        if (strcmp(dot, language->ending) != 0)
            continue;
        if (language->is_function)
            return plx_fail(error, PLX_INVALID, "%.200s: a function needs no recipe (doc/judging.md)", path);
        *dialect = language->dialect;
        if (i == PLX_SOURCE_CL || i == PLX_SOURCE_CU)
            return PLX_OK;
        break;
    }
    return plx_fail(error, PLX_INVALID, "%.200s: a draft is made of the names in a source, %s or %s", path,
                    plx_languages[PLX_SOURCE_CU].ending, plx_languages[PLX_SOURCE_CL].ending);
}

static plx_status write_draft(draft *of, char **text, char **notes, plx_error *error)
{
    size_t length = 0, note_length = 0;
    *text = *notes = NULL;
    of->to = open_memstream(text, &length);
    of->notes = open_memstream(notes, &note_length);
    bool whole = of->to != NULL && of->notes != NULL;
    if (whole)
        write_all(of);
    if (of->to != NULL)
        whole &= plx_text_whole(of->to);
    if (of->notes != NULL)
        whole &= plx_text_whole(of->notes);
    if (whole)
        return PLX_OK;
    free(*text);
    free(*notes);
    *text = *notes = NULL;
    return plx_fail(error, PLX_NO_MEMORY, "no memory for a recipe");
}

plx_status plx_recipe_draft(plx_op op, const char *source, const char *entry, char **text, char **notes,
                            plx_error *error)
{
    draft of = {.operation = plx_operation_of(op)};
    char *read = NULL;
    for (size_t i = 0; i < sizeof habits / sizeof habits[0]; i++)
        if (habits[i].op == op)
            of.habit = &habits[i];
    if (of.habit == NULL || of.operation == NULL)
        return plx_fail(error, PLX_INVALID, "no recipe is for this operation");
    plx_status status = find_dialect(source, &of.dialect, error);
    if (status == PLX_OK)
        status = plx_recipe_text(source, PLX_PTX_BYTES, &read, error);
    if (status == PLX_OK)
        status = plx_signature_read(source, read, of.dialect, entry, &of.kernel, error);
    if (status == PLX_OK)
        status = read_pointers(&of, source, error);
    of.text = read;
    if (status == PLX_OK)
        status = write_draft(&of, text, notes, error);
    free(read);
    return status;
}
