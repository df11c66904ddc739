# Studies: judging, measuring, comparing, and what is written of it; one directory each.

study_files_sources = \
	study/files/fit.c \
	study/files/json_digits.c \
	study/files/json_file.c \
	study/files/json_file.h \
	study/files/json_pack.c \
	study/files/json_table.h \
	study/files/json_unpack.c \
	study/files/npy.c \
	study/files/npy_header.c \
	study/files/npy_header.h \
	study/files/user_cache.c \
	study/files/user_cache.h

study_results_sources = \
	study/results/archive.c \
	study/results/archive.h \
	study/results/attribution_file.c \
	study/results/choice_file.c \
	study/results/counters.c \
	study/results/environment.c \
	study/results/names.c \
	study/results/names.h \
	study/results/problem_file.c \
	study/results/manifest.c \
	study/results/read.c \
	study/results/record_file.c \
	study/results/studies_file.c \
	study/results/units_file.c \
	study/results/results.c \
	study/results/results.h \
	study/results/words.h

study_report_sources = \
	study/report/ci.c \
	study/report/csv.c \
	study/report/diff.c \
	study/report/escape.c \
	study/report/json.c \
	study/report/json.h \
	study/report/probe_table.c \
	study/report/report.h \
	study/report/standings.c \
	study/report/legend.c \
	study/report/table.c \
	study/report/table_counters.c \
	study/report/types_table.c \
	study/report/units_table.c \
	study/report/verdicts.c

study_judge_sources = \
	study/judge/agree.c \
	study/judge/bound.c \
	study/judge/element.c \
	study/judge/floats.c \
	study/judge/freivalds.c \
	study/judge/generate.c \
	study/judge/grain.c \
	study/judge/inputs.c \
	study/judge/judge.h \
	study/judge/likeness.c \
	study/judge/memory.c \
	study/judge/pool.c \
	study/judge/promise.c \
	study/judge/reference.c \
	study/judge/result.c \
	study/judge/save.c \
	study/judge/traps.c \
	study/judge/validate.c

study_run_sources = \
	study/run/candidate.c \
	study/run/activity.c \
	study/run/backends.c \
	study/run/bits.c \
	study/run/claims.c \
	study/run/flush.c \
	study/run/guarded_run.c \
	study/run/integers.c \
	study/run/one_set.c \
	study/run/one_set.h \
	study/run/operand_buffers.c \
	study/run/operand_buffers.h \
	study/run/phases.c \
	study/run/record.c \
	study/run/repeat.c \
	study/run/stop.c \
	study/run/run.h \
	study/run/telemetry.c \
	study/run/transfer.c

study_measure_sources = \
	study/measure/ceiling.c \
	study/measure/ceiling.h \
	study/measure/ceiling_measure.c \
	study/measure/ceilings.c \
	study/measure/ceilings_kept.c \
	study/measure/clock_fit.c \
	study/measure/closing.c \
	study/measure/counters.c \
	study/measure/measure.c \
	study/measure/measure.h \
	study/measure/runner.c \
	study/measure/runner.h \
	study/measure/samples.c \
	study/measure/statistics.c \
	study/measure/timed_batch.c \
	study/measure/timed_looks.c \
	study/measure/timed_queues.c \
	study/measure/timed_results.c \
	study/measure/timed_results.h \
	study/measure/timed_data.c \
	study/measure/timed_data.h \
	study/measure/timed_sets.c \
	study/measure/timed_sets.h \
	study/measure/timed_turns.c \
	study/measure/timed_verify.c \
	study/measure/timing.h \
	study/measure/watch.c

study_compare_sources = \
	study/compare/compare.c \
	study/compare/comparison.h \
	study/compare/run_once.c

study_attribute_sources = \
	study/attribute/attribute.c \
	study/attribute/attribute.h \
	study/attribute/effects.c \
	study/attribute/kernel.c \
	study/attribute/listings.c \
	study/attribute/problems.c \
	study/attribute/table.c \
	study/attribute/verdict.c

