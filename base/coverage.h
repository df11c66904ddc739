/* A build that counts what was executed (make coverage) writes its counts when a process ends by exit().  What ends
 * otherwise writes them by this.  Private to the tree. */
#ifndef PLX_BASE_COVERAGE_H
#define PLX_BASE_COVERAGE_H

#ifdef PLX_COVERAGE
void __gcov_dump(void);                      /* GCC's; also of the libraries that are loaded */
void fault_none(void) __attribute__((weak)); /* where faults are injected: not into the writing of counts */
#define plx_coverage_write() ((fault_none != NULL ? fault_none() : (void)0), __gcov_dump())
#else
#define plx_coverage_write() ((void)0)
#endif

#endif
