/* Recipes, good and bad ones, from tables: each row is one recipe.  The good ones give the launches that the row says
 * for a problem of their operation; the bad ones are refused in one line, which has the row's words.  RECIPES=DIR in
 * the environment writes them there, for the schema's test. */
#define _XOPEN_SOURCE 700

#include <parallax/tool.h>
#include <parallax/recipe.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT_OF(list) (sizeof(list) / sizeof(list)[0])
#define ONE "\"grid\":[1],\"block\":[32]"
#define ARGS(list) ONE ",\"args\":[" list "]"
#define GRID(text) "\"grid\":[\"" text "\"],\"block\":[32]"

/* ---- good ones --------------------------------------------------------------------------------------- */

typedef struct good {
    const char *op;
    const char *top;    /* members of the recipe, but for launches */
    const char *launch; /* members of the launch, but for its entry; NULL: whatever */
    const char *shows;  /* part of the text */
} good;

static const good goods[] = {
    /* operations, names, APIs */
    {"gemm", "", NULL, "gemm f32 64x96x128 nn\n"},
    {"matvec", "", NULL, "matvec f32 100x200 n\n"},
    {"transpose", "", NULL, "transpose f32 30x50\n"},
    {"reduce", "", NULL, "reduce f32 1000 sum\n"},
    {"gemm", "\"name\":\"a\"", NULL, "a, for H100 SXM"},
    {"gemm", "\"name\":\"my-kernel_1.5\"", NULL, "my-kernel_1.5, for"},
    {"reduce", "\"name\":\"0\"", NULL, "0, for"},
    {"gemm", "\"api\":\"cuda\"", NULL, "1 of 1 problem taken"},
    {"gemm", "\"api\":\"opencl\"", NULL, "1 of 1 problem taken"},
    {"gemm", "\"x_note\":[1,{\"a\":null}]", NULL, "1 of 1 problem taken"},
    {"gemm", "\"problem\":{\"x_\":1}", NULL, "1 of 1 problem taken"},
    {"gemm",
     "\"device\":{},\"claims\":{},\"compile\":{},\"tune\":{},\"let\":{},\"scratch\":{},\"globals\":{},\"maps\":{},"
     "\"problem\":{}",
     NULL, "1 of 1 problem taken"},
    /* what is taken */
    {"gemm", "\"problem\":{\"dtype\":[\"f32\"]}", NULL, "1 of 1"},
    {"gemm", "\"problem\":{\"dtype\":[\"f16\",\"f32\"]}", NULL, "1 of 1"},
    {"gemm", "\"problem\":{\"dtype\":[\"f64\"]}", NULL, "problem.dtype: f32 is not among them"},
    {"reduce", "\"problem\":{\"dtype\":[\"i32\",\"i64\"]}", NULL, "problem.dtype: f32"},
    {"transpose", "\"problem\":{\"dtype\":[\"c64\",\"c128\",\"f32\"]}", NULL, "1 of 1"},
    {"matvec", "\"problem\":{\"dtype\":[\"bf16\"]}", NULL, "0 of 1 problem taken; not taken:"},
    {"gemm", "\"problem\":{\"compute\":[\"plain\"]}", NULL, "1 of 1"},
    {"gemm", "\"problem\":{\"compute\":[\"tf32\"]}", NULL, "problem.compute: plain is not among them"},
    {"gemm", "\"problem\":{\"compute\":[\"f16x3\",\"bf16x6\",\"plain\"]}", NULL, "1 of 1"},
    {"gemm", "\"problem\":{\"out_dtype\":[\"same\"]}", NULL, "1 of 1"},
    {"gemm", "\"problem\":{\"out_dtype\":[\"f32\"]}", NULL, "1 of 1"},
    {"gemm", "\"problem\":{\"out_dtype\":[\"f16\"]}", NULL, "problem.out_dtype: f32 is not among them"},
    {"gemm", "\"problem\":{\"out_dtype\":[\"f16\",\"same\"]}", NULL, "1 of 1"},
    {"reduce", "\"problem\":{\"reduce\":[\"sum\"]}", NULL, "1 of 1"},
    {"reduce", "\"problem\":{\"reduce\":[\"min\",\"max\"]}", NULL, "problem.reduce: sum is not among them"},
    {"gemm", "\"problem\":{\"trans\":[\"nn\",\"nt\",\"tn\",\"tt\"]}", NULL, "1 of 1"},
    {"gemm", "\"problem\":{\"trans\":[\"tt\"]}", NULL, "problem.trans: nn is not among them"},
    {"matvec", "\"problem\":{\"trans\":[\"n\",\"t\"]}", NULL, "1 of 1"},
    {"matvec", "\"problem\":{\"trans\":[\"t\"]}", NULL, "problem.trans: n is not"},
    {"gemm", "\"problem\":{\"where\":[]}", NULL, "1 of 1"},
    {"gemm", "\"problem\":{\"where\":[\"m % 64 == 0\",\"k >= 128\"]}", NULL, "1 of 1"},
    {"gemm", "\"problem\":{\"where\":[\"m % 64 == 0\",\"n % 64 == 0\"]}", NULL,
     "problem.where: n % 64 == 0 does not hold"},
    {"gemm", "\"problem\":{\"where\":[\"alpha == 1\",\"beta == 0\"]}", NULL, "1 of 1"},
    {"gemm", "\"problem\":{\"where\":[\"beta != 0\"]}", NULL, "beta != 0 does not hold"},
    {"gemm", "\"problem\":{\"where\":[\"lda == k && ldb == n && ldc == n\"]}", NULL, "1 of 1"},
    {"matvec", "\"problem\":{\"where\":[\"!trans\"]}", NULL, "1 of 1"},
    {"gemm", "\"problem\":{\"where\":[\"trans_a || trans_b\"]}", NULL, "does not hold"},
    {"gemm", "\"problem\":{\"align\":{\"A\":16,\"B\":1,\"C\":256}}", NULL, "1 of 1"},
    {"reduce", "\"problem\":{\"align\":{\"x\":4,\"result\":8}}", NULL, "1 of 1"},
    {"transpose", "\"problem\":{\"align\":{\"in\":32,\"out\":64}}", NULL, "1 of 1"},
    {"matvec", "\"problem\":{\"align\":{\"x\":2,\"y\":128}}", NULL, "1 of 1"},
    {"gemm", "\"device\":{\"where\":[\"cc == 90\"]}", NULL, "1 of 1"},
    {"gemm", "\"device\":{\"where\":[\"cc >= 100\"]}", NULL, "device.where: cc >= 100 does not hold"},
    {"gemm", "\"device\":{\"where\":[\"sms == 132 && warp == 32 && shared_max == 232448 && l2 == 52428800\"]}", NULL,
     "1 of 1"},
    {"gemm", "\"device\":{\"target\":\"sm_90a\"}", NULL, "1 of 1"},
    /* claims */
    {"gemm", "\"claims\":{\"accumulator\":\"f16\"}", NULL, "kept in f16"},
    {"gemm", "\"claims\":{\"accumulator\":\"f32\"}", NULL, "kept in f32"},
    {"gemm", "\"claims\":{\"accumulator\":\"f64\"}", NULL, "kept in f64"},
    {"gemm", "\"claims\":{\"depth\":7}", NULL, "at most 7 roundings"},
    {"gemm", "\"claims\":{\"depth\":\"log2(k) + 3\"}", NULL, "at most 10 roundings"},
    {"gemm", "\"tune\":{\"T1\":[3]},\"let\":{\"d\":\"T1 * 2\"},\"claims\":{\"depth\":\"d\"}", NULL,
     "at most 6 roundings"},
    {"gemm", "\"claims\":{\"reproducibility\":\"R0\"}", NULL, ", R0"},
    {"gemm", "\"claims\":{\"reproducibility\":\"R1\"}", NULL, ", R1"},
    {"gemm", "\"claims\":{\"reproducibility\":\"R2\"}", NULL, ", R2"},
    {"gemm", "\"claims\":{\"special\":\"ieee\"}", NULL, "sums in any order"},
    {"gemm", "\"claims\":{\"special\":\"finite\"}", NULL, "finite numbers only"},
    {"gemm", "\"claims\":{\"zeros\":\"exact\"}", NULL, "1 of 1"},
    {"gemm", "\"claims\":{\"zeros\":\"any_sign\"}", NULL, "zeros of any sign"},
    {"gemm", "\"claims\":{\"subnormals\":\"flushed\"}", NULL, "subnormals flushed"},
    /* how it is compiled */
    {"gemm", "\"compile\":{\"std\":\"c++17\"}", NULL, "c++17"},
    {"gemm", "\"compile\":{\"std\":\"CL1.2\"}", NULL, "CL1.2"},
    {"gemm", "\"compile\":{\"define\":{\"N\":4,\"M\":\"m / 2\",\"E\":\"esize\"}}", NULL, "-DN=4 -DM=32 -DE=4"},
    {"gemm", "\"compile\":{\"define\":{\"M\":-1}}", NULL, "-DM=-1"},
    {"gemm", "\"compile\":{\"include\":[\".\",\"a/b\",\"a..b\"]}", NULL, "1 of 1"},
    {"gemm", "\"compile\":{\"options\":[\"--use_fast_math\",\"-lineinfo\",\"--fmad=false\",\"-ftz=true\"]}", NULL,
     "--use_fast_math -lineinfo --fmad=false -ftz=true"},
    {"gemm", "\"compile\":{\"options\":[\"-cl-fast-relaxed-math\",\"-cl-mad-enable\",\"-w\"]}", NULL, "-cl-mad-enable"},
    {"gemm", "\"compile\":{\"max_registers\":128}", NULL, "at most 128 registers"},
    {"gemm", "\"compile\":{\"max_registers\":\"min(255, 65536 / 512)\"}", NULL, "at most 128 registers"},
    {"gemm", "\"compile\":{\"instances\":[\"f<float>\",\"f<double>\"]}", NULL, "1 of 1"},
    /* tunables and let */
    {"gemm", "\"tune\":{\"TILE\":[64,32]}", GRID("TILE"), "grid 64x1x1"},
    {"gemm", "\"tune\":{\"TILE\":[64,32]},\"tune_where\":[\"TILE < 64\"]", GRID("TILE"), "TILE = 32"},
    {"gemm", "\"tune\":{\"P\":[1,2],\"Q\":[1,2,3]},\"tune_where\":[\"P * Q == 6\"]", GRID("P * 10 + Q"), "grid 23x1x1"},
    {"gemm", "\"tune\":{\"P\":[1]},\"tune_where\":[\"P == 2\"]", NULL, "tune_where: P == 2 does not hold"},
    {"gemm", "\"tune\":{\"P\":[0,-5]}", GRID("P + 1"), "P = 0"},
    {"gemm",
     "\"tune\":{\"N_\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,"
     "35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63,64]},\"tune_where\":[\"N_ "
     "> 63\"]",
     GRID("N_"), "grid 64x1x1"},
    {"gemm", "\"let\":{\"a\":3,\"b\":\"a * a\",\"c\":\"a + b\"}", GRID("c"), "a = 3, b = 9, c = 12"},
    {"gemm", "\"let\":{\"_\":\"m\"}", GRID("_"), "grid 64x1x1"},
    {"gemm", "\"let\":{\"minus\":\"-4\"}", NULL, "minus = -4"},
    {"reduce", "\"let\":{\"m\":\"n\"}", GRID("m"), "grid 1000x1x1"},
    {"reduce", "\"let\":{\"rows\":\"1\",\"lda\":2}", NULL, "rows = 1, lda = 2"},
    /* scratch memory */
    {"gemm", "\"scratch\":{\"s\":{\"bytes\":64}}", ARGS("{\"scratch\":\"s\"}"),
     "s: 64 bytes at multiples of 256, filled with garbage"},
    {"gemm", "\"scratch\":{\"s\":{\"bytes\":\"4 * m * n\",\"align\":16,\"before\":\"zero_each\"}}", NULL,
     "s: 24576 bytes at multiples of 16, cleared before each call"},
    {"gemm", "\"scratch\":{\"s\":{\"bytes\":0,\"before\":\"zero_once\",\"align\":1024}}", NULL,
     "s: 0 bytes at multiples of 1024, zero at first"},
    {"gemm", "\"scratch\":{\"m\":{\"bytes\":1}}", ARGS("{\"scratch\":\"m\",\"offset\":16}"), "scratch m + 16 bytes"},
    {"gemm",
     "\"scratch\":{\"a\":{\"bytes\":1},\"b\":{\"bytes\":1},\"c\":{\"bytes\":1},\"d\":{\"bytes\":1},\"e\":{\"bytes\":1},"
     "\"f\":{\"bytes\":1},\"g\":{\"bytes\":1},\"h\":{\"bytes\":1}}",
     NULL, "h: 1 bytes"},
    {"gemm", "\"globals\":{\"table\":\"constant\"}", NULL, "1 of 1"},
    {"gemm", "\"globals\":{\"_ZN1a1bE\":\"zero_once\",\"c\":\"scratch\"}", NULL, "1 of 1"},
    /* maps */
    {"gemm",
     "\"maps\":{\"a\":{\"of\":\"A\",\"size\":[\"k\",\"m\"],\"stride\":[\"lda * "
     "esize\"],\"box\":[32,64],\"swizzle\":128}}",
     ARGS("{\"map\":\"a\"}"), "a: A, 4 bytes each, size 128 x 64, stride 512, box 32 x 64, swizzle 128"},
    {"gemm", "\"maps\":{\"a\":{\"of\":\"A\",\"size\":[\"m * k\"],\"box\":[256]}}",
     ARGS("{\"map\":\"a\",\"by\":\"pointer\"}"), "map a, by a pointer"},
    {"gemm",
     "\"maps\":{\"a\":{\"of\":\"C\",\"dtype\":\"out_dtype\",\"size\":[\"n\",\"m\"],\"stride\":[\"ldc * "
     "osize\"],\"box\":[8,8]}}",
     NULL, "C, 4 bytes each"},
    {"gemm",
     "\"maps\":{\"a\":{\"of\":\"A\",\"dtype\":\"tf32\",\"size\":[16,1],\"stride\":[64],\"box\":[8,1],\"swizzle\":32}}",
     NULL, "swizzle 32"},
    {"gemm",
     "\"scratch\":{\"s\":{\"bytes\":4096}},\"maps\":{\"a\":{\"of_scratch\":\"s\",\"dtype\":\"u8\",\"offset\":128,"
     "\"size\":[64,8],\"stride\":[64],\"box\":[64,8],\"swizzle\":64}}",
     NULL, "s, 1 bytes each"},
    {"gemm", "\"maps\":{\"a\":{\"of\":\"A\",\"size\":[4,4,4],\"stride\":[16,64],\"box\":[4,2,1],\"step\":[1,1,2]}}",
     NULL, "size 4 x 4 x 4, stride 16 x 64, box 4 x 2 x 1"},
    {"gemm",
     "\"maps\":{\"a\":{\"of\":\"A\",\"size\":[4,4,4,2],\"stride\":[16,64,256],\"box\":[4,2,1,1],\"fill\":\"nan\","
     "\"l2\":256}}",
     NULL, "box 4 x 2 x 1 x 1"},
    {"gemm",
     "\"maps\":{\"a\":{\"of\":\"A\",\"size\":[4,4,4,2,1],\"stride\":[16,64,256,512],\"box\":[4,2,1,1,1],\"fill\":"
     "\"zero\",\"l2\":0}}",
     NULL, "size 4 x 4 x 4 x 2 x 1"},
    {"gemm", "\"maps\":{\"a\":{\"of\":\"A\",\"size\":[8,4,4],\"stride\":[32,128],\"box\":[8,2,1],\"interleave\":16}}",
     NULL, "1 of 1"},
    {"gemm",
     "\"maps\":{\"a\":{\"of\":\"A\",\"size\":[8,4,4],\"stride\":[32,128],\"box\":[8,2,1],\"interleave\":32,\"swizzle\":"
     "32}}",
     NULL, "1 of 1"},
    {"gemm", "\"maps\":{\"a\":{\"of\":\"A\",\"dtype\":\"u16\",\"size\":[8],\"box\":[8]}}", NULL, "2 bytes each"},
    {"gemm", "\"maps\":{\"a\":{\"of\":\"A\",\"dtype\":\"u32\",\"size\":[8],\"box\":[8]}}", NULL, "4 bytes each"},
    {"gemm", "\"maps\":{\"a\":{\"of\":\"A\",\"dtype\":\"i32\",\"size\":[8],\"box\":[8]}}", NULL, "4 bytes each"},
    {"gemm", "\"maps\":{\"a\":{\"of\":\"A\",\"dtype\":\"u64\",\"size\":[8],\"box\":[8]}}", NULL, "8 bytes each"},
    {"gemm", "\"maps\":{\"a\":{\"of\":\"A\",\"dtype\":\"i64\",\"size\":[8],\"box\":[8]}}", NULL, "8 bytes each"},
    {"gemm", "\"maps\":{\"a\":{\"of\":\"A\",\"dtype\":\"f16\",\"size\":[8],\"box\":[8]}}", NULL, "2 bytes each"},
    {"gemm", "\"maps\":{\"a\":{\"of\":\"A\",\"dtype\":\"bf16\",\"size\":[8],\"box\":[8]}}", NULL, "2 bytes each"},
    {"gemm", "\"maps\":{\"a\":{\"of\":\"A\",\"dtype\":\"f64\",\"size\":[8],\"box\":[8]}}", NULL, "8 bytes each"},
    {"gemm", "\"maps\":{\"a\":{\"of\":\"A\",\"dtype\":\"f32\",\"size\":[8],\"box\":[8]}}", NULL, "4 bytes each"},
    {"gemm", "\"maps\":{\"a\":{\"of\":\"B\",\"dtype\":\"dtype\",\"size\":[\"n\"],\"box\":[\"m\"]}}", NULL,
     "size 96, box 64"},
    /* launches */
    {"gemm", "", "\"grid\":[2,3,4],\"block\":[8,4,2]", "grid 2x3x4, block 8x4x2"},
    {"gemm", "", "\"grid\":[2147483647],\"block\":[1024]", "grid 2147483647x1x1, block 1024x1x1"},
    {"gemm", "", "\"grid\":[1,65535,65535],\"block\":[1,1,64]", "grid 1x65535x65535, block 1x1x64"},
    {"gemm", "", ONE ",\"when\":\"m > 64\"", "left out: m > 64 does not hold"},
    {"gemm", "", ONE ",\"when\":\"1\"", "grid 1x1x1"},
    {"gemm", "", "\"grid\":[\"m - 64\"],\"block\":[1],\"when\":\"m > 64\"", "left out"},
    {"gemm", "", "\"grid\":[4,2],\"block\":[32],\"cluster\":[2,2]", "cluster 2x2x1"},
    {"gemm", "", "\"grid\":[16],\"block\":[32],\"cluster\":[16]", "cluster 16x1x1"},
    {"gemm", "", ONE ",\"cluster\":[1]", "cluster 1x1x1"},
    {"gemm", "", ONE ",\"shared\":232448", "232448 bytes of shared memory"},
    {"gemm", "", ONE ",\"shared\":\"2 * 64 * 32 * esize\"", "16384 bytes of shared memory"},
    {"gemm", "", ONE ",\"carveout\":50", "carve-out 50 %"},
    {"gemm", "", ONE ",\"carveout\":0", "carve-out 0 %"},
    {"gemm", "", ONE ",\"cooperative\":true,\"dependent\":false", "cooperative"},
    {"gemm", "", ONE ",\"dependent\":true", "dependent"},
    {"gemm", "", "\"grid\":[\"sms\"],\"block\":[1024],\"cooperative\":true", "grid 132x1x1"},
    {"gemm", "", ONE ",\"x_why\":\"because\"", "1 of 1"},
    /* arguments */
    {"gemm", "", ARGS(""), "block 32x1x1\n"},
    {"gemm", "", ARGS("{\"operand\":\"A\"},{\"operand\":\"B\"},{\"operand\":\"C\"}"), " 3  operand C\n"},
    {"gemm", "", ARGS("{\"operand\":\"A\",\"offset\":\"4 * lda * esize\"}"), "operand A + 2048 bytes"},
    {"matvec", "", ARGS("{\"operand\":\"x\"},{\"operand\":\"y\"}"), "operand y"},
    {"reduce", "", ARGS("{\"operand\":\"result\"}"), "operand result"},
    {"transpose", "", ARGS("{\"operand\":\"in\"},{\"operand\":\"out\"}"), "operand out"},
    {"gemm", "", ARGS("{\"i8\":-128}"), "i8 -128"},
    {"gemm", "", ARGS("{\"i8\":127}"), "i8 127"},
    {"gemm", "", ARGS("{\"i16\":-32768}"), "i16 -32768"},
    {"gemm", "", ARGS("{\"i16\":32767}"), "i16 32767"},
    {"gemm", "", ARGS("{\"i32\":\"m\"}"), "i32 m = 64"},
    {"gemm", "", ARGS("{\"i32\":-2147483648}"), "i32 -2147483648"},
    {"gemm", "", ARGS("{\"i64\":\"m * n\"}"), "i64 m * n = 6144"},
    {"gemm", "", ARGS("{\"i64\":9223372036854775807}"), "i64 9223372036854775807"},
    {"gemm", "", ARGS("{\"u32\":4294967295}"), "u32 4294967295"},
    {"gemm", "", ARGS("{\"u32\":0}"), "u32 0"},
    {"gemm", "", ARGS("{\"u64\":9223372036854775807}"), "u64 9223372036854775807"},
    {"gemm", "", ARGS("{\"f16\":0.5}"), "f16 0.5"},
    {"gemm", "", ARGS("{\"f16\":65504}"), "f16 65504"},
    {"gemm", "", ARGS("{\"bf16\":1e38}"), "bf16 "},
    {"gemm", "", ARGS("{\"f32\":\"alpha\"}"), "f32 alpha = 1"},
    {"gemm", "", ARGS("{\"f32\":\"beta\"}"), "f32 beta = 0"},
    {"gemm", "", ARGS("{\"f64\":-1.5e300}"), "f64 -1.5"},
    {"gemm", "", ARGS("{\"f64\":\"m / 3\"}"), "f64 m / 3 = 21"},
    {"gemm", "", ARGS("{\"f32\":3}"), "f32 3"},
    {"gemm", "", ARGS("{\"f64\":\"alpha\"}"), "f64 alpha = 1"},
    {"gemm", "", ARGS("{\"scalar\":\"alpha\"}"), "scalar alpha = 1"},
    {"gemm", "", ARGS("{\"scalar\":\"beta\",\"by\":\"pointer\"}"), "scalar beta = 0, by a pointer"},
    {"matvec", "", ARGS("{\"scalar\":\"alpha\",\"by\":\"value\"}"), "scalar alpha = 1"},
    {"gemm", "", ARGS("{\"local\":1024}"), "local memory of 1024 bytes"},
    {"gemm", "", ARGS("{\"local\":\"esize\"},{\"local\":1}"), "local memory of 1 bytes"},
    {"gemm", "", ARGS("{\"null\":true}"), " 1  null\n"},
    {"gemm", "", ARGS("{\"i32\":1,\"x_is\":\"a flag\"}"), "i32 1"},
    {"gemm", "", ARGS("{\"struct\":[{\"i32\":1}]}"), "struct of 4 bytes {i32 1}"},
    {"gemm", "", ARGS("{\"struct\":[{\"i8\":1},{\"i64\":2}]}"), "struct of 16 bytes {i8 1; i64 2}"},
    {"gemm", "", ARGS("{\"struct\":[{\"i64\":1},{\"i8\":2}]}"), "struct of 16 bytes"},
    {"gemm", "", ARGS("{\"struct\":[{\"i8\":1},{\"i16\":2},{\"i8\":3}]}"), "struct of 6 bytes"},
    {"gemm", "", ARGS("{\"struct\":[{\"operand\":\"A\"},{\"null\":true},{\"f32\":0.5}],\"align\":64}"),
     "struct of 64 bytes {operand A; null; f32 0.5}"},
    {"gemm", "\"scratch\":{\"s\":{\"bytes\":1}}", ARGS("{\"struct\":[{\"scratch\":\"s\"},{\"scalar\":\"beta\"}]}"),
     "struct of 16 bytes"},
};

