/* Counts instructions by what they do, in PTX and in disassembled machine code: all of an entry point's,
 * and those of its largest innermost loop. */
#include "backends/cuda/listing.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* What begins so belongs to the class; the first that fits counts. */
typedef struct prefix {
    const char *begins;
    plx_instruction class;
} prefix;

/* ---- PTX ------------------------------------------------------------------- */

static const prefix ptx_prefixes[] = {
    {"fma.", PLX_INSTRUCTION_FMA},
    {"mma.", PLX_INSTRUCTION_FMA},
    {"wgmma.mma", PLX_INSTRUCTION_FMA},
    {"ld.shared", PLX_INSTRUCTION_SHARED_LOAD},
    {"ldmatrix", PLX_INSTRUCTION_SHARED_LOAD},
    {"ld.volatile.shared", PLX_INSTRUCTION_SHARED_LOAD},
    {"st.shared", PLX_INSTRUCTION_SHARED_STORE},
    {"st.volatile.shared", PLX_INSTRUCTION_SHARED_STORE},
    {"ld.param", PLX_INSTRUCTION_OTHER},
    {"st.param", PLX_INSTRUCTION_OTHER},
    {"ld.const", PLX_INSTRUCTION_OTHER},
    {"ld.local", PLX_INSTRUCTION_LOCAL},
    {"st.local", PLX_INSTRUCTION_LOCAL},
    {"ld.", PLX_INSTRUCTION_GLOBAL_LOAD},
    {"st.", PLX_INSTRUCTION_GLOBAL_STORE},
    {"cp.async", PLX_INSTRUCTION_COPY},
    {"bar.", PLX_INSTRUCTION_BARRIER},
    {"barrier", PLX_INSTRUCTION_BARRIER},
    {"mbarrier", PLX_INSTRUCTION_BARRIER},
    {"setp", PLX_INSTRUCTION_PREDICATE},
    {"set.", PLX_INSTRUCTION_PREDICATE},
    {"selp", PLX_INSTRUCTION_PREDICATE},
    {"bra", PLX_INSTRUCTION_BRANCH},
    {"ret", PLX_INSTRUCTION_BRANCH},
    {"exit", PLX_INSTRUCTION_BRANCH},
    {"call", PLX_INSTRUCTION_BRANCH},
};

/* Of arithmetic the type decides. */
static const char *const ptx_arithmetic[] = {"add", "sub",  "mul", "mad",  "div",  "rem", "neg", "abs",  "min",
                                             "max", "shl",  "shr", "and",  "or",   "xor", "not", "cvt",  "bfe",
                                             "bfi", "lop3", "shf", "prmt", "popc", "clz", "rcp", "sqrt", "cvta"};

static bool is_word(const char *opcode, const char *word)
{
    const size_t length = strlen(word);
    return strncmp(opcode, word, length) == 0 && (opcode[length] == '.' || opcode[length] == '\0');
}

static plx_instruction class_of_ptx(const char *opcode)
{
    for (size_t i = 0; i < sizeof ptx_prefixes / sizeof ptx_prefixes[0]; i++)
        if (strncmp(opcode, ptx_prefixes[i].begins, strlen(ptx_prefixes[i].begins)) == 0)
            return ptx_prefixes[i].class;
    for (size_t i = 0; i < sizeof ptx_arithmetic / sizeof ptx_arithmetic[0]; i++)
        if (is_word(opcode, ptx_arithmetic[i]))
            return strstr(opcode, ".pred") != NULL                                   ? PLX_INSTRUCTION_PREDICATE
                   : strstr(opcode, ".f") != NULL || strstr(opcode, ".bf16") != NULL ? PLX_INSTRUCTION_FLOAT
                                                                                     : PLX_INSTRUCTION_ADDRESS;
    return PLX_INSTRUCTION_OTHER;
}

/* ---- machine code --------------------------------------------------------------- */

