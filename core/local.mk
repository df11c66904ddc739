# libparallax: the dispatcher, the judge and the reports.
lib_LTLIBRARIES += libparallax.la
libparallax_la_SOURCES = \
	core/core.h \
	core/backend.c \
	core/buffer.c \
	core/choices.c \
	core/choices.h \
	core/context.c \
	core/device_check.c \
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
	core/text.c \
	core/words.c

# .npy files, reports and what is remembered of them.
libparallax_la_SOURCES += \
	core/bench_file.c \
	core/diff.c \
	core/diff.h \
	core/diff_environment.c \
	core/diff_match.c \
	core/environment.c \
	core/environment.h \
	core/gains.c \
	core/gnuplot.c \
	core/json_file.c \
	core/json_file.h \
	core/json_results.c \
	core/json_results.h \
	core/npy.c \
	core/npy.h \
	core/npy_header.c \
	core/output_file.c \
	core/problem_shape.c \
	core/ratios.c \
	core/ratios.h \
	core/report.h \
	core/report_counters.c \
	core/report_csv.c \
	core/report_diff.c \
	core/report_json.c \
	core/report_json.h \
	core/report_probe.c \
	core/report_probe_json.c \
	core/report_table.c \
	core/report_text.c \
	core/standings.c \
	core/student.c \
	core/student.h

# The page.
libparallax_la_SOURCES += \
	core/page.c \
	core/page.h \
	core/page_agreement.c \
	core/page_data.c \
	core/page_environment.c \
	core/page_figure.c \
	core/page_frame.c \
	core/page_group.c \
	core/page_ladder.c \
	core/page_peers.c \
	core/page_records.c \
	core/page_roofline.c \
	core/page_summary.c \
	core/page_sweep.c \
	core/page_text.c

# The judge and the studies.
libparallax_la_SOURCES += \
	core/agree.c \
	core/arm.c \
	core/bench.c \
	core/bench.h \
	core/bench_cases.c \
	core/bits.c \
	core/bulk.c \
	core/cases.c \
	core/cases.h \
	core/ceiling.c \
	core/ceiling_measure.c \
	core/ceilings.c \
	core/clock_fit.c \
	core/clocks.c \
	core/check.c \
	core/check.h \
	core/check_unit.c \
	core/claims.c \
	core/compare.c \
	core/count.c \
	core/element.c \
	core/failure.c \
	core/failure.h \
	core/flush.c \
	core/freivalds.c \
	core/generate.c \
	core/inputs.c \
	core/judge.h \
	core/measure.c \
	core/pool.c \
	core/memory.c \
	core/probe.c \
	core/probe.h \
	core/probe_sweeps.c \
	core/probe_verdict.c \
	core/repeat.c \
	core/results.c \
	core/run_once.c \
	core/random_set.c \
	core/sets.c \
	core/sets.h \
	core/samples.c \
	core/timed_queues.c \
	core/timed_results.c \
	core/timed_results.h \
	core/statistics.c \
	core/stopwatch.h \
	core/study.h \
	core/trial.c \
	core/truth.c \
	core/tune.c \
	core/user_cache.c \
	core/user_cache.h \
	core/validate.c \
	core/viewpoint.c \
	core/watch.c

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
