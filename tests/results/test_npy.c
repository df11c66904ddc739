/* .npy: what is written comes back, every header that NumPy can write is understood,
 * and no file, however hostile, is believed. */
#define _GNU_SOURCE

#include "npy_support.h"

#include <parallax/half.h>

static plx_status read_composed(int version, const char *dictionary, const void *data, size_t data_bytes,
                                plx_array *array, plx_error *error)
{
    unsigned char bytes[4096];
    write_file(bytes, compose(bytes, version, dictionary, data, data_bytes));
    return plx_npy_read(path, array, error);
}

static void expect_refusal(int version, const char *dictionary, size_t data_bytes, const char *reason)
{
    static const unsigned char zeros[1024];
    plx_array array = {.rank = 77};
    plx_error error = {""};
    plx_status status = read_composed(version, dictionary, zeros, data_bytes, &array, &error);
    if (status != PLX_INVALID || strstr(error.text, reason) == NULL || strstr(error.text, path) == NULL)
        fail_msg("'%s': status %d, \"%s\", expected \"%s\"", dictionary, (int)status, error.text, reason);
    assert_int_equal(array.rank, 77);
}

/* ---- what is right ------------------------------------------------------- */

/* A type that NumPy has no code for: others read whole numbers, and so do we. */
static bool is_written_as_bits(plx_dtype dtype)
{
#define HALF(type, name, exponent, fraction, npy, ...) [type] = npy,
    static const char *const codes[PLX_DTYPE_COUNT] = {PLX_HALF_TYPES(HALF)};
#undef HALF
    return codes[dtype] != NULL && strcmp(codes[dtype], "u2") == 0;
}

static void expect_round_trip(const plx_array *array)
{
    plx_error error = {""};
    plx_array back;
    assert_int_equal(plx_npy_write(path, array, &error), PLX_OK);
    assert_int_equal(plx_npy_read(path, &back, &error), PLX_OK);
    const bool bits = array->type[0] == '\0' && is_written_as_bits(array->dtype);
    assert_int_equal(back.dtype, bits ? PLX_I16 : array->dtype);
    assert_string_equal(back.type, bits ? "u2" : array->type);
    assert_int_equal(back.rank, array->rank);
    assert_int_equal(back.rows, array->rows);
    assert_int_equal(back.cols, array->cols);
    size_t bytes = (size_t)(array->rows * array->cols) * plx_dtype_size(array->dtype);
    if (bytes > 0)
        assert_memory_equal(back.data, array->data, bytes);
    else
        assert_null(back.data);
    plx_array_free(&back);
}

static void round_trips(void **state)
{
    (void)state;
    static const int64_t sizes[] = {0, 1, 2, 7, 33};
    unsigned char data[33 * 33 * 16];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * 167 + i / 251);
    for (int dtype = 0; dtype < PLX_DTYPE_COUNT; dtype++) {
        expect_round_trip(&(plx_array){.dtype = (plx_dtype)dtype, .rank = 0, .rows = 1, .cols = 1, .data = data});
        for (size_t i = 0; i < 5; i++) {
            expect_round_trip(
                &(plx_array){.dtype = (plx_dtype)dtype, .rank = 1, .rows = 1, .cols = sizes[i], .data = data});
            for (size_t j = 0; j < 5; j++)
                expect_round_trip(&(plx_array){
                    .dtype = (plx_dtype)dtype, .rank = 2, .rows = sizes[i], .cols = sizes[j], .data = data});
        }
    }
}