/* Expressions as the number of blocks. */
static const struct {
    const char *text;
    int blocks;
} expressions[] = {
    {"1", 1},
    {"m", 64},
    {"n", 96},
    {"k", 128},
    {"lda", 128},
    {"ldb", 96},
    {"ldc", 96},
    {"trans_a + 1", 1},
    {"1 - trans_b", 1},
    {"esize", 4},
    {"osize", 4},
    {"cc", 90},
    {"sms", 132},
    {"warp", 32},
    {"shared_max / 1024", 227},
    {"l2 / 1048576", 50},
    {"ceildiv(m, 48)", 2},
    {"min(m, n)", 64},
    {"max(m, n, k)", 128},
    {"round_up(m, 48)", 96},
    {"pow2ceil(n)", 128},
    {"log2(k)", 7},
    {"gcd(n, k)", 32},
    {"m * n / k", 48},
    {"m % 10", 4},
    {"n - m", 32},
    {"-m + n", 32},
    {"!0", 1},
    {"m == 64", 1},
    {"m != 64 || n", 1},
    {"m <= 64 && n >= 96", 1},
    {"m < n ? 5 : 6", 5},
    {"m > n ? m / 0 : 7", 7},
    {"alpha == 1 ? 8 : 9", 8},
    {"beta == 0 ? 3 : 4", 3},
    {"((((2))))", 2},
    {" 1  + 1 ", 2},
};

