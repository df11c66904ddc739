/* SHA-256 against the examples of FIPS 180-4 and of NIST's test vectors, whole and in pieces. */
#include "base/sha256.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka.h wants those. */
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

/* The message `times` times, handed over in pieces. */
static void assert_digest(const char *message, size_t times, size_t piece, const char *wanted)
{
    unsigned char digest[PLX_SHA256_BYTES];
    char text[2 * PLX_SHA256_BYTES + 1];
    const size_t length = strlen(message) * times;
    char *whole = malloc(length + 1);
    plx_sha256 hash;
    assert_non_null(whole);
    for (size_t i = 0; i < length; i++)
        whole[i] = message[i % strlen(message)];
    plx_sha256_begin(&hash);
    for (size_t at = 0; at < length; at += piece)
        plx_sha256_add(&hash, whole + at, length - at < piece ? length - at : piece);
    plx_sha256_end(&hash, digest);
    plx_sha256_text(digest, text);
    assert_string_equal(text, wanted);
    free(whole);
}

static void test_vectors(void **state)
{
    static const size_t pieces[] = {1, 7, 63, 64, 65, 1000000};
    (void)state;
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        assert_digest("", 0, pieces[i], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_digest("abc", 1, pieces[i], "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1, pieces[i],
                      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
        assert_digest("a", 1000000, pieces[i], "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }
}

/* Every length around the ends of blocks, against sums that sha256sum prints. */
static void test_padding(void **state)
{
    static const struct {
        size_t length;
        const char *digest;
    } known[] = {
        {55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
        {56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
        {63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"},
        {64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
        {119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"},
        {120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        assert_digest("a", known[i].length, 13, known[i].digest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_vectors), cmocka_unit_test(test_padding)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