/* Elements that are none of ours are as large as one of ours, and keep their name. */
static void elements_that_are_only_moved(void **state)
{
    (void)state;
    static const struct {
        const char *descr, *type, *written; /* in the file, in the array, in a file of this machine */
        size_t size, swapped;               /* bytes of an element; as many are reversed from the other order */
    } kinds[] = {
        {"|b1", "b1", "|b1", 1, 1},
        {"|u1", "u1", "|u1", 1, 1},
        {"<u2", "u2", "<u2", 2, 2},
        {"<u4", "u4", "<u4", 4, 4},
        {"<u8", "u8", "<u8", 8, 8},
        {"|S1", "S1", "|S1", 1, 1},
        {"|S16", "S16", "|S16", 16, 1},
        {"|V8", "V8", "|V8", 8, 1},
        {"<U1", "U1", "<U1", 4, 4},
        {"<U4", "U4", "<U4", 16, 4},
        {"<M8[ns]", "M8[ns]", "<M8[ns]", 8, 8},
        {"<m8[25us]", "m8[25us]", "<m8[25us]", 8, 8},
        {"<f16", "f16", "<f16", 16, 16},
    };
    unsigned char data[2 * 16], expected[2 * 16], file[512];
    const uint16_t one = 1;
    const bool little = *(const unsigned char *)&one == 1;
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(17 * i + 1);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (int swapped = 0; swapped < (kinds[k].swapped > 1 ? 2 : 1); swapped++) {
            const size_t bytes = 2 * kinds[k].size, unit = kinds[k].swapped;
            char dictionary[128], written[32];
            plx_array array;
            plx_error error = {""};
            (void)snprintf(dictionary, sizeof dictionary, "{'descr': '%s', 'fortran_order': False, 'shape': (2,)}",
                           kinds[k].descr);
            if (unit > 1 && (swapped == 1) == little)
                *strchr(dictionary, '<') = '>';
            for (size_t i = 0; i < bytes; i++)
                expected[i] = data[swapped == 1 ? i / unit * unit + unit - 1 - i % unit : i];
            if (read_composed(1, dictionary, data, bytes, &array, &error) != PLX_OK)
                fail_msg("%s: %s", dictionary, error.text);
            assert_string_equal(array.type, kinds[k].type);
            assert_int_equal(plx_dtype_size(array.dtype), kinds[k].size);
            assert_memory_equal(array.data, expected, bytes);
            expect_round_trip(&array);
            (void)snprintf(written, sizeof written, "'descr': '%s'", kinds[k].written);
            if (!little && unit > 1)
                *strchr(written, '<') = '>';
            file[read_file(file, sizeof file - 1)] = '\0';
            if (strstr((char *)file + 10, written) == NULL)
                fail_msg("%.100s, not %s", (char *)file + 10, written);
            plx_array_free(&array);
        }
}

static void a_type_of_another_size_is_not_written(void **state)
{
    (void)state;
    static const char *const wrong[] = {"u4", "f8", "S9", "nonsense", "u8', 'x"};
    double value = 1;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        plx_array array = {.dtype = PLX_I64, .rank = 0, .rows = 1, .cols = 1, .data = &value};
        plx_error error = {""};
        (void)snprintf(array.type, sizeof array.type, "%s", wrong[i]);
        assert_int_equal(plx_npy_write(path, &array, &error), PLX_INVALID);
        assert_non_null(strstr(error.text, "is no element type of as many bytes as i64 has"));
    }
}

/* Transpose moves them; to compute with them is refused with what would be taken. */
static void only_transpose_takes_them(void **state)
{
    (void)state;
    unsigned char data[4] = {1, 2, 3, 255};
    plx_array array = {.dtype = PLX_I8, .rank = 2, .rows = 2, .cols = 2, .data = data, .type = "u1"};
    plx_error error = {""};
    plx_problem problem = plx_problem_of(PLX_TRANSPOSE, PLX_I8);
    assert_int_equal(plx_problem_fit(&problem, &array, 1, &error), PLX_OK);
    problem = plx_problem_of(PLX_REDUCE, PLX_I8);
    assert_int_equal(plx_problem_fit(&problem, &array, 1, &error), PLX_INVALID);
    assert_non_null(strstr(error.text, "x is u1, and reduce takes i32 i64 f32 f64 f16 bf16"));
    assert_non_null(strstr(error.text, "; transpose takes any"));
}