/* ---- bad ones ------------------------------------------------------------------------------------------ */

typedef struct bad {
    const char *text;
    const char *why; /* part of the line */
    bool by_form;    /* the schema refuses it as well */
} bad;

#define HEAD "\"parallax_recipe\":1,\"op\":\"gemm\""
#define LAUNCHES(list) "\"launches\":[" list "]"
#define REST "," LAUNCHES("{\"entry\":\"f\"," ONE "}")
#define TOP(text) "{" HEAD "," text REST "}"
#define LAUNCH(text) "{" HEAD "," LAUNCHES("{" text "}") "}"
#define ARG(text) "{" HEAD "," LAUNCHES("{\"entry\":\"f\"," ONE ",\"args\":[" text "]}") "}"
#define MAP(text) TOP("\"maps\":{\"a\":{" text "}}")

static const bad bads[] = {
    /* JSON */
    {"", "the file is empty", true},
    {" ", "not JSON", true},
    {"{", "not JSON", true},
    {"nothing", "not JSON", true},
    {"[]", "no object, as a recipe is one", true},
    {"3", "not JSON", true},
    {"\"text\"", "not JSON", true},
    {"null", "not JSON", true},
    {"{} {}", "not JSON", true},
    {"\xef\xbb\xbf{" HEAD REST "}", "begins with a byte order mark", true},
    {"{\"op\":\"\xff\"}", "not JSON", true},
    {"{\"op\":\"\xc3\x28\"}", "not JSON", true},
    {"{" HEAD ",\"op\":\"gemm\"" REST "}", "not JSON: duplicate object key", false},
    {TOP("\"let\":{\"a\":1,\"a\":2}"), "duplicate object key", false},
    {"{" HEAD REST ",}", "not JSON", true},
    {TOP("\"let\":{\"a\":99999999999999999999}"), "too big integer", false},
    {TOP("\"let\":{\"a\":-99999999999999999999}"), "too big negative integer", false},
    {ARG("{\"f64\":1e400}"), "real number overflow", false},
    {ARG("{\"f64\":NaN}"), "not JSON", true},
    {ARG("{\"f64\":Infinity}"), "not JSON", true},
    {ARG("{\"i32\":0x10}"), "not JSON", true},
    {ARG("{\"i32\":01}"), "not JSON", true},
    {TOP("\"name\":\"a\\u0000b\""), "not JSON", true},
    {TOP("'name':'a'"), "not JSON", true},
    {TOP("// a comment\n\"name\":\"a\""), "not JSON", true},
    /* what must be there */
    {"{}", "`parallax_recipe` is missing", true},
    {"{\"op\":\"gemm\"" REST "}", "`parallax_recipe` is missing", true},
    {"{\"parallax_recipe\":2,\"op\":\"gemm\"" REST "}", "of another version; this program reads 1", true},
    {"{\"parallax_recipe\":\"1\",\"op\":\"gemm\"" REST "}", "of another version", true},
    {"{\"parallax_recipe\":1" REST "}", "`op` is missing", true},
    {"{" HEAD "}", "`launches` is missing", true},
    {"{\"parallax_recipe\":1,\"op\":\"gem\"" REST "}",
     "op: 'gem' is none of reduce, transpose, matvec or gemm; did you mean 'gemm'?", true},
    {"{\"parallax_recipe\":1,\"op\":1" REST "}", "op: a whole number, where a text is expected", true},
    {"{\"parallax_recipe\":1,\"op\":\"probe\"" REST "}", "op: 'probe' is none of", true},
    {"{\"parallax_recipe\":1,\"op\":\"\"" REST "}", "op: an empty text", true},
    /* keys */
    {TOP("\"lets\":{}"), "unknown key 'lets'; did you mean 'let'?", true},
    {TOP("\"problm\":{}"), "did you mean 'problem'?", true},
    {TOP("\"Name\":\"a\""), "did you mean 'name'?", true},
    {TOP("\"zzzzzzzzzz\":1"), "unknown key 'zzzzzzzzzz'", true},
    {TOP("\"\":1"), "unknown key ''", true},
    {TOP("\"problem\":{\"dtypes\":[]}"), "problem: unknown key 'dtypes'; did you mean 'dtype'?", true},
    {TOP("\"device\":{\"arch\":1}"), "device: unknown key 'arch'", true},
    {TOP("\"claims\":{\"deph\":1}"), "claims: unknown key 'deph'; did you mean 'depth'?", true},
    {TOP("\"compile\":{\"defines\":{}}"), "compile: unknown key 'defines'; did you mean 'define'?", true},
    {TOP("\"scratch\":{\"s\":{\"bytes\":1,\"size\":1}}"), "scratch.s: unknown key 'size'", true},
    {LAUNCH("\"entry\":\"f\"," ONE ",\"arg\":[]"), "launches[0]: unknown key 'arg'; did you mean 'args'?", true},
    {LAUNCH("\"entry\":\"f\"," ONE ",\"smem\":1"), "launches[0]: unknown key 'smem'", true},
    {ARG("{\"operand\":\"A\",\"ofset\":1}"), "launches[0].args[0]: unknown key 'ofset' of operand", true},
    {ARG("{\"i32\":1,\"by\":\"value\"}"), "unknown key 'by' of i32", true},
    {ARG("{\"i32\":1,\"offset\":1}"), "unknown key 'offset' of i32", true},
    /* types of values */
    {TOP("\"name\":1"), "name: a whole number, where a text is expected", true},
    {TOP("\"name\":\"\""), "name: an empty text", true},
    {TOP("\"name\":\"a b\""), "name: 'a b' is no name", true},
    {TOP("\"name\":\"-a\""), "no name", true},
    {TOP("\"name\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\""),
     "name: a text of 65 characters; 64 are the most", true},
    {TOP("\"name\":\"a\\n\""), "name: a text with control characters", false},
    {TOP("\"api\":\"hip\""), "api: 'hip' is none of cuda, opencl or host", true},
    {TOP("\"api\":null"), "api: null, where a text is expected", true},
    {TOP("\"problem\":[]"), "problem: a list, where an object is expected", true},
    {TOP("\"problem\":{\"dtype\":\"f32\"}"), "problem.dtype: a text, where a list is expected", true},
    {TOP("\"problem\":{\"dtype\":[]}"), "problem.dtype: 0 items; 1 to 10 are expected", true},
    {TOP("\"problem\":{\"dtype\":[\"float\"]}"), "problem.dtype[0]: 'float' is none of i8, i16,", true},
    {TOP("\"problem\":{\"dtype\":[\"f32\",\"f32\"]}"), "problem.dtype[1]: 'f32' stands twice", true},
    {TOP("\"problem\":{\"dtype\":[\"i32\"]}"), "problem.dtype: gemm does not take i32", false},
    {TOP("\"problem\":{\"compute\":[\"fast\"]}"), "problem.compute[0]: 'fast' is none of plain, tf32", true},
    {TOP("\"problem\":{\"out_dtype\":[1]}"), "problem.out_dtype[0]: a whole number", true},
    {TOP("\"problem\":{\"reduce\":[\"sum\"]}"), "problem.reduce: gemm is no reduction", false},
    {TOP("\"problem\":{\"trans\":[\"n\"]}"), "problem.trans[0]: 'n' is none of nn, nt, tn or tt", false},
    {TOP("\"problem\":{\"where\":\"m\"}"), "problem.where: a text, where a list is expected", true},
    {TOP("\"problem\":{\"where\":[1]}"), "problem.where[0]: a whole number, where a text is expected", true},
    {TOP("\"problem\":{\"where\":[\"\"]}"), "problem.where[0]: an empty text", true},
    {TOP("\"problem\":{\"align\":{\"D\":16}}"), "problem.align.D: gemm has no such operand", false},
    {TOP("\"problem\":{\"align\":{\"A\":3}}"), "problem.align.A: 3 is none of 1, 2, 4,", true},
    {TOP("\"problem\":{\"align\":{\"A\":\"16\"}}"), "problem.align.A: a text, where a whole number is expected", true},
    {"{\"parallax_recipe\":1,\"op\":\"transpose\",\"problem\":{\"trans\":[\"n\"]}" REST "}",
     "transpose has no transpositions", false},
    {"{\"parallax_recipe\":1,\"op\":\"reduce\",\"problem\":{\"where\":[\"alpha == 1\"]}" REST "}",
     "unknown name 'alpha'", false},
    {"{\"parallax_recipe\":1,\"op\":\"reduce\"," LAUNCHES("{\"entry\":\"f\"," ONE
                                                          ",\"args\":[{\"scalar\":\"alpha\"}]}") "}",
     "this operation has no alpha and no beta", false},
    {"{\"parallax_recipe\":1,\"op\":\"reduce\"," LAUNCHES("{\"entry\":\"f\"," ONE
                                                          ",\"args\":[{\"f32\":\"beta\"}]}") "}",
     "this operation has no alpha", false},
    {"{\"parallax_recipe\":1,\"op\":\"reduce\"," LAUNCHES("{\"entry\":\"f\"," ONE
                                                          ",\"args\":[{\"operand\":\"A\"}]}") "}",
     "there is no operand 'A'", false},
    {TOP("\"device\":{\"target\":90}"), "device.target: a whole number, where a text", true},
    {TOP("\"claims\":{\"accumulator\":\"bf16\"}"), "claims.accumulator: 'bf16' is none of f16, f32 or f64", true},
    {TOP("\"claims\":{\"reproducibility\":\"R3\"}"), "claims.reproducibility: 'R3' is none of", true},
    {TOP("\"claims\":{\"special\":\"none\"}"), "claims.special", true},
    {TOP("\"claims\":{\"zeros\":1}"), "claims.zeros", true},
    {TOP("\"claims\":{\"depth\":1.5}"), "claims.depth: a whole number, or an expression as text, is expected", true},
    {TOP("\"claims\":{\"depth\":true}"), "claims.depth: a whole number, or", true},
    {TOP("\"compile\":{\"std\":\"c++98\"}"), "compile.std: 'c++98' is none of", true},
    {TOP("\"compile\":{\"define\":{\"1a\":1}}"), "compile.define.1a: no name", true},
    {TOP("\"compile\":{\"define\":{\"a\":\"b\"}}"), "compile.define.a: 'b': unknown name 'b'", false},
    {TOP("\"compile\":{\"define\":{\"a\":[]}}"), "compile.define.a: a whole number, or", true},
    {TOP("\"compile\":{\"include\":[\"/usr\"]}"), "compile.include: '/usr' is not below the recipe's directory", true},
    {TOP("\"compile\":{\"include\":[\"..\"]}"), "'..' is not below", false},
    {TOP("\"compile\":{\"include\":[\"a/../../b\"]}"), "'a/../../b' is not below", false},
    {TOP("\"compile\":{\"include\":[\"~/a\"]}"), "is not below", true},
    {TOP("\"compile\":{\"options\":[\"-o/tmp/a\"]}"), "'-o/tmp/a' is no option that a recipe may give", false},
    {TOP("\"compile\":{\"options\":[\"-I/etc\"]}"), "is no option that a recipe may give", false},
    {TOP("\"compile\":{\"options\":[\"--fmad=maybe\"]}"), "is no option that a recipe may give", false},
    {TOP("\"compile\":{\"options\":[\"-DA=1\"]}"), "is no option that a recipe may give", false},
    {TOP("\"compile\":{\"options\":[\"-fplugin=a\"]}"), "is no option", false},
    {TOP("\"compile\":{\"options\":[\"use_fast_math\"]}"), "is no option", true},
    {TOP("\"compile\":{\"max_registers\":\"x\"}"), "compile.max_registers: 'x': unknown name", false},
    {TOP("\"problem\":{\"trans\":[\"nn\",\"nn\"]}"), "problem.trans[1]: 'nn' stands twice", true},
    {TOP("\"compile\":{\"include\":\".\"}"), "compile.include: a text, where a list", true},
    {TOP("\"globals\":[]"), "globals: a list, where an object", true},
    {TOP("\"maps\":[]"), "maps: a list, where an object", true},
    {TOP("\"let\":[]"), "let: a list, where an object", true},
    {TOP("\"tune\":3"), "tune: a whole number, where an object", true},
    /* names */
    {TOP("\"tune\":{\"m\":[1]}"), "tune.m: 'm' is the name of something else already", false},
    {TOP("\"tune\":{\"cc\":[1]}"), "tune.cc: 'cc' is the name", false},
    {TOP("\"tune\":{\"T\":[1]}"), "tune.T: 'T' is the name", false},
    {TOP("\"tune\":{\"min\":[1]}"), "tune.min: no name", true},
    {TOP("\"tune\":{\"a-b\":[1]}"), "tune.a-b: no name", true},
    {TOP("\"tune\":{\"\":[1]}"), "tune.: no name", true},
    {TOP("\"tune\":{\"alpha\":[1]}"), "tune.alpha: no name", true},
    {TOP("\"tune\":{\"A\":[]}"), "tune.A: 0 items; 1 to 64 are expected", true},
    {TOP("\"tune\":{\"A\":[\"1\"]}"), "tune.A[0]: a whole number is expected", true},
    {TOP("\"tune\":{\"A\":[1,1]}"), "tune.A[1]: 1 stands twice", true},
    {TOP("\"tune\":{\"A\":1}"), "tune.A: a whole number, where a list", true},
    {TOP("\"tune\":{\"A\":[1]},\"let\":{\"A\":1}"), "let.A: 'A' is the name of something else", false},
    {TOP("\"tune_where\":[\"A\"]"), "tune_where[0]: 'A': unknown name 'A'", false},
    {TOP("\"tune\":{\"TILE\":[1]},\"problem\":{\"where\":[\"TILE\"]}"), "problem.where[0]: 'TILE': unknown name",
     false},
    {TOP("\"let\":{\"a\":\"a\"}"), "let.a: uses itself, or a name that is defined below it", false},
    {TOP("\"let\":{\"a\":\"b\",\"b\":\"a\"}"), "let.a: uses itself, or a name that is defined below it", false},
    {TOP("\"let\":{\"a\":\"c + 1\",\"b\":1,\"c\":2}"), "let.a: uses itself, or a name", false},
    {TOP("\"let\":{\"a\":\"d\"}"), "let.a: 'd': unknown name 'd'", false},
    {TOP("\"let\":{\"k\":1}"), "let.k: 'k' is the name", false},
    {TOP("\"let\":{\"a\":{}}"), "let.a: a whole number, or", true},
    {TOP("\"let\":{\"a\":\"(\"}"), "let.a: '(': something is missing at character 2", false},
    {TOP("\"let\":{\"a\":\"1 1\"}"), "let.a: '1 1': an operator is expected", false},
    {TOP("\"scratch\":{\"s\":{}}"), "scratch.s: `bytes` is missing", true},
    {TOP("\"scratch\":{\"s\":4}"), "scratch.s: a whole number, where an object", true},
    {TOP("\"scratch\":{\"s\":{\"bytes\":1,\"align\":3}}"), "scratch.s.align: 3 is none of", true},
    {TOP("\"scratch\":{\"s\":{\"bytes\":1,\"before\":\"zero\"}}"),
     "scratch.s.before: 'zero' is none of garbage, zero_each or zero_once", true},
    {TOP("\"scratch\":{\"1\":{\"bytes\":1}}"), "scratch.1: no name", true},
    {TOP("\"scratch\":{\"a\":{\"bytes\":1},\"b\":{\"bytes\":1},\"c\":{\"bytes\":1},\"d\":{\"bytes\":1},\"e\":{"
         "\"bytes\":1},\"f\":{\"bytes\":1},\"g\":{\"bytes\":1},\"h\":{\"bytes\":1},\"i\":{\"bytes\":1}}"),
     "scratch: 9 members; 8 are the most", true},
    {TOP("\"globals\":{\"g\":\"any\"}"), "globals.g: 'any' is none of constant, zero_once or scratch", true},
    {TOP("\"globals\":{\"\":\"constant\"}"), "globals.: an empty name", true},
    {TOP("\"globals\":{\"g\":\"constant\"},\"api\":\"opencl\""),
     "globals: a variable of device code is CUDA's alone, and this recipe is of OpenCL", false},
    /* maps */
    {MAP("\"of\":\"A\",\"size\":[1]"), "maps.a: `box` is missing", true},
    {MAP("\"of\":\"A\",\"box\":[1]"), "maps.a: `size` is missing", true},
    {MAP("\"size\":[8],\"box\":[8]"), "one of `of`, an operand, and `of_scratch` is expected", true},
    {MAP("\"of\":\"A\",\"of_scratch\":\"s\",\"size\":[8],\"box\":[8]"), "one of `of`", true},
    {MAP("\"of\":\"D\",\"size\":[8],\"box\":[8]"), "maps.a: there is no operand 'D'", false},
    {MAP("\"of_scratch\":\"s\",\"dtype\":\"f32\",\"size\":[8],\"box\":[8]"), "maps.a: there is no scratch memory 's'",
     false},
    {MAP("\"of_scratch\":\"s\",\"size\":[8],\"box\":[8]"), "`dtype` of a map of scratch memory", false},
    {MAP("\"of\":\"A\",\"size\":[8,8],\"box\":[8,8]"), "2 sizes need 1 strides, in bytes, not 0", false},
    {MAP("\"of\":\"A\",\"size\":[8],\"box\":[8,8]"), "`size` has 1 numbers, `box` 2", false},
    {MAP("\"of\":\"A\",\"size\":[8],\"box\":[8],\"step\":[1,1]"), "`size` has 1 numbers, `step` 2", false},
    {MAP("\"of\":\"A\",\"size\":[1,1,1,1,1,1],\"box\":[8]"), "maps.a.size: 6 items; 1 to 5 are expected", true},
    {MAP("\"of\":\"A\",\"size\":[8],\"box\":[8],\"swizzle\":96"), "maps.a.swizzle: 96 is none of 0, 32, 64 or 128",
     true},
    {MAP("\"of\":\"A\",\"size\":[8],\"box\":[8],\"interleave\":8"), "maps.a.interleave: 8 is none", true},
    {MAP("\"of\":\"A\",\"size\":[8],\"box\":[8],\"fill\":\"one\""), "maps.a.fill", true},
    {MAP("\"of\":\"A\",\"size\":[8],\"box\":[8],\"l2\":32"), "maps.a.l2", true},
    {MAP("\"of\":\"A\",\"dtype\":\"i8\",\"size\":[8],\"box\":[8]"), "maps.a.dtype: 'i8' is none of", true},
    {MAP("\"of\":\"A\",\"size\":[\"x\"],\"box\":[8]"), "maps.a.size[0]: 'x': unknown name", false},
    /* launches */
    {"{" HEAD ",\"launches\":{}}", "launches: an object, where a list is expected", true},
    {"{" HEAD ",\"launches\":[]}", "launches: 0 items; 1 to 8 are expected", true},
    {"{" HEAD ",\"launches\":[1]}", "launches[0]: a whole number, where an object", true},
    {LAUNCH(ONE), "launches[0]: `entry` is missing", true},
    {LAUNCH("\"entry\":\"f\",\"block\":[1]"), "launches[0]: `grid` is missing", true},
    {LAUNCH("\"entry\":\"f\",\"grid\":[1]"), "launches[0]: `block` is missing", true},
    {LAUNCH("\"entry\":\"\"," ONE), "launches[0].entry: an empty text", true},
    {LAUNCH("\"entry\":1," ONE), "launches[0].entry: a whole number", true},
    {LAUNCH("\"entry\":\"f<{X}>\"," ONE), "`entry` has {X}, which is no type (T, TO), tunable or `let`", false},
    {LAUNCH("\"entry\":\"f{\"," ONE), "`entry` has a brace", false},
    {LAUNCH("\"entry\":\"f}\"," ONE), "`entry` has a brace", false},
    {LAUNCH("\"entry\":\"f\",\"grid\":1,\"block\":[1]"), "launches[0].grid: a whole number, where a list", true},
    {LAUNCH("\"entry\":\"f\",\"grid\":[1,1,1,1],\"block\":[1]"), "launches[0].grid: 4 items; 1 to 3", true},
    {LAUNCH("\"entry\":\"f\",\"grid\":[\"x\"],\"block\":[1]"), "launches[0].grid[0]: 'x': unknown name", false},
    {LAUNCH("\"entry\":\"f\"," ONE ",\"when\":1"), "launches[0].when: a condition as text", true},
    {LAUNCH("\"entry\":\"f\"," ONE ",\"cooperative\":1"),
     "launches[0].cooperative: a whole number, where true or false", true},
    {LAUNCH("\"entry\":\"f\"," ONE ",\"shared\":1.5"), "launches[0].shared: a whole number, or", true},
    {"{" HEAD ",\"api\":\"opencl\"," LAUNCHES("{\"entry\":\"f\"," ONE ",\"cluster\":[1]}") "}",
     "`cluster` is CUDA's alone, and this recipe is of OpenCL", false},
    {"{" HEAD ",\"api\":\"opencl\"," LAUNCHES("{\"entry\":\"f\"," ONE ",\"shared\":1}") "}",
     "`shared` (elsewhere it is an argument, `local`) is CUDA's alone", false},
    {"{" HEAD ",\"api\":\"cuda\"," LAUNCHES("{\"entry\":\"f\"," ONE ",\"args\":[{\"local\":1}]}") "}",
     "is OpenCL's alone, and this recipe is of CUDA", false},
    {LAUNCH("\"entry\":\"f\"," ONE ",\"dependent\":true,\"args\":[{\"local\":1}]"),
     "is OpenCL's alone, and this recipe is of CUDA", false},
    {"{" HEAD "," LAUNCHES("{\"entry\":\"f\"," ONE "},{\"entry\":\"g\"}") "}", "launches[1]: `grid` is missing", true},
    {"{" HEAD "," LAUNCHES("{\"entry\":\"f\"," ONE "},{\"entry\":\"f\"," ONE "},{\"entry\":\"f\"," ONE
                           "},{\"entry\":\"f\"," ONE "},{\"entry\":\"f\"," ONE "},{\"entry\":\"f\"," ONE
                           "},{\"entry\":\"f\"," ONE "},{\"entry\":\"f\"," ONE "},{\"entry\":\"f\"," ONE "}") "}",
     "launches: 9 items; 1 to 8", true},
    /* arguments */
    {LAUNCH("\"entry\":\"f\"," ONE ",\"args\":{}"), "launches[0].args: an object, where a list", true},
    {ARG("1"), "launches[0].args[0]: an object is expected", true},
    {ARG("{}"), "an empty object is no argument", true},
    {ARG("{\"oprand\":\"A\"}"), "'oprand' is no argument; did you mean 'operand'?", true},
    {ARG("{\"i33\":1}"), "'i33' is no argument", true},
    {ARG("{\"i32\":1,\"i64\":1}"), "'i32' and 'i64': an argument is one of them", true},
    {ARG("{\"operand\":\"D\"}"), "launches[0].args[0]: there is no operand 'D'", false},
    {ARG("{\"operand\":1}"), "launches[0].args[0].operand: a whole number", true},
    {ARG("{\"scratch\":\"s\"}"), "there is no scratch memory 's'", false},
    {ARG("{\"map\":\"a\"}"), "there is no map 'a'", false},
    {ARG("{\"i32\":\"mm\"}"), "launches[0].args[0].i32: 'mm': unknown name 'mm' at character 1; did you mean 'm'?",
     false},
    {ARG("{\"i32\":1.5}"), "launches[0].args[0].i32: a whole number, or", true},
    {ARG("{\"i32\":\"alpha\"}"), "alpha and beta are compared with a whole number", false},
    {ARG("{\"f32\":true}"), "launches[0].args[0].f32: a whole number, or", true},
    {ARG("{\"f32\":\"alpha * 2\"}"), "alpha and beta are compared", false},
    {ARG("{\"scalar\":\"gamma\"}"), "'gamma' is none of alpha or beta", true},
    {ARG("{\"scalar\":\"alpha\",\"by\":\"name\"}"), "launches[0].args[0].by: 'name' is none of value or pointer", true},
    {ARG("{\"null\":false}"), "launches[0].args[0].null: true is expected", true},
    {ARG("{\"null\":0}"), "launches[0].args[0].null", true},
    {ARG("{\"struct\":[]}"), "launches[0].args[0].struct: 0 items", true},
    {ARG("{\"struct\":{}}"), "launches[0].args[0].struct: an object, where a list", true},
    {ARG("{\"struct\":[{\"struct\":[{\"i32\":1}]}]}"), "a struct has no struct in it", false},
    {ARG("{\"struct\":[{\"local\":1}]}"), "a struct has no local in it", false},
    {ARG("{\"struct\":[{\"i32\":\"x\"}]}"), "launches[0].args[0].struct[0].i32: 'x': unknown name", false},
    {ARG("{\"struct\":[{\"i32\":1}],\"align\":3}"), "launches[0].args[0].align: 3 is none of", true},
};