static const prefix sass_prefixes[] = {
    {"FFMA", PLX_INSTRUCTION_FMA},         {"DFMA", PLX_INSTRUCTION_FMA},         {"HFMA2.MMA", PLX_INSTRUCTION_OTHER},
    {"HFMA2", PLX_INSTRUCTION_FMA},        {"HMMA", PLX_INSTRUCTION_FMA},         {"DMMA", PLX_INSTRUCTION_FMA},
    {"HGMMA", PLX_INSTRUCTION_FMA},        {"LDSM", PLX_INSTRUCTION_SHARED_LOAD}, {"LDS", PLX_INSTRUCTION_SHARED_LOAD},
    {"STS", PLX_INSTRUCTION_SHARED_STORE}, {"LDGSTS", PLX_INSTRUCTION_COPY},      {"UBLKCP", PLX_INSTRUCTION_COPY},
    {"UTMALDG", PLX_INSTRUCTION_COPY},     {"LDGDEPBAR", PLX_INSTRUCTION_OTHER},  {"LDG", PLX_INSTRUCTION_GLOBAL_LOAD},
    {"STG", PLX_INSTRUCTION_GLOBAL_STORE}, {"LDL", PLX_INSTRUCTION_LOCAL},        {"STL", PLX_INSTRUCTION_LOCAL},
    {"LD.", PLX_INSTRUCTION_GLOBAL_LOAD},  {"ST.", PLX_INSTRUCTION_GLOBAL_STORE}, {"BAR", PLX_INSTRUCTION_BARRIER},
    {"SYNCS", PLX_INSTRUCTION_BARRIER},    {"ISETP", PLX_INSTRUCTION_PREDICATE},  {"FSETP", PLX_INSTRUCTION_PREDICATE},
    {"DSETP", PLX_INSTRUCTION_PREDICATE},  {"UISETP", PLX_INSTRUCTION_PREDICATE}, {"PLOP3", PLX_INSTRUCTION_PREDICATE},
    {"UPLOP3", PLX_INSTRUCTION_PREDICATE}, {"P2R", PLX_INSTRUCTION_PREDICATE},    {"R2P", PLX_INSTRUCTION_PREDICATE},
    {"SEL", PLX_INSTRUCTION_PREDICATE},    {"USEL", PLX_INSTRUCTION_PREDICATE},   {"FSEL", PLX_INSTRUCTION_PREDICATE},
    {"IMAD.MOV", PLX_INSTRUCTION_OTHER},   {"IMAD", PLX_INSTRUCTION_ADDRESS},     {"UIMAD", PLX_INSTRUCTION_ADDRESS},
    {"IADD", PLX_INSTRUCTION_ADDRESS},     {"UIADD", PLX_INSTRUCTION_ADDRESS},    {"VIADD", PLX_INSTRUCTION_ADDRESS},
    {"LEA", PLX_INSTRUCTION_ADDRESS},      {"ULEA", PLX_INSTRUCTION_ADDRESS},     {"SHF", PLX_INSTRUCTION_ADDRESS},
    {"USHF", PLX_INSTRUCTION_ADDRESS},     {"LOP3", PLX_INSTRUCTION_ADDRESS},     {"ULOP3", PLX_INSTRUCTION_ADDRESS},
    {"IABS", PLX_INSTRUCTION_ADDRESS},     {"IMNMX", PLX_INSTRUCTION_ADDRESS},    {"VIMNMX", PLX_INSTRUCTION_ADDRESS},
    {"PRMT", PLX_INSTRUCTION_ADDRESS},     {"BRA", PLX_INSTRUCTION_BRANCH},       {"BRX", PLX_INSTRUCTION_BRANCH},
    {"EXIT", PLX_INSTRUCTION_BRANCH},      {"CALL", PLX_INSTRUCTION_BRANCH},      {"RET", PLX_INSTRUCTION_BRANCH},
    {"BSSY", PLX_INSTRUCTION_BRANCH},      {"BSYNC", PLX_INSTRUCTION_BRANCH},     {"FADD", PLX_INSTRUCTION_FLOAT},
    {"FMUL", PLX_INSTRUCTION_FLOAT},       {"FMNMX", PLX_INSTRUCTION_FLOAT},      {"DADD", PLX_INSTRUCTION_FLOAT},
    {"DMUL", PLX_INSTRUCTION_FLOAT},       {"HADD2", PLX_INSTRUCTION_FLOAT},      {"HMUL2", PLX_INSTRUCTION_FLOAT},
    {"MUFU", PLX_INSTRUCTION_FLOAT},
};

static plx_instruction class_of_sass(const char *opcode)
{
    for (size_t i = 0; i < sizeof sass_prefixes / sizeof sass_prefixes[0]; i++)
        if (strncmp(opcode, sass_prefixes[i].begins, strlen(sass_prefixes[i].begins)) == 0)
            return sass_prefixes[i].class;
    return PLX_INSTRUCTION_OTHER;
}