static void a_zip_archive_is_named(void **state)
{
    (void)state;
    plx_array array;
    plx_error error = {""};
    write_file("PK\3\4\24\0\0\0", 8);
    assert_int_equal(plx_npy_read(path, &array, &error), PLX_INVALID);
    assert_non_null(strstr(error.text, "a zip archive, as .npz is"));
    write_file("PK\5\6", 4); /* one without files */
    assert_int_equal(plx_npy_read(path, &array, &error), PLX_INVALID);
    assert_non_null(strstr(error.text, "a zip archive, as .npz is"));
    write_file("PKZIP, as text", 14);
    assert_int_equal(plx_npy_read(path, &array, &error), PLX_INVALID);
    assert_null(strstr(error.text, "zip archive"));
}

/* The data of every file starts at a multiple of 64, as the format asks. */
static void data_is_aligned(void **state)
{
    (void)state;
    unsigned char bytes[1024];
    plx_error error = {""};
    double value = 1.5;
    assert_int_equal(
        plx_npy_write(path, &(plx_array){.dtype = PLX_F64, .rank = 2, .rows = 1, .cols = 1, .data = &value}, &error),
        PLX_OK);
    size_t count = read_file(bytes, sizeof bytes);
    assert_int_equal((count - sizeof value) % 64, 0);
    assert_int_equal(bytes[count - sizeof value - 1], '\n');
    assert_memory_equal(bytes + count - sizeof value, &value, sizeof value);
}

static void all_versions(void **state)
{
    (void)state;
    float values[6] = {1, 2, 3, 4, 5, 6};
    for (int version = 1; version <= 3; version++) {
        plx_array array;
        plx_error error = {""};
        assert_int_equal(read_composed(version, "{'descr': '=f4', 'fortran_order': False, 'shape': (2, 3), }  \n",
                                       values, sizeof values, &array, &error),
                         PLX_OK);
        assert_int_equal(array.rows, 2);
        assert_int_equal(array.cols, 3);
        assert_memory_equal(array.data, values, sizeof values);
        plx_array_free(&array);
    }
}

static void both_byte_orders(void **state)
{
    (void)state;
    static const unsigned char big[] = {0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0}; /* 1, -2 */
    static const unsigned char little[] = {0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0};
    plx_array array;
    plx_error error = {""};
    float expected[2] = {1.0f, -2.0f};
    assert_int_equal(
        read_composed(1, "{'descr': '>f4', 'fortran_order': False, 'shape': (2,)}\n", big, sizeof big, &array, &error),
        PLX_OK);
    assert_memory_equal(array.data, expected, sizeof expected);
    plx_array_free(&array);
    assert_int_equal(read_composed(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}\n", little,
                                   sizeof little, &array, &error),
                     PLX_OK);
    assert_memory_equal(array.data, expected, sizeof expected);
    plx_array_free(&array);
}

/* As NumPy writes f16; bf16 as ml_dtypes has it written, and as NumPy writes what it read of that. */
static void elements_of_16_bits(void **state)
{
    (void)state;
    static const unsigned char little[] = {0x00, 0x3c, 0x80, 0x3f}, big[] = {0x3c, 0x00, 0x3f, 0x80};
    static const struct {
        const char *dictionary;
        const unsigned char *data;
        plx_dtype dtype;
    } files[] = {
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (2,), }", little, PLX_F16},
        {"{'descr': '>f2', 'fortran_order': False, 'shape': (2,), }", big, PLX_F16},
        {"{'descr': '<V2', 'fortran_order': False, 'shape': (2,), }", little, PLX_BF16},
        {"{'descr': '|V2', 'fortran_order': False, 'shape': (2,), }", little, PLX_BF16},
    };
    const uint16_t expected[] = {0x3c00, 0x3f80}; /* 1 as f16, and as bf16 */
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        plx_array array;
        plx_error error = {""};
        assert_int_equal(read_composed(1, files[i].dictionary, files[i].data, sizeof little, &array, &error), PLX_OK);
        assert_int_equal(array.dtype, files[i].dtype);
        assert_memory_equal(array.data, expected, sizeof expected);
        plx_array_free(&array);
    }
}