/* What only a problem or a device shows: these are read, and refused when launches are made. */
static const struct {
    const char *top, *launch, *why;
} impossible[] = {
    {"", GRID("m - 64"), "launches[0].grid[0]: 'm - 64' is 0, which is not from 1 to"},
    {"", GRID("m - 65"), "is -1, which is not from 1"},
    {"", GRID("m / (n - 96)"),
     "launches[0].grid[0]: 'm / (n - 96)': a division by zero at character 3 with m = 64, n = 96 (gemm f32 64x96x128 "
     "nn)"},
    {"", GRID("m * 9223372036854775807"), "a value beyond 64 bits"},
    {"", "\"grid\":[2147483648],\"block\":[1]", "2147483648 blocks along axis 0; this device takes 2147483647"},
    {"", "\"grid\":[1,65536],\"block\":[1]", "65536 blocks along axis 1; this device takes 65535"},
    {"", "\"grid\":[1],\"block\":[1025]", "a block has 1025 threads along axis 0; this device takes 1024"},
    {"", "\"grid\":[1],\"block\":[32,33]", "a block has 1056 threads; this device takes 1024"},
    {"", "\"grid\":[1],\"block\":[1,1,65]", "65 threads along axis 2"},
    {"", "\"grid\":[1],\"block\":[0]", "launches[0].block[0]: 'the number' is 0"},
    {"", "\"grid\":[3],\"block\":[1],\"cluster\":[2]", "3 blocks along axis 0 are no multiple of the cluster's 2"},
    {"", "\"grid\":[32],\"block\":[1],\"cluster\":[32]", "no multiple of the cluster's 32"},
    {"", "\"grid\":[16,16],\"block\":[1],\"cluster\":[8,4]", "a cluster of 32 blocks; 16 are the most"},
    {"", "\"grid\":[1000],\"block\":[1024],\"cooperative\":true",
     "1000 cooperative blocks; this device has room for 264"},
    {"", ONE ",\"shared\":232449", "232449 bytes of shared memory; this device has 232448"},
    {"", ARGS("{\"local\":200000},{\"local\":200000}"), "400000 bytes of shared memory"},
    {"", ARGS("{\"local\":0}"), "is 0, which is not from 1"},
    {"", ONE ",\"carveout\":101", "is 101, which is not from 0 to 100"},
    {"", ARGS("{\"i8\":128}"), "is 128, which is not from -128 to 127"},
    {"", ARGS("{\"i16\":\"m * 1024\"}"), "'m * 1024' is 65536, which is not from -32768 to 32767"},
    {"", ARGS("{\"i32\":2147483648}"), "not from -2147483648 to 2147483647"},
    {"", ARGS("{\"u32\":-1}"), "not from 0 to 4294967295"},
    {"", ARGS("{\"u64\":-1}"), "is -1, which is not from 0"},
    {"", ARGS("{\"f16\":65505}"), "65505 is beyond f16"},
    {"", ARGS("{\"f32\":1e39}"), "1e+39 is beyond f32"},
    {"", ARGS("{\"operand\":\"A\",\"offset\":-4}"), "is -4, which is not from 0"},
    {"", ARGS("{\"struct\":[{\"i64\":1}],\"align\":4}"), "align is 4, a member has 8 bytes"},
    {"\"scratch\":{\"s\":{\"bytes\":\"m - 65\"}}", NULL, "scratch.s.bytes: 'm - 65' is -1"},
    {"\"let\":{\"a\":\"m / 0\"}", NULL, "let.a: 'm / 0': a division by zero"},
    {"\"claims\":{\"depth\":-1}", NULL, "claims.depth: 'the number' is -1"},
    {"\"compile\":{\"max_registers\":256}", NULL, "not from 16 to 255"},
    {"\"problem\":{\"where\":[\"m / 0\"]}", NULL, "problem.where[0]: 'm / 0': a division by zero"},
    {"\"tune\":{\"A\":[0]},\"tune_where\":[\"m / A\"]", NULL, "tune_where[0]: 'm / A': a division by zero"},
    {"\"maps\":{\"a\":{\"of\":\"A\",\"size\":[0],\"box\":[8]}}", NULL, "maps.a: size[0] is 0, not from 1 to 2^32"},
    {"\"maps\":{\"a\":{\"of\":\"A\",\"size\":[8],\"box\":[257]}}", NULL, "box[0] is 257, not from 1 to 256"},
    {"\"maps\":{\"a\":{\"of\":\"A\",\"size\":[8],\"box\":[8],\"step\":[9]}}", NULL, "step[0] is 9"},
    {"\"maps\":{\"a\":{\"of\":\"A\",\"size\":[8,8],\"box\":[8,8],\"stride\":[40]}}", NULL,
     "stride[0] is 40 bytes, no multiple of 16"},
    {"\"maps\":{\"a\":{\"of\":\"A\",\"size\":[8],\"box\":[3]}}", NULL,
     "a row of the box has 12 bytes, no multiple of 16"},
    {"\"maps\":{\"a\":{\"of\":\"A\",\"size\":[8],\"box\":[64],\"swizzle\":128}}", NULL,
     "256 bytes, more than the 128 of swizzle"},
    {"\"maps\":{\"a\":{\"of\":\"A\",\"size\":[8],\"box\":[8],\"interleave\":16}}", NULL,
     "interleave needs a rank of 3 to 5"},
    {"\"maps\":{\"a\":{\"of\":\"A\",\"size\":[8,8,8],\"stride\":[32,256],\"box\":[8,1,1],\"interleave\":32}}", NULL,
     "interleave 32 goes with swizzle 32 alone"},
    {"\"maps\":{\"a\":{\"of\":\"A\",\"offset\":8,\"size\":[8],\"box\":[8]}}", NULL, "offset is 8, no multiple of 16"},
};

