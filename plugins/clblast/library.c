/* A session with the user's tuned parameters. */
#include "plugins/clblast/library.h"
#include "plugins/clblast/tuned.h"

#include <pthread.h>

/* CLBlast keeps the programs that it has built for a context, and so the context, until all that it keeps is
 * cleared, that of other contexts as well.  It is when no session is left, and while there are some when so
 * many have gone: what they need again is built anew. */
enum { MOST_GONE = 8 };

static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;
static unsigned open_sessions, gone_sessions; /* gone: since it was cleared */

static void count_open(void)
{
    (void)pthread_mutex_lock(&counting);
    open_sessions++;
    (void)pthread_mutex_unlock(&counting);
}

static void count_close(void)
{
    (void)pthread_mutex_lock(&counting);
    open_sessions--;
    if (++gone_sessions >= MOST_GONE || open_sessions == 0) {
        (void)CLBlastClearCache();
        gone_sessions = 0;
    }
    (void)pthread_mutex_unlock(&counting);
}

/* With what was tuned for the device. */
static plx_status complete(plx_session *opened, plx_session **session, plx_error *error)
{
    const plx_status status = plx_clblast_tune(opened->device, opened->info.name, error);
    if (status != PLX_OK) {
        plx_cl_close(opened);
        return status;
    }
    count_open();
    *session = opened;
    return PLX_OK;
}

plx_status plx_clblast_open(size_t device, plx_session **session, plx_error *error)
{
    plx_session *opened;
    const plx_status status = plx_cl_open(device, &opened, error);
    return status == PLX_OK ? complete(opened, session, error) : status;
}

plx_status plx_clblast_open_on(const plx_native_device *native, size_t *device, plx_session **session, plx_error *error)
{
    plx_session *opened;
    const plx_status status = plx_cl_open_on(native, device, &opened, error);
    return status == PLX_OK ? complete(opened, session, error) : status;
}

void plx_clblast_close(plx_session *session)
{
    plx_cl_close(session);
    count_close();
}