/* The two halves of a complex number are swapped each by itself. */
static void complex_byte_order(void **state)
{
    (void)state;
    static const unsigned char big[] = {0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0};
    float expected[2] = {1.0f, -2.0f};
    plx_array array;
    plx_error error = {""};
    assert_int_equal(
        read_composed(1, "{'descr': '>c8', 'fortran_order': False, 'shape': ()}\n", big, sizeof big, &array, &error),
        PLX_OK);
    assert_int_equal(array.dtype, PLX_C64);
    assert_int_equal(array.rank, 0);
    assert_memory_equal(array.data, expected, sizeof expected);
    plx_array_free(&array);
}

static void wide_byte_orders(void **state)
{
    (void)state;
    static const unsigned char big[] = {1, 2, 3, 4, 5, 6, 7, 8};
    plx_array array;
    plx_error error = {""};
    assert_int_equal(
        read_composed(1, "{'descr': '>i8', 'fortran_order': False, 'shape': (1,)}\n", big, 8, &array, &error), PLX_OK);
    assert_true(*(int64_t *)array.data == INT64_C(0x0102030405060708));
    plx_array_free(&array);
    assert_int_equal(
        read_composed(1, "{'descr': '>i2', 'fortran_order': False, 'shape': (4,)}\n", big, 8, &array, &error), PLX_OK);
    assert_int_equal(((int16_t *)array.data)[3], 0x0708);
    plx_array_free(&array);
}

/* Three dimensions, in either order: matrices one after the other, and what is written is read. */
static void stacks(void **state)
{
    (void)state;
    const int32_t columns[12] = {0, 100, 10, 110, 1, 101, 11, 111, 2, 102, 12, 112};
    const int32_t rows[12] = {0, 1, 2, 10, 11, 12, 100, 101, 102, 110, 111, 112};
    plx_error error = {""};
    plx_array array, back;
    assert_int_equal(read_composed(1, "{'descr': '<i4', 'fortran_order': True, 'shape': (2, 2, 3)}\n", columns,
                                   sizeof columns, &array, &error),
                     PLX_OK);
    assert_int_equal(array.rank, 3);
    assert_int_equal(array.planes, 2);
    assert_int_equal(array.rows, 2);
    assert_int_equal(array.cols, 3);
    assert_memory_equal(array.data, rows, sizeof rows);
    assert_int_equal(plx_npy_write(path, &array, &error), PLX_OK);
    assert_int_equal(plx_npy_read(path, &back, &error), PLX_OK);
    assert_true(back.rank == 3 && back.planes == 2 && back.rows == 2 && back.cols == 3);
    assert_memory_equal(back.data, rows, sizeof rows);
    plx_array_free(&array);
    plx_array_free(&back);
}

static void fortran_order(void **state)
{
    (void)state;
    int32_t columns[6] = {11, 21, 12, 22, 13, 23}, rows[6] = {11, 12, 13, 21, 22, 23};
    plx_array array;
    plx_error error = {""};
    assert_int_equal(read_composed(1, "{'descr': '=i4', 'fortran_order': True, 'shape': (2, 3)}\n", columns,
                                   sizeof columns, &array, &error),
                     PLX_OK);
    assert_memory_equal(array.data, rows, sizeof rows);
    plx_array_free(&array);
    assert_int_equal(read_composed(1, "{'descr': '=i4', 'fortran_order': True, 'shape': (6,)}\n", columns,
                                   sizeof columns, &array, &error),
                     PLX_OK);
    assert_memory_equal(array.data, columns, sizeof columns);
    plx_array_free(&array);
}

