/* Why a call failed, in words: kept per thread and per context.
 *
 * A thread gets room for its messages when something first fails in it.  They are no thread-local array: of
 * that a library that is loaded at run time has little. */
#include "core/core.h"

#include "base/address_limit.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
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

typedef struct memory {
    uint64_t newest;
    message messages[REMEMBERED];
} memory;

/* What the calling thread remembers; NULL: nothing failed in it yet.  `nowhere`: there was no room for it. */
static _Thread_local memory *own;
static memory nowhere;

/* ---- room for it -------------------------------------------------------------------- */

/* Where there is no memory, one thread at a time has this: what has to be said is most often just that. */
static memory spare;
static atomic_bool spare_is_taken;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key; /* for its end alone */
static bool has_key;

static void give_back(void *room)
{
    own = NULL; /* what is still to be ended in this thread may fail */
    if (room != &spare) {
        free(room);
        return;
    }
    memset(&spare, 0, sizeof spare);
    atomic_store(&spare_is_taken, false);
}

static void make_key(void)
{
    has_key = pthread_key_create(&key, give_back) == 0;
}

/* False: it would never be given back. */
static bool is_kept(memory *room)
{
    (void)pthread_once(&once, make_key);
    return has_key && pthread_setspecific(key, room) == 0;
}

static memory *take_spare(void)
{
    bool taken = false;
    if (!atomic_compare_exchange_strong(&spare_is_taken, &taken, true))
        return &nowhere;
    (void)is_kept(&spare); /* if not, this thread has it for good */
    return &spare;
}

static memory *take_room(void)
{
    memory *room = calloc(1, sizeof *room);
    if (room != NULL && is_kept(room))
        return room;
    free(room);
    return take_spare();
}

/* ---- messages ----------------------------------------------------------------------- */

static uint64_t serial_of(const plx_context *context)
{
    return context != NULL ? context->serial : 0;
}

static message *find(memory *in, uint64_t serial)
{
    for (size_t i = 0; i < REMEMBERED; i++)
        if (in->messages[i].age != 0 && in->messages[i].context == serial)
            return &in->messages[i];
    return NULL;
}

static message *oldest(memory *in)
{
    message *candidate = &in->messages[0];
    for (size_t i = 1; i < REMEMBERED; i++)
        if (in->messages[i].age < candidate->age)
            candidate = &in->messages[i];
    return candidate;
}

static void keep(memory *in, uint64_t serial, const char *text)
{
    message *place = find(in, serial);
    if (place == NULL)
        place = oldest(in);
    place->context = serial;
    place->age = ++in->newest;
    (void)strcpy(place->text, text);
}

plx_status plx_context_fail(const plx_context *context, plx_status status, const char *format, ...)
{
    char text[LONGEST]; /* an argument may be the old message */
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (own == NULL || own == &nowhere)
        own = take_room();
    if (own != &nowhere)
        keep(own, serial_of(context), text);
    return status;
}

plx_status plx_out_of_memory(const plx_context *context, const char *what)
{
    char limit[PLX_ADDRESS_LIMIT_TEXT];
    return plx_context_fail(context, PLX_NO_MEMORY, "no host memory for %s%s", what, plx_address_limit(limit));
}

const char *plx_message(const plx_context *context)
{
    if (own == NULL)
        return "";
    if (own == &nowhere)
        return "no host memory to keep the reason of a failure";
    const message *found = find(own, serial_of(context));
    return found != NULL ? found->text : "";
}
