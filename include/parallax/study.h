/* Studies: what the program `parallax` does, for library users.  Read and write
 * .npy, judge a result against its bound, compare backends and kernels on the
 * same bytes, time what passed, and write it down.
 *
 * What fails says why in *error; a context's message is nothing that a study sets. */
#ifndef PARALLAX_STUDY_H
#define PARALLAX_STUDY_H

#include <parallax/attribute.h>
#include <parallax/bench.h>
#include <parallax/check.h>
#include <parallax/compare.h>
#include <parallax/diff.h>
#include <parallax/files.h>
#include <parallax/judge.h>
#include <parallax/probe.h>
#include <parallax/recipe.h>
#include <parallax/results.h>
#include <parallax/screen.h>
#include <parallax/tune.h>
#include <parallax/units.h>

#endif