study_check_sources = \
	study/check/cases.c \
	study/check/cases.h \
	study/check/check.c \
	study/check/check.h \
	study/check/failure.c \
	study/check/failure.h \
	study/check/unit.c

study_challenge_sources = \
	study/challenge/challenge.h \
	study/challenge/manifest.c \
	study/challenge/read.c \
	study/challenge/write.c

study_kernel_sources = \
	study/kernel/compile.c \
	study/kernel/export.c \
	study/kernel/given.c \
	study/kernel/kernel.c \
	study/kernel/kernel.h \
	study/kernel/record.c \
	study/kernel/source.c \
	study/kernel/subject.c \
	study/subject/message.h

study_recipe_sources = \
	study/recipe/check.c \
	study/recipe/cubin.c \
	study/recipe/cubin.h \
	study/recipe/device.c \
	study/recipe/dialects.c \
	study/recipe/draft.c \
	study/recipe/draft.h \
	study/recipe/draft_block.c \
	study/recipe/draft_parameters.c \
	study/recipe/draft_write.c \
	study/recipe/expression.c \
	study/recipe/expression.h \
	study/recipe/image.c \
	study/recipe/image.h \
	study/recipe/languages.h \
	study/recipe/launches.c \
	study/recipe/limits.c \
	study/recipe/load.c \
	study/recipe/load.h \
	study/recipe/ptx.c \
	study/recipe/ptx.h \
	study/recipe/read.c \
	study/recipe/read.h \
	study/recipe/read_launches.c \
	study/recipe/read_maps.c \
	study/recipe/reader.c \
	study/recipe/reader.h \
	study/recipe/recipe.h \
	study/recipe/scope.c \
	study/recipe/show.c \
	study/recipe/signature.c \
	study/recipe/signature.h \
	study/recipe/triton.c \
	study/recipe/triton.h

study_probe_sources = \
	study/probe/probe.c \
	study/probe/probe.h \
	study/probe/sweeps.c \
	study/probe/unit_find.c \
	study/probe/unit_model.c \
	study/probe/unit_verdict.c \
	study/probe/units.c \
	study/probe/units.h \
	study/probe/verdict.c

study_bench_sources = \
	study/bench/bench.c \
	study/bench/bench.h \
	study/bench/cases.c \
	study/bench/document.c \
	study/bench/file_set.c \
	study/bench/layer_set.c \
	study/bench/random_set.c \
	study/bench/sets.c \
	study/bench/sets.h

study_tune_sources = \
	study/tune/choice.c \
	study/tune/cuts.c \
	study/tune/cuts.h \
	study/tune/fit.c \
	study/tune/gains.c \
	study/tune/rates.h \
	study/tune/rates_file.c \
	study/tune/search.c \
	study/tune/search.h \
	study/tune/tune.c

study_screen_sources = \
	study/screen/cases.c \
	study/screen/copies.c \
	study/screen/device.c \
	study/screen/fault.c \
	study/screen/fleet.c \
	study/screen/fleet_report.c \
	study/screen/hot.c \
	study/screen/node.c \
	study/screen/on_device.c \
	study/screen/on_device.h \
	study/screen/prove.c \
	study/screen/report.c \
	study/screen/screen.h \
	study/screen/screen_file.c \
	study/screen/seal.c \
	study/screen/state.c \
	study/screen/verdict.c

study_diff_sources = \
	study/diff/between_runs.c \
	study/diff/between_runs.h \
	study/diff/diff.c \
	study/diff/diff.h \
	study/diff/environment.c \
	study/diff/losses.c \
	study/diff/match.c \
	study/diff/runs.c \
	study/diff/significance.c \
	study/diff/significance.h

study_sources = \
	$(study_files_sources) \
	$(study_results_sources) \
	$(study_report_sources) \
	$(study_judge_sources) \
	$(study_run_sources) \
	$(study_measure_sources) \
	$(study_compare_sources) \
	$(study_attribute_sources) \
	$(study_check_sources) \
	$(study_challenge_sources) \
	$(study_recipe_sources) \
	$(study_kernel_sources) \
	$(study_probe_sources) \
	$(study_bench_sources) \
	$(study_tune_sources) \
	$(study_screen_sources) \
	$(study_diff_sources)

