/* What a kernel's parameters are, by their names and types, of which people make the same ones over and over. */
#include "study/recipe/draft.h"

#include <ctype.h>
#include <string.h>

static const plx_habit habits[] = {
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

const plx_habit *plx_draft_habit(plx_op op)
{
    for (size_t i = 0; i < sizeof habits / sizeof habits[0]; i++)
        if (habits[i].op == op)
            return &habits[i];
    return NULL;
}

void plx_draft_plain_name(const char *name, char *plain)
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

static bool is_usual(const char *name, const char *const names[PLX_DRAFT_NAMES])
{
    char plain[PLX_SIGNATURE_WORD];
    plx_draft_plain_name(name, plain);
    for (size_t i = 0; i < PLX_DRAFT_NAMES && names[i] != NULL; i++)
        if (strcmp(plain, names[i]) == 0)
            return true;
    return false;
}

static bool is_free(const plx_draft *of, size_t operand)
{
    for (size_t i = 0; i < of->kernel.count; i++)
        if (of->kernel.parameters[i].kind == PLX_PARAMETER_POINTER && of->operand_of[i] == operand)
            return false;
    return true;
}

/* The only pointer that is no const one is the result, wherever it stands. */
static void find_output(plx_draft *of)
{
    size_t found = PLX_DRAFT_NOTHING;
    for (size_t i = 0; i < of->kernel.count; i++)
        of->operand_of[i] = PLX_DRAFT_NOTHING;
    for (size_t i = 0; i < of->kernel.count; i++) {
        if (of->kernel.parameters[i].kind != PLX_PARAMETER_POINTER || of->kernel.parameters[i].is_const)
            continue;
        if (found != PLX_DRAFT_NOTHING)
            return;
        found = i;
    }
    if (found != PLX_DRAFT_NOTHING)
        of->operand_of[found] = of->operation->output;
}

/* More pointers than operands: those that are called like one.  Else in their order. */
static void find_operands(plx_draft *of, size_t pointers)
{
    find_output(of);
    for (size_t i = 0; i < of->kernel.count && pointers > of->operation->operand_count; i++)
        for (size_t j = 0; j < of->operation->operand_count; j++)
            if (of->kernel.parameters[i].kind == PLX_PARAMETER_POINTER && of->operand_of[i] == PLX_DRAFT_NOTHING &&
                is_free(of, j) && is_usual(of->kernel.parameters[i].name, of->habit->operands[j]))
                of->operand_of[i] = j;
    for (size_t i = 0; i < of->kernel.count; i++)
        for (size_t j = 0; j < of->operation->operand_count; j++)
            if (of->kernel.parameters[i].kind == PLX_PARAMETER_POINTER && of->operand_of[i] == PLX_DRAFT_NOTHING &&
                is_free(of, j))
                of->operand_of[i] = j;
}

plx_status plx_draft_read_pointers(plx_draft *of, const char *path, plx_error *error)
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

size_t plx_draft_number(const plx_draft *of, const char *name)
{
    for (size_t i = 0; i < PLX_DRAFT_SIZES && of->habit->numbers[i].is != NULL; i++)
        if (is_usual(name, of->habit->numbers[i].names))
            return i;
    return PLX_DRAFT_NOTHING;
}

bool plx_draft_has_type(const plx_draft *of, const char *word)
{
    for (size_t i = 0; i < of->kernel.template_count; i++)
        if (of->kernel.of_template[i].is_type && strcmp(of->kernel.of_template[i].name, word) == 0)
            return true;
    return false;
}

bool plx_draft_element_type(const plx_draft *of, size_t parameter, plx_dtype *dtype)
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

size_t plx_draft_parameter(const plx_draft *of, size_t operand)
{
    for (size_t i = 0; i < of->kernel.count; i++)
        if (of->kernel.parameters[i].kind == PLX_PARAMETER_POINTER && of->operand_of[i] == operand)
            return i;
    return 0;
}