/* ---- running ----------------------------------------------------------------------------------------------- */

static char path[128];
static size_t written;

static void put(const char *text, const char *kind)
{
    const char *directory = getenv("RECIPES");
    char also[512];
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fputs(text, file) >= 0, 1);
    assert_int_equal(fclose(file), 0);
    if (directory == NULL)
        return;
    (void)snprintf(also, sizeof also, "%s/%s-%03zu.json", directory, kind, written++);
    file = fopen(also, "wb");
    assert_non_null(file);
    (void)fputs(text, file);
    (void)fclose(file);
}

static plx_problem problem_of(const char *op)
{
    return strcmp(op, "gemm") == 0        ? plx_gemm_of(PLX_F32, false, false, 64, 96, 128)
           : strcmp(op, "matvec") == 0    ? plx_matvec_of(PLX_F32, false, 100, 200)
           : strcmp(op, "transpose") == 0 ? plx_transpose_of(PLX_F32, 30, 50)
                                          : plx_reduce_of(PLX_F32, PLX_SUM, 1000);
}

static void build(char *text, size_t capacity, const char *op, const char *top, const char *launch)
{
    (void)snprintf(text, capacity, "{\"parallax_recipe\":1,\"op\":\"%s\"%s%s,\"launches\":[{\"entry\":\"f\",%s}]}", op,
                   top[0] != '\0' ? "," : "", top, launch != NULL ? launch : ONE);
}