static void tolerated_headers(void **state)
{
    (void)state;
    static const char *const headers[] = {
        "{'shape':(2,),'fortran_order':False,'descr':'=i4'}",
        "  {\t\"descr\" : \"=i4\" ,\n 'shape' : ( 2 , ) , 'fortran_order' : False , } \r\n ",
        "{'descr': 'i4', 'fortran_order': False, 'shape': (2L,), }\n",
    };
    int32_t values[2] = {-7, 9};
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        plx_array array;
        plx_error error = {""};
        assert_int_equal(read_composed(1, headers[i], values, sizeof values, &array, &error), PLX_OK);
        assert_int_equal(array.rank, 1);
        assert_int_equal(array.cols, 2);
        assert_memory_equal(array.data, values, sizeof values);
        plx_array_free(&array);
    }
}

/* ---- what is wrong ------------------------------------------------------- */

static void refused_headers(void **state)
{
    (void)state;
    static const struct {
        const char *dictionary;
        size_t data_bytes;
        const char *reason;
    } cases[] = {
        {"", 0, "not a dictionary"},
        {"garbage", 0, "not a dictionary"},
        {"{}", 0, "missing"},
        {"{", 0, "no end"},
        {"{'descr': '<f4', 'shape': (2,)}", 8, "missing"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)", 8, "no end"},
        {"{'descr': '<f4' 'fortran_order': False, 'shape': (2,)}", 8, "comma is missing"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x", 8, "follows the dictionary"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'more': 1}", 8, "unknown key 'more'"},
        {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 8, "twice"},
        {"{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,)}", 8, "neither True nor False"},
        {"{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}", 8, "neither True nor False"},
        {"{'descr': 4, 'fortran_order': False, 'shape': (2,)}", 8, "'descr' is no string"},
        {"{'descr': '<f\\4', 'fortran_order': False, 'shape': (2,)}", 8, "'descr' is no string"},
        {"{'descr': '<f4, 'fortran_order': False, 'shape': (2,)}", 8, "is not supported"},
        {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}", 8, "structured"},
        {"{'descr': '<V4', 'fortran_order': False, 'shape': (2,)}", 8, "'<V4' is not supported"},
        {"{'descr': '|f2', 'fortran_order': False, 'shape': (4,)}", 8, "'|f2' is not supported"},
        {"{'descr': '|u4', 'fortran_order': False, 'shape': (2,)}", 8, "'|u4' is not supported"},
        {"{'descr': '<u3', 'fortran_order': False, 'shape': (2,)}", 6, "'<u3' is not supported"},
        {"{'descr': '|b2', 'fortran_order': False, 'shape': (2,)}", 4, "'|b2' is not supported"},
        {"{'descr': '|S3', 'fortran_order': False, 'shape': (2,)}", 6, "3 bytes, and not 1, 2, 4, 8 or 16"},
        {"{'descr': '|S0', 'fortran_order': False, 'shape': (2,)}", 0, "'|S0' is not supported"},
        {"{'descr': '|S9999', 'fortran_order': False, 'shape': (1,)}", 8, "'|S9999' is not supported"},
        {"{'descr': '<U3', 'fortran_order': False, 'shape': (2,)}", 24, "12 bytes, and not 1, 2, 4, 8 or 16"},
        {"{'descr': '<M8[', 'fortran_order': False, 'shape': (1,)}", 8, "'<M8[' is not supported"},
        {"{'descr': '<M8[ns]x', 'fortran_order': False, 'shape': (1,)}", 8, "'<M8[ns]x' is not supported"},
        {"{'descr': '<M8[1234567890123456us]', 'fortran_order': False, 'shape': (1,)}", 8, "is not supported"},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", 8, "'|O' is not supported"},
        {"{'descr': '|f4', 'fortran_order': False, 'shape': (2,)}", 8, "'|f4' is not supported"},
        {"{'descr': '', 'fortran_order': False, 'shape': (2,)}", 8, "'' is not supported"},
        {"{'descr': '<', 'fortran_order': False, 'shape': (2,)}", 8, "'<' is not supported"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': 2}", 8, "no tuple"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2)}", 8, "no tuple"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2 1)}", 8, "lacks a comma"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (,)}", 8, "no number"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,,)}", 8, "no number"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (02,)}", 8, "no number"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (0x2,)}", 8, "lacks a comma"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2.0,)}", 8, "lacks a comma"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,", 8, "no number"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}", 8, "negative"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1, -2)}", 8, "negative"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775808,)}", 8, "64 bits"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999999,)}", 8, "64 bits"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807,)}", 8, "overflows"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", 8, "overflows"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387905, 4)}", 8, "overflows"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1, 2)}", 8, "more than 3 dimensions"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,)}", 8, "truncated"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 7, "truncated"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 9, "1 bytes follow"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (0,)}", 4, "4 bytes follow"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int version = 1; version <= 3; version++)
            expect_refusal(version, cases[i].dictionary, cases[i].data_bytes, cases[i].reason);
    }
    expect_refusal(4, "{}", 0, "version 4.0");
    expect_refusal(0, "{}", 0, "version 0.0");
}

/* An empty array of any width is no overflow. */
static void empty_but_wide(void **state)
{
    (void)state;
    plx_array array;
    plx_error error = {""};
    assert_int_equal(read_composed(1, "{'descr': '<f4', 'fortran_order': True, 'shape': (0, 9223372036854775807)}",
                                   NULL, 0, &array, &error),
                     PLX_OK);
    assert_int_equal(array.rows, 0);
    assert_true(array.cols == INT64_MAX);
    assert_null(array.data);
}

static void truncated_at_every_byte(void **state)
{
    (void)state;
    unsigned char bytes[1024];
    double values[4] = {1, 2, 3, 4};
    plx_error error = {""};
    assert_int_equal(
        plx_npy_write(path, &(plx_array){.dtype = PLX_F64, .rank = 2, .rows = 2, .cols = 2, .data = values}, &error),
        PLX_OK);
    size_t count = read_file(bytes, sizeof bytes);
    assert_true(count < sizeof bytes);
    for (size_t kept = 0; kept < count; kept++) {
        plx_array array;
        write_file(bytes, kept);
        assert_int_equal(plx_npy_read(path, &array, &error), PLX_INVALID);
        assert_true(strlen(error.text) > strlen(path));
    }
    bytes[count] = 0;
    write_file(bytes, count + 1);
    plx_array array;
    assert_int_equal(plx_npy_read(path, &array, &error), PLX_INVALID);
}

/* Any one byte of the header may be anything: an answer, never a crash, and never an
 * array that is larger than the file. */
static void every_byte_flipped(void **state)
{
    (void)state;
    unsigned char bytes[1024];
    int16_t values[6] = {1, 2, 3, 4, 5, 6};
    plx_error error = {""};
    assert_int_equal(
        plx_npy_write(path, &(plx_array){.dtype = PLX_I16, .rank = 2, .rows = 2, .cols = 3, .data = values}, &error),
        PLX_OK);
    size_t count = read_file(bytes, sizeof bytes);
    static const unsigned char masks[] = {0x01, 0x02, 0x10, 0x80, 0xff};
    for (size_t i = 0; i < count - sizeof values; i++) {
        for (size_t m = 0; m < sizeof masks; m++) {
            plx_array array;
            bytes[i] ^= masks[m];
            write_file(bytes, count);
            if (plx_npy_read(path, &array, &error) == PLX_OK) {
                assert_int_equal((size_t)(array.rows * array.cols) * plx_dtype_size(array.dtype), sizeof values);
                plx_array_free(&array);
            }
            bytes[i] ^= masks[m];
        }
    }
}

static void huge_header_length(void **state)
{
    (void)state;
    static const unsigned char lying[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 2, 0, 0xff, 0xff, 0xff, 0xff, '{'};
    static const unsigned char other[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 0xff, 0xff, '{'};
    plx_array array;
    plx_error error = {""};
    write_file(lying, sizeof lying);
    assert_int_equal(plx_npy_read(path, &array, &error), PLX_INVALID);
    assert_non_null(strstr(error.text, "truncated"));
    write_file(other, sizeof other);
    assert_int_equal(plx_npy_read(path, &array, &error), PLX_INVALID);
    assert_non_null(strstr(error.text, "truncated"));
}

/* A header that is all there, but absurdly long. */
static void long_header(void **state)
{
    (void)state;
    size_t length = (size_t)2 << 20;
    unsigned char *bytes = malloc(length + 12);
    assert_non_null(bytes);
    memset(bytes, ' ', length + 12);
    memcpy(bytes, "\x93NUMPY\x02\x00\x00\x00\x20\x00{", 13);
    write_file(bytes, length + 12);
    free(bytes);
    plx_array array;
    plx_error error = {""};
    assert_int_equal(plx_npy_read(path, &array, &error), PLX_INVALID);
    assert_non_null(strstr(error.text, "too long"));
}

static void no_regular_file(void **state)
{
    (void)state;
    plx_array array;
    plx_error error = {""};
    assert_int_equal(plx_npy_read(directory, &array, &error), PLX_IO);
    assert_non_null(strstr(error.text, "not a regular file"));
    (void)unlink(path);
    assert_int_equal(plx_npy_read(path, &array, &error), PLX_IO);
    assert_non_null(strstr(error.text, "No such file"));
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(plx_npy_read(path, &array, &error), PLX_IO); /* and does not wait */
    assert_non_null(strstr(error.text, "not a regular file"));
    assert_int_equal(unlink(path), 0);
}

static void unreadable_file(void **state)
{
    (void)state;
    plx_array array;
    plx_error error = {""};
    write_file("x", 1);
    assert_int_equal(chmod(path, 0), 0);
    if (geteuid() == 0)
        assert_int_equal(plx_npy_read(path, &array, &error), PLX_INVALID); /* root reads all */
    else
        assert_int_equal(plx_npy_read(path, &array, &error), PLX_IO);
    assert_int_equal(unlink(path), 0);
}

/* The file that the project ships. */
static void real_data(void **state)
{
    (void)state;
    const char *top = getenv("top_srcdir");
    char file[4096];
    plx_array array;
    plx_error error = {""};
    (void)snprintf(file, sizeof file, "%s/data/digits-pixels-1797x64-f32.npy", top != NULL ? top : ".");
    assert_int_equal(plx_npy_read(file, &array, &error), PLX_OK);
    assert_int_equal(array.dtype, PLX_F32);
    assert_int_equal(array.rank, 2);
    assert_int_equal(array.rows, 1797);
    assert_int_equal(array.cols, 64);
    double sum = 0;
    for (int64_t i = 0; i < 1797 * 64; i++)
        sum += (double)((const float *)array.data)[i];
    assert_true(sum == 561718.0);
    plx_array_free(&array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trips),
        cmocka_unit_test(elements_that_are_only_moved),
        cmocka_unit_test(a_type_of_another_size_is_not_written),
        cmocka_unit_test(only_transpose_takes_them),
        cmocka_unit_test(a_zip_archive_is_named),
        cmocka_unit_test(data_is_aligned),
        cmocka_unit_test(all_versions),
        cmocka_unit_test(both_byte_orders),
        cmocka_unit_test(complex_byte_order),
        cmocka_unit_test(elements_of_16_bits),
        cmocka_unit_test(wide_byte_orders),
        cmocka_unit_test(fortran_order),
        cmocka_unit_test(stacks),
        cmocka_unit_test(tolerated_headers),
        cmocka_unit_test(refused_headers),
        cmocka_unit_test(empty_but_wide),
        cmocka_unit_test(truncated_at_every_byte),
        cmocka_unit_test(every_byte_flipped),
        cmocka_unit_test(huge_header_length),
        cmocka_unit_test(long_header),
        cmocka_unit_test(no_regular_file),
        cmocka_unit_test(unreadable_file),
        cmocka_unit_test(real_data),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