/* ---- a function as a list ----------------------------------------------------------- */

enum { NAME = 64 };

typedef struct place {
    char name[NAME]; /* of a label, or an address in hexadecimal */
    size_t at;       /* the instruction that follows */
} place;

typedef struct jump {
    char to[NAME];
    size_t from;
} jump;

typedef struct function {
    plx_cuda_listing kind;
    unsigned char *classes;
    place *labels;
    jump *jumps;
    size_t count, label_count, jump_count, capacity;
    bool failed;
} function;

/* One more of each always fits. */
static bool make_room(function *f)
{
    const size_t most = f->count > f->label_count ? f->count : f->label_count;
    if (f->failed || most < f->capacity)
        return !f->failed;
    const size_t wanted = f->capacity == 0 ? 256 : 2 * f->capacity;
    unsigned char *classes = realloc(f->classes, wanted);
    f->classes = classes != NULL ? classes : f->classes;
    place *labels = realloc(f->labels, wanted * sizeof *labels);
    f->labels = labels != NULL ? labels : f->labels;
    jump *jumps = realloc(f->jumps, wanted * sizeof *jumps);
    f->jumps = jumps != NULL ? jumps : f->jumps;
    f->failed = classes == NULL || labels == NULL || jumps == NULL;
    f->capacity = f->failed ? f->capacity : wanted;
    return !f->failed;
}

static void copy_name(char *to, const char *from, size_t length)
{
    length = length < NAME - 1 ? length : NAME - 1;
    memcpy(to, from, length);
    to[length] = '\0';
}

static void add_label(function *f, const char *name, size_t length)
{
    if (!make_room(f))
        return;
    copy_name(f->labels[f->label_count].name, name, length);
    f->labels[f->label_count++].at = f->count;
}

/* Where a branch goes: "$L__BB0_2", "`(.L_x_1)", "0x230". */
static void add_jump(function *f, const char *operands)
{
    operands += strspn(operands, " \t`(");
    if (f->kind == PLX_CUDA_SASS && strncmp(operands, "0x", 2) == 0)
        operands += 2;
    copy_name(f->jumps[f->jump_count].to, operands, strcspn(operands, " \t;),`"));
    f->jumps[f->jump_count++].from = f->count;
}

/* One instruction, at its predicate or its opcode. */
static void add_instruction(function *f, const char *text)
{
    char opcode[NAME];
    if (*text == '@')
        text += strcspn(text, " \t");
    text += strspn(text, " \t");
    const size_t length = strcspn(text, " \t;\r\n");
    copy_name(opcode, text, length);
    if (opcode[0] == '\0' || strcmp(opcode, "NOP") == 0 || !make_room(f))
        return;
    const plx_instruction class = f->kind == PLX_CUDA_PTX ? class_of_ptx(opcode) : class_of_sass(opcode);
    if (strncmp(opcode, f->kind == PLX_CUDA_PTX ? "bra" : "BRA", 3) == 0)
        add_jump(f, text + length);
    f->classes[f->count++] = (unsigned char)class;
}

/* ---- lines --------------------------------------------------------------------- */

static void read_ptx_statement(function *f, char *statement)
{
    statement += strspn(statement, " \t{}\r\n");
    const size_t label = strcspn(statement, ": \t;");
    if (statement[label] == ':' && statement[label + 1] != ':') {
        add_label(f, statement, label);
        read_ptx_statement(f, statement + label + 1);
    } else if (*statement == '@' || isalpha((unsigned char)*statement)) {
        add_instruction(f, statement);
    }
}

/* Inline assembly may have several statements in a line. */
static void read_ptx_line(function *f, char *line)
{
    char *comment = strstr(line, "//");
    if (comment != NULL)
        *comment = '\0';
    for (char *end; (end = strchr(line, ';')) != NULL; line = end + 1) {
        *end = '\0';
        read_ptx_statement(f, line);
    }
    read_ptx_statement(f, line);
}

/* An address in a comment, then "@P0 BRA 0x230 ;"; labels are lines of their own. */
static void read_sass_line(function *f, char *line)
{
    line += strspn(line, " \t");
    const size_t label = strcspn(line, ": \t");
    if (line[0] == '.' && line[label] == ':') {
        add_label(f, line, label);
        return;
    }
    if (strncmp(line, "/*", 2) != 0)
        return;
    char *end = strstr(line, "*/");
    if (end == NULL || strchr(end, ';') == NULL)
        return; /* the second half of an encoding */
    const char *address = line + 2 + strspn(line + 2, "0");
    add_label(f, address, (size_t)(end - address));
    end += 2;
    end += strspn(end, " \t{");
    add_instruction(f, end);
}

