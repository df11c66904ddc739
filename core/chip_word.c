/* Devices by what they are called everywhere: their UUID, as NVIDIA's and other tools write it, or their PCI address.
 * A number changes with the machine and with variables that hide devices. */
#include "core/core.h"

#include "base/format.h"

#include <ctype.h>
#include <string.h>

enum { LEAST_DIGITS = 4 };

static bool is_hex(char c)
{
    return isxdigit((unsigned char)c) != 0;
}

/* Behind "GPU-" and "MIG-", which tell only what kind of a thing it is. */
static const char *digits_of(const char *word)
{
    static const char *const kinds[] = {"GPU-", "MIG-"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strncmp(word, kinds[i], 4) == 0)
            return word + 4;
    return word;
}

/* Each of its characters, whatever their case, that `whole` begins with. */
static bool begins(const char *whole, const char *word)
{
    while (*word != '\0' && tolower((unsigned char)*whole) == tolower((unsigned char)*word)) {
        whole++;
        word++;
    }
    return *word == '\0';
}

bool plx_is_chip_word(const char *word)
{
    const char *digits = digits_of(word);
    size_t hex = 0, other = 0;
    for (const char *at = digits; *at != '\0'; at++) {
        if (!is_hex(*at) && strchr("-:.", *at) == NULL)
            return false;
        hex += is_hex(*at);
        other += !is_hex(*at) || isalpha((unsigned char)*at) != 0;
    }
    return hex >= LEAST_DIGITS && (digits != word || other > 0);
}

bool plx_device_is(const plx_device_info *info, const char *word)
{
    const char *digits = digits_of(word);
    char uuid[40];
    if (!plx_is_chip_word(word))
        return false;
    if (info->pci[0] != '\0' && strlen(info->pci) == strlen(word) && begins(info->pci, word))
        return true;
    if (!info->has_uuid)
        return false;
    plx_uuid_text(info->uuid, uuid);
    return begins(uuid, digits);
}
