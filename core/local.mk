# libparallax: the dispatcher, the judge and the reports.
lib_LTLIBRARIES += libparallax.la
libparallax_la_SOURCES = \
	core/core.h \
	core/backend.c \
	core/buffer.c \
	study/tune/choices.c \
	study/tune/choices.h \
	core/context.c \
	core/elf_file.c \
	core/message.c \
	core/open.c \
	core/plan.c \
	core/plan_cache.c \
	core/plugin_file.c \
	core/problem.c \
	core/queue.c \
	core/registry.c \
	core/run.c \
	core/search.c \
	base/text.c \
	core/names.c

# .npy files, reports and what is remembered of them.
libparallax_la_SOURCES += \
	study/bench/document.c \
	study/diff/diff.c \
	study/diff/diff.h \
	study/diff/environment.c \
	study/diff/match.c \
	core/build.c \
	core/build.h \
	study/tune/gains.c \
	page/gnuplot.c \
	study/files/json_file.c \
	study/files/json_file.h \
	study/results/read.c \
	study/results/read.h \
	study/files/npy.c \
	study/files/npy_header.h \
	study/files/npy_header.c \
	base/output_file.c \
	core/problem_shape.c \
	study/report/report.h \
	study/report/table_counters.c \
	study/report/csv.c \
	study/report/diff.c \
	study/report/json.c \
	study/report/json.h \
	study/report/probe_table.c \
	study/report/probe_json.c \
	study/report/table.c \
	study/report/text.c \
	study/diff/significance.c \
	study/diff/significance.h

# The page.
libparallax_la_SOURCES += \
	page/report.c \
	page/page.h \
	page/agreement.c \
	page/data.c \
	page/environment.c \
	page/figure.c \
	page/frame.c \
	page/group.c \
	page/ladder.c \
	page/peers.c \
	page/records.c \
	page/roofline.c \
	page/summary.c \
	page/sweep.c \
	page/text.c

# The judge and the studies.
libparallax_la_SOURCES += \
	study/judge/agree.c \
	study/run/arm.c \
	study/bench/bench.c \
	study/bench/bench.h \
	study/bench/cases.c \
	study/run/bits.c \
	study/run/transfer.c \
	study/check/cases.c \
	study/check/cases.h \
	study/measure/ceiling.c \
	study/measure/ceiling_measure.c \
	study/measure/ceilings.c \
	study/run/telemetry.c \
	study/check/check.c \
	study/check/check.h \
	study/check/unit.c \
	study/compare/compare.c \
	study/measure/counters.c \
	study/judge/element.c \
	study/check/failure.c \
	study/check/failure.h \
	study/run/flush.c \
	study/judge/freivalds.c \
	study/judge/generate.c \
	study/judge/inputs.c \
	study/judge/judge.h \
	study/measure/measure.c \
	study/measure/rotation.c \
	study/judge/memory.c \
	study/probe/probe.c \
	study/probe/probe.h \
	study/probe/sweeps.c \
	study/probe/verdict.c \
	study/run/repeat.c \
	study/results/results.c \
	study/compare/run_once.c \
	study/bench/sets.c \
	study/bench/sets.h \
	study/measure/samples.c \
	study/measure/timed_queues.c \
	study/measure/statistics.c \
	study/measure/timing.h \
	study/run/run.h \
	study/run/guarded_run.c \
	study/judge/reference.c \
	study/tune/tune.c \
	study/files/user_cache.c \
	study/files/user_cache.h \
	study/judge/validate.c \
	study/run/backends.c \
	study/run/phases.c

libparallax_la_SOURCES += $(operation_sources)
nodist_libparallax_la_SOURCES = build_facts.c
libparallax_la_CPPFLAGS = $(AM_CPPFLAGS) -DPLX_PLUGIN_DIR='"$(pkglibdir)"'
libparallax_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden $(JANSSON_CFLAGS)
libparallax_la_LIBADD = $(JANSSON_LIBS) -lm
libparallax_la_LDFLAGS = -version-info 0:0:0 -no-undefined

if HAVE_CUDA
facts_nvcc = $(NVCC)
endif
# Looked at whenever make runs, for a file may have gone, and replaced only when it differs.
plx_facts = $(SHELL) $(top_srcdir)/build-aux/build-facts '$(top_srcdir)' '$(SHA256)' '$(CC)' \
	'$(AM_CFLAGS) $(CFLAGS)' '$(facts_nvcc)' '$(plx_nvcc_flags)'

build_facts.c: plx-always
	@$(plx_facts) >$@.tmp && { cmp -s $@.tmp $@ || mv -f $@.tmp $@; } && rm -f $@.tmp

.PHONY: plx-always
CLEANFILES += build_facts.c build_facts.c.tmp
