/* The progress line: what is being done, and how many seconds remain, by what the part that is done took.  It is drawn
 * again each second, so that it never stands still. */
#include "cli.h"

#include "base/clock.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    bool shown;
    double began_s, share; /* of all; 0: nobody knows */
    char what[256];
} now;

static double clock_s(void)
{
    return plx_now_ns() * 1e-9;
}

/* "12 s left", "3 min left"; "" in the first moments, when nobody can know. */
void cli_time_left(double elapsed_s, double share, char *text, size_t capacity)
{
    enum { MINUTE = 60, HOUR = 3600 };
    const double left = share > 0 && share < 1 ? elapsed_s * (1 - share) / share : 0;
    text[0] = '\0';
    if (elapsed_s < 1)
        return;
    if (!(share > 0))
        (void)snprintf(text, capacity, "%.0f s so far, ", elapsed_s);
    else if (left < 2 * MINUTE)
        (void)snprintf(text, capacity, "%.0f s left, ", left < 1 ? 1.0 : left);
    else if (left < 2 * HOUR)
        (void)snprintf(text, capacity, "%.0f min left, ", left / MINUTE);
    else
        (void)snprintf(text, capacity, "%.0f h left, ", left / HOUR);
}

/* At most `room` characters of a line, up to the end of a word. */
static int fitting(const char *text, int room)
{
    int length = (int)strlen(text), end;
    if (length <= room)
        return length;
    for (end = room > 0 ? room : 0; end > 0 && text[end] != ' '; end--)
        continue;
    return end;
}

static void draw(void)
{
    static const char bar[] = "============";
    enum { LENGTH = sizeof bar - 1, USUAL_WIDTH = 80 };
    const int width = cli_width_of(STDERR_FILENO), filled = (int)(now.share * LENGTH);
    char left[40], text[320];
    cli_time_left(clock_s() - now.began_s, now.share, left, sizeof left);
    (void)snprintf(text, sizeof text, "%s%s", left, now.what);
    (void)fprintf(stderr, "\r\033[K[%-*.*s] %.*s", LENGTH, filled, bar,
                  fitting(text, (width > 0 ? width : USUAL_WIDTH) - LENGTH - 4), text);
    (void)fflush(stderr);
}

static void show_progress(void *data, size_t done, size_t total, const char *what)
{
    (void)data;
    (void)pthread_mutex_lock(&lock);
    if (!now.shown)
        now.began_s = clock_s();
    now.shown = true;
    now.share = total > 0 ? fmin((double)done / (double)total, 0.99) : 0; /* what is done is not told of any more */
    (void)snprintf(now.what, sizeof now.what, "%s", what != NULL ? what : "");
    draw();
    (void)pthread_mutex_unlock(&lock);
}

void cli_progress_tick(void)
{
    (void)pthread_mutex_lock(&lock);
    if (now.shown)
        draw();
    (void)pthread_mutex_unlock(&lock);
}

cli_progress_function *cli_progress(const cli_options *options)
{
    const char *term = getenv("TERM");
    bool plain = term == NULL || strcmp(term, "dumb") == 0;
    return isatty(STDERR_FILENO) && !plain && !(options->given & OPT_QUIET) ? show_progress : NULL;
}

void cli_progress_end(void)
{
    (void)pthread_mutex_lock(&lock);
    if (now.shown)
        (void)fprintf(stderr, "\r\033[K");
    now.shown = false;
    (void)pthread_mutex_unlock(&lock);
}