/* The text and the JSON of what comes of it; both can be written. */
static void show(plx_recipe_file *recipe, const char *op, char **text)
{
    plx_launches_shown shown = {.problem = problem_of(op)};
    plx_device_info device;
    plx_error error = {""};
    size_t length, json_length;
    char *json;
    assert_int_equal(plx_described_device("h100", &device, &error), PLX_OK);
    const plx_status status = plx_launches_make(recipe, &shown.problem, &device, NULL, 0, &shown.launches, &error);
    if (status != PLX_OK && status != PLX_UNSUPPORTED)
        fail_msg("%s", error.text);
    (void)snprintf(shown.reason, sizeof shown.reason, "%s", error.text);
    FILE *to = open_memstream(text, &length);
    assert_int_equal(plx_launches_write_text(recipe, &device, &shown, 1, to, &error), PLX_OK);
    (void)fclose(to);
    to = open_memstream(&json, &json_length);
    assert_int_equal(plx_launches_write_json(recipe, &device, &shown, 1, to, &error), PLX_OK);
    (void)fclose(to);
    assert_non_null(strstr(json, "parallax-launches/1"));
    free(json);
    plx_launches_free(shown.launches);
}

static void check_good(const char *op, const char *top, const char *launch, const char *shows)
{
    char text[4096], *shown = NULL;
    plx_recipe_file *recipe = NULL;
    plx_error error = {""};
    build(text, sizeof text, op, top, launch);
    put(text, "good");
    if (plx_recipe_file_read(path, &recipe, &error) != PLX_OK)
        fail_msg("%s\n%s", text, error.text);
    show(recipe, op, &shown);
    if (strstr(shown, shows) == NULL)
        fail_msg("%s\nno \"%s\" in\n%s", text, shows, shown);
    free(shown);
    plx_recipe_file_free(recipe);
}

