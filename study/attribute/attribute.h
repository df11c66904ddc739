/* What the files of the attribution share.  Private to libparallax-study. */
#ifndef PLX_STUDY_ATTRIBUTE_H
#define PLX_STUDY_ATTRIBUTE_H

#include <parallax/attribute.h>

/* Which cell has whose text, and who runs it; a text of -1 is the first's own machine code. */
typedef struct plx_cell_of {
    int text, runner;
    bool as_shipped;
} plx_cell_of;
extern const plx_cell_of plx_cells[PLX_CELL_COUNT];

/* Ratios and words, from the cells and listings (effects.c, verdict.c). */
void plx_attribution_conclude(plx_attribution *attribution);
void plx_attribution_speak(plx_attribution *attribution);

#endif
