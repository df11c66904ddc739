/* Names of signals, for messages.  Private to the tree. */
#ifndef PLX_BASE_SIGNAL_NAME_H
#define PLX_BASE_SIGNAL_NAME_H

#include <stddef.h>

/* "SIGPIPE (Broken pipe)", "SIGRTMIN+3", or "signal 99" where the system has none of that number. */
void plx_signal_name(int number, char *name, size_t capacity);

#endif