/* ---- where a function begins and ends ------------------------------------------------ */

static bool is_name(const char *at, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(at, name, length) == 0 && strchr("( \t\r\n:", at[length]) != NULL;
}

static bool begins_function(const char *line, plx_cuda_listing kind, const char *name, bool *any)
{
    static const char *const words[2][2] = {{".entry ", ".func "}, {"Function : ", ".text."}};
    *any = false;
    for (int i = 0; i < 2; i++) {
        const char *word = strstr(line, words[kind][i]);
        if (word == NULL || (kind == PLX_CUDA_SASS && i == 1 && (word != line || strchr(line, ':') == NULL)))
            continue;
        *any = true;
        if (is_name(word + strlen(words[kind][i]), name))
            return true;
    }
    return false;
}

/* ---- loops ------------------------------------------------------------------------ */

typedef struct loop {
    size_t first, last;
} loop;

static bool find_label(const function *f, const char *name, size_t *at)
{
    for (size_t i = 0; i < f->label_count; i++)
        if (strcmp(f->labels[i].name, name) == 0) {
            *at = f->labels[i].at;
            return true;
        }
    return false;
}

/* Every jump back over at least one instruction; at the end of machine code stands one to itself. */
static size_t list_loops(const function *f, loop *loops)
{
    size_t count = 0;
    for (size_t i = 0; i < f->jump_count; i++) {
        loop this = {.last = f->jumps[i].from};
        if (find_label(f, f->jumps[i].to, &this.first) && this.first < this.last)
            loops[count++] = this;
    }
    return count;
}

static bool is_innermost(const loop *loops, size_t count, const loop *this)
{
    for (size_t i = 0; i < count; i++)
        if (loops[i].first >= this->first && loops[i].last <= this->last &&
            (loops[i].first != this->first || loops[i].last != this->last))
            return false;
    return true;
}

static void count_range(const function *f, loop range, plx_instruction_counts *counts)
{
    *counts = (plx_instruction_counts){.all = 0};
    for (size_t i = range.first; i <= range.last; i++) {
        counts->of[f->classes[i]]++;
        counts->all++;
    }
}

static void count_largest_loop(const function *f, plx_instruction_counts *counts)
{
    loop *loops = calloc(f->jump_count + 1, sizeof *loops);
    const size_t count = loops != NULL ? list_loops(f, loops) : 0;
    const loop *largest = NULL;
    for (size_t i = 0; i < count; i++)
        if (is_innermost(loops, count, &loops[i]) &&
            (largest == NULL || loops[i].last - loops[i].first > largest->last - largest->first))
            largest = &loops[i];
    if (largest != NULL)
        count_range(f, *largest, counts);
    free(loops);
}

/* ---- all of it ---------------------------------------------------------------------- */

static bool read_function(function *f, char *text, const char *name)
{
    bool inside = false, any, seen = false;
    for (char *line = text, *next; *line != '\0' && !f->failed; line = next) {
        next = line + strcspn(line, "\n");
        if (*next == '\n')
            *next++ = '\0';
        const bool begins = begins_function(line, f->kind, name, &any);
        if (any && seen)
            break; /* the code for another architecture may follow, with the same names */
        if (any) {
            inside = seen = begins;
        } else if (inside && f->kind == PLX_CUDA_PTX) {
            read_ptx_line(f, line);
        } else if (inside) {
            read_sass_line(f, line);
        }
    }
    return seen && !f->failed;
}

bool plx_cuda_listing_count(const char *text, plx_cuda_listing kind, plx_instructions *found)
{
    function f = {.kind = kind};
    char *copy = malloc(strlen(text) + 1);
    if (copy == NULL)
        return false;
    memcpy(copy, text, strlen(text) + 1);
    const bool read = read_function(&f, copy, found->entry);
    found->whole = found->loop = (plx_instruction_counts){.all = 0};
    if (read && f.count > 0) {
        count_range(&f, (loop){0, f.count - 1}, &found->whole);
        count_largest_loop(&f, &found->loop);
    }
    free(f.classes);
    free(f.labels);
    free(f.jumps);
    free(copy);
    return read;
}
