/* The program as a process: its streams, its signals, its end; makes sure that what was written has
 * arrived. */
#define _GNU_SOURCE

#include "cli.h"

#include <fcntl.h>
#include <locale.h>
#include <signal.h>

/* A closed standard stream would hand its number to the next file that is opened.
 * The wrong direction makes its use the error that it should be. */
static void occupy_standard_streams(void)
{
    for (int descriptor = 0; descriptor <= 2; descriptor++) {
        if (fcntl(descriptor, F_GETFD) < 0)
            (void)open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY);
    }
}

int main(int argc, char **argv)
{
    (void)signal(SIGXFSZ, SIG_IGN); /* a file that grew too large is a write error, too */
    occupy_standard_streams();
    cli_streams_begin();
    (void)setlocale(LC_CTYPE, "");  /* only this: numbers keep their point */
    (void)signal(SIGPIPE, SIG_IGN); /* a closed pipe is a write error, with a message */
    cli_begin(argv);
    argv = cli_words_of_our_own(argv);
    int status = cli_dispatch(argc, argv);
    cli_process_put_back();
    int closed = cli_stdout_close();
    cli_end(closed != CLI_OK ? closed : status);
}
