/* The name that a mistyped word most likely means. */
#include <parallax/tool.h>

#include <ctype.h>
#include <string.h>

/* Longer words have no near names: nobody mistypes so much. */
#define LONGEST 48

static size_t smallest(size_t a, size_t b, size_t c)
{
    const size_t least = a < b ? a : b;
    return least < c ? least : c;
}

static bool same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Letters to insert, remove, replace or swap with their neighbour to make one
 * word of the other (optimal string alignment distance). */
static size_t distance(const char *a, size_t length_a, const char *b, size_t length_b)
{
    size_t cost[LONGEST + 1][LONGEST + 1];
    for (size_t i = 0; i <= length_a; i++)
        cost[i][0] = i;
    for (size_t j = 0; j <= length_b; j++)
        cost[0][j] = j;
    for (size_t i = 1; i <= length_a; i++) {
        for (size_t j = 1; j <= length_b; j++) {
            const size_t replaced = cost[i - 1][j - 1] + (same_letter(a[i - 1], b[j - 1]) ? 0 : 1);
            cost[i][j] = smallest(cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced);
            const bool swapped = i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]);
            if (swapped && cost[i - 2][j - 2] + 1 < cost[i][j])
                cost[i][j] = cost[i - 2][j - 2] + 1;
        }
    }
    return cost[length_a][length_b];
}

const char *plx_nearest_name(const char *word, const char *const *names, size_t count)
{
    const char *nearest = NULL;
    const size_t length = strlen(word);
    size_t best = length / 3 + 1; /* one letter in three may be wrong, and always one */
    if (length == 0 || length > LONGEST)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        const size_t name_length = strlen(names[i]);
        if (name_length == 0 || name_length > LONGEST)
            continue;
        const size_t changes = distance(word, length, names[i], name_length);
        const bool nothing_left = changes >= name_length && changes >= length;
        if (!nothing_left && (changes < best || (changes == best && nearest == NULL))) {
            best = changes;
            nearest = names[i];
        }
    }
    return nearest;
}