# All of it, also for tests that reach behind the library's exports.  Descriptions of operations are
# compiled once more: their references use all processors here.
noinst_LTLIBRARIES += libplx-study.la
libplx_study_la_SOURCES = $(study_sources) $(operation_sources) $(study_operation_sources)
nodist_libplx_study_la_SOURCES = study/screen/images.c
libplx_study_la_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS) -fvisibility=hidden $(JANSSON_CFLAGS)

# What a screen runs on the device: OpenCL C as it is written, and what nvcc makes where it is there (plugins/cuda/local.mk
# says how).
EXTRA_DIST += study/screen/on_device.cl study/screen/on_device.cu
screen_images = on_device.cl=$(top_srcdir)/study/screen/on_device.cl
if HAVE_CUDA
screen_fatbin = study/screen/on_device.fatbin
screen_images += on_device.fatbin=$(screen_fatbin)
endif
study/screen/on_device.fatbin: $(top_srcdir)/study/screen/on_device.cu
	@$(MKDIR_P) $(@D)
	$(plx_nvcc_verbose)$(NVCC) -fatbin $(plx_nvcc_flags) -o $@ $<
study/screen/images.c: $(top_srcdir)/study/screen/on_device.cl $(screen_fatbin) $(top_srcdir)/build-aux/embed
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(SHELL) $(top_srcdir)/build-aux/embed plx_screen_images $(screen_images) >$@.tmp && mv -f $@.tmp $@
CLEANFILES += study/screen/on_device.fatbin study/screen/images.c study/screen/images.c.tmp

lib_LTLIBRARIES += libparallax-study.la
libparallax_study_la_SOURCES =
libparallax_study_la_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
libparallax_study_la_LIBADD = libplx-study.la libparallax.la libplx-base.la $(JANSSON_LIBS) -lm
libparallax_study_la_LDFLAGS = -version-info 0:0:0 -no-undefined $(library_rpath)
EXTRA_DIST += study/libparallax-study.map
if VERSION_SCRIPTS
libparallax_study_la_LDFLAGS += -Wl,--version-script=$(top_srcdir)/study/libparallax-study.map
libparallax_study_la_LDFLAGS += -Wl,-z,nodelete -Wl,-z,now
EXTRA_libparallax_study_la_DEPENDENCIES = study/libparallax-study.map
endif

pkgconfig_DATA += parallax-study.pc
parallaxinclude_HEADERS += \
	include/parallax/attribute.h \
	include/parallax/bench.h \
	include/parallax/check.h \
	include/parallax/compare.h \
	include/parallax/diff.h \
	include/parallax/files.h \
	include/parallax/judge.h \
	include/parallax/probe.h \
	include/parallax/recipe.h \
	include/parallax/results.h \
	include/parallax/screen.h \
	include/parallax/study.h \
	include/parallax/subject.h \
	include/parallax/tune.h \
	include/parallax/units.h

# The process in which somebody's function runs.
study_programsdir = $(pkglibdir)
study_programs_PROGRAMS = parallax-subject
parallax_subject_SOURCES = \
	study/subject/capture.c \
	study/subject/device.c \
	study/subject/fence.c \
	study/subject/main.c \
	study/subject/message.h \
	study/subject/subject.h
nodist_parallax_subject_SOURCES = study/subject/worker.c
parallax_subject_CFLAGS = $(AM_CFLAGS)

study/subject/worker.c: $(top_srcdir)/study/subject/worker.py $(top_srcdir)/build-aux/embed
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(SHELL) $(top_srcdir)/build-aux/embed plx_subject_worker worker=$(top_srcdir)/study/subject/worker.py >$@.tmp && \
		mv -f $@.tmp $@
EXTRA_DIST += study/subject/worker.py
CLEANFILES += study/subject/worker.c study/subject/worker.c.tmp
