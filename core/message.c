/* Why a call failed, in words: kept per thread and per context. */
#include "core/core.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A thread remembers the last failure of each of the contexts that failed it
 * most recently; more than this many at once are not expected of one thread. */
#define REMEMBERED 8
#define LONGEST 1024

typedef struct message {
    uint64_t context; /* serial; 0: of a context that could not be made */
    uint64_t age;     /* larger is newer; 0: empty */
    char text[LONGEST];
} message;

static _Thread_local message messages[REMEMBERED];
static _Thread_local uint64_t newest;

static uint64_t serial_of(const plx_context *context)
{
    return context != NULL ? context->serial : 0;
}

static message *find(uint64_t serial)
{
    for (size_t i = 0; i < REMEMBERED; i++)
        if (messages[i].age != 0 && messages[i].context == serial)
            return &messages[i];
    return NULL;
}

static message *oldest(void)
{
    message *candidate = &messages[0];
    for (size_t i = 1; i < REMEMBERED; i++)
        if (messages[i].age < candidate->age)
            candidate = &messages[i];
    return candidate;
}

plx_status plx_context_fail(const plx_context *context, plx_status status, const char *format, ...)
{
    const uint64_t serial = serial_of(context);
    message *place = find(serial);
    char text[LONGEST]; /* an argument may be the old message */
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (place == NULL)
        place = oldest();
    place->context = serial;
    place->age = ++newest;
    (void)strcpy(place->text, text);
    return status;
}

plx_status plx_out_of_memory(const plx_context *context, const char *what)
{
    return plx_context_fail(context, PLX_NO_MEMORY, "no host memory for %s", what);
}

const char *plx_message(const plx_context *context)
{
    const message *found = find(serial_of(context));
    return found != NULL ? found->text : "";
}
