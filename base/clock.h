/* The clock by which all is timed.  Private to the tree. */
#ifndef PLX_BASE_CLOCK_H
#define PLX_BASE_CLOCK_H

double plx_now_ns(void);               /* only goes forward */
void plx_pause_ns(double nanoseconds); /* at least, unless a signal comes */

#endif