static void test_good(void **state)
{
    size_t count = 0;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(goods); i++) {
        check_good(goods[i].op, goods[i].top, goods[i].launch, goods[i].shows);
        count++;
    }
    for (size_t i = 0; i < COUNT_OF(expressions); i++, count++) {
        char launch[200], shows[40];
        (void)snprintf(launch, sizeof launch, GRID("%s"), expressions[i].text);
        (void)snprintf(shows, sizeof shows, "grid %dx1x1", expressions[i].blocks);
        check_good("gemm", "", launch, shows);
    }
    print_message("%zu good recipes\n", count);
    assert_true(count >= 200);
}

static void refused(const char *text, const char *why, const char *kind)
{
    plx_recipe_file *recipe = NULL;
    plx_error error = {""};
    put(text, kind);
    if (plx_recipe_file_read(path, &recipe, &error) == PLX_OK)
        fail_msg("%s: no refusal", text);
    assert_null(recipe);
    assert_null(strchr(error.text, '\n'));
    if (strstr(error.text, why) == NULL || strncmp(error.text, path, strlen(path)) != 0)
        fail_msg("%.400s\n%s\nhas no \"%s\"", text, error.text, why);
}

static void test_bad(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(bads); i++)
        refused(bads[i].text, bads[i].why, bads[i].by_form ? "bad" : "beyond");
    print_message("%zu bad recipes\n", COUNT_OF(bads));
    assert_true(COUNT_OF(bads) >= 200);
}

static void test_impossible(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(impossible); i++) {
        char text[4096];
        plx_recipe_file *recipe = NULL;
        plx_launches *launches = NULL;
        plx_device_info device;
        plx_error error = {""};
        const plx_problem problem = problem_of("gemm");
        build(text, sizeof text, "gemm", impossible[i].top, impossible[i].launch);
        put(text, "good");
        assert_int_equal(plx_described_device("h100", &device, &error), PLX_OK);
        if (plx_recipe_file_read(path, &recipe, &error) != PLX_OK)
            fail_msg("%s\n%s", text, error.text);
        if (plx_launches_make(recipe, &problem, &device, NULL, 0, &launches, &error) != PLX_INVALID)
            fail_msg("%s: no refusal: %s", text, error.text);
        if (strstr(error.text, impossible[i].why) == NULL)
            fail_msg("%s\n%s\nhas no \"%s\"", text, error.text, impossible[i].why);
        plx_recipe_file_free(recipe);
    }
}

/* ---- sizes ----------------------------------------------------------------------------------------------------- */

/* A recipe with so many of "open" in a member that is no one's. */
static char *nested(const char *open, const char *close, size_t count)
{
    char *text = calloc(2 * count + 256, 1), *at = text;
    assert_non_null(text);
    at += sprintf(at, "{" HEAD ",\"x_deep\":");
    for (size_t i = 0; i < count; i++)
        *at++ = open[0];
    *at++ = '1';
    for (size_t i = 0; i < count; i++)
        *at++ = close[0];
    (void)sprintf(at, REST "}");
    return text;
}

static void test_sizes(void **state)
{
    plx_recipe_file *recipe = NULL;
    plx_error error = {""};
    (void)state;
    char *text = nested("[", "]", 10000);
    refused(text, "lists and objects are more than 32 levels deep", "deep");
    free(text);
    text = nested("[", "]", 31);
    put(text, "good");
    assert_int_equal(plx_recipe_file_read(path, &recipe, &error), PLX_OK);
    plx_recipe_file_free(recipe);
    free(text);
    text = nested(" ", " ", 150 * 1024);
    refused(text, "bytes; 256 KiB are the most", "large");
    free(text);
}

static void test_files(void **state)
{
    plx_recipe_file *recipe = NULL;
    plx_error error = {""};
    (void)state;
    assert_int_equal(plx_recipe_file_read("/nothing/there.json", &recipe, &error), PLX_IO);
    assert_non_null(strstr(error.text, "/nothing/there.json: can't read: "));
    assert_int_equal(plx_recipe_file_read("/", &recipe, &error), PLX_INVALID);
    assert_non_null(strstr(error.text, "a directory, where a file is expected"));
    assert_int_equal(plx_recipe_file_read("/dev/null", &recipe, &error), PLX_INVALID);
    assert_non_null(strstr(error.text, "no regular file"));
}

/* ---- choices and devices ------------------------------------------------------------------------------------------
 */

static void test_chosen(void **state)
{
    plx_recipe_file *recipe = NULL;
    plx_launches *launches = NULL;
    plx_device_info device;
    plx_error error = {""};
    const plx_problem problem = problem_of("gemm"), other = problem_of("reduce");
    plx_chosen chosen[] = {{"Q", 0, 2}, {"P", 0, 7}};
    (void)state;
    put(TOP("\"tune\":{\"P\":[1,2],\"Q\":[1,2,3]},\"tune_where\":[\"P <= Q\"]"), "good");
    assert_int_equal(plx_described_device("h100", &device, &error), PLX_OK);
    assert_int_equal(plx_recipe_file_read(path, &recipe, &error), PLX_OK);
    assert_int_equal(plx_launches_make(recipe, &problem, &device, chosen, 1, &launches, &error), PLX_OK);
    plx_launches_free(launches);
    assert_int_equal(plx_launches_make(recipe, &problem, &device, chosen, 2, &launches, &error), PLX_INVALID);
    assert_non_null(strstr(error.text, "tune.P has no value 7"));
    chosen[1].value = 2;
    chosen[0].value = 1;
    assert_int_equal(plx_launches_make(recipe, &problem, &device, chosen, 2, &launches, &error), PLX_UNSUPPORTED);
    assert_string_equal(error.text, "tune_where: P <= Q does not hold");
    (void)strcpy(chosen[0].name, "R");
    assert_int_equal(plx_launches_make(recipe, &problem, &device, chosen, 1, &launches, &error), PLX_INVALID);
    assert_non_null(strstr(error.text, "there is no tunable 'R'"));
    assert_int_equal(plx_launches_make(recipe, &other, &device, NULL, 0, &launches, &error), PLX_INVALID);
    assert_non_null(strstr(error.text, "its operation is gemm, not reduce"));
    plx_recipe_file_free(recipe);
}

static void test_devices(void **state)
{
    static const struct {
        const char *words, *why;
    } none[] = {{"", "'' is no described device"},
                {"h10", "did you mean 'h100'?"},
                {"h100,a100", "'a100' is no described device"},
                {"cc=", "a whole number is expected"},
                {"cc=9x", "a whole number"},
                {"sms=0", "sms=0 is no device's"},
                {"sm=3", "did you mean 'sms'?"},
                {"warp=99999", "is no device's"},
                {"sms=-1", "a whole number"},
                {"h100,", "'' is no described device"}};
    plx_device_info device;
    plx_error error = {""};
    (void)state;
    for (size_t i = 0; plx_described_device_name(i) != NULL; i++)
        assert_int_equal(plx_described_device(plx_described_device_name(i), &device, &error), PLX_OK);
    assert_int_equal(plx_described_device("a100,sms=64,l2=0", &device, &error), PLX_OK);
    assert_true(device.compute_major == 8 && device.units == 64 && device.l2_bytes == 0 && device.warp == 32);
    assert_int_equal(plx_described_device("cc=103,max_threads=512", &device, &error), PLX_OK);
    assert_true(device.compute_major == 10 && device.compute_minor == 3 && device.max_block_threads == 512);
    for (size_t i = 0; i < COUNT_OF(none); i++) {
        assert_int_equal(plx_described_device(none[i].words, &device, &error), PLX_INVALID);
        if (strstr(error.text, none[i].why) == NULL)
            fail_msg("%s: %s", none[i].words, error.text);
    }
}

/* A cluster is of 9.0 and later. */
static void test_other_device(void **state)
{
    plx_recipe_file *recipe = NULL;
    plx_launches *launches = NULL;
    plx_device_info device;
    plx_error error = {""};
    const plx_problem problem = problem_of("gemm");
    (void)state;
    put(LAUNCH("\"entry\":\"f\",\"grid\":[2],\"block\":[1],\"cluster\":[2]"), "good");
    assert_int_equal(plx_described_device("a100", &device, &error), PLX_OK);
    assert_int_equal(plx_recipe_file_read(path, &recipe, &error), PLX_OK);
    assert_int_equal(plx_launches_make(recipe, &problem, &device, NULL, 0, &launches, &error), PLX_INVALID);
    assert_non_null(strstr(error.text, "clusters are of compute capability 9.0 and later"));
    plx_recipe_file_free(recipe);
}

static int begin(void **state)
{
    (void)state;
    (void)snprintf(path, sizeof path, "/tmp/recipe-XXXXXX");
    const int descriptor = mkstemp(path);
    return descriptor < 0 ? -1 : close(descriptor);
}

static int end(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),    cmocka_unit_test(test_bad),          cmocka_unit_test(test_impossible),
        cmocka_unit_test(test_sizes),   cmocka_unit_test(test_files),        cmocka_unit_test(test_chosen),
        cmocka_unit_test(test_devices), cmocka_unit_test(test_other_device),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
