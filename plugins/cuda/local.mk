# The CUDA backend and the cuda plugin.  nvcc compiles each kernel to a fatbin,
# build-aux/embed writes the fatbins as C arrays, and libtool sees only C.
EXTRA_LTLIBRARIES += libplx-cuda-api.la
libplx_cuda_api_la_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CFLAGS)
libplx_cuda_api_la_SOURCES = \
	backends/cuda/assembled.c \
	base/driver_variables.c \
	base/driver_variables.h \
	base/privileges.c \
	base/text.c \
	base/text.h \
	base/privileges.h \
	backends/cuda/counters.c \
	backends/cuda/cuda.h \
	backends/cuda/cupti.c \
	backends/cuda/cupti.h \
	backends/cuda/disassemble.c \
	backends/cuda/disassemble.h \
	backends/cuda/driver.c \
	backends/cuda/driver.h \
	backends/cuda/health.c \
	backends/cuda/listing.c \
	backends/cuda/listing.h \
	backends/cuda/toolkit.h \
	backends/cuda/native.c \
	backends/cuda/nvml.c \
	backends/cuda/nvml.h \
	backends/cuda/offset_text.c \
	backends/cuda/peer.c \
	backends/cuda/probe.c \
	backends/cuda/program.c \
	backends/cuda/program_shared.c \
	backends/cuda/program_text.c \
	backends/cuda/ptx_text.c \
	backends/cuda/queue.c \
	backends/cuda/scratch.c \
	backends/cuda/session.c

# kernels/gemm/device/ladder/naive.cu -> cuda-images/gemm/naive.fatbin, under the key gemm/naive.
cuda_sources = $(call plx_texts,cu)
cuda_kernels = $(foreach source,$(cuda_sources),$(call plx_key,$(source)))
plx_source = $(firstword $(filter %.cu,$^))
cuda_images = $(cuda_kernels:%=cuda-images/%.fatbin)

plx_nvcc_verbose = $(plx_nvcc_verbose_@AM_V@)
plx_nvcc_verbose_ = $(plx_nvcc_verbose_@AM_DEFAULT_V@)
plx_nvcc_verbose_0 = @echo "  NVCC    " $@;
plx_nvcc_verbose_1 =

# Flags for the kernel that is being made: where code for sm_90 is the same as for sm_90a, that and PTX for newer devices
# come from one pass of the compiler.
plx_for_kernel = $(subst 90a,$(or $(shell $(top_srcdir)/build-aux/arch-of-90 $(plx_source)),90a),$(1))

# No --use_fast_math: the judge takes every kernel at its word.
plx_nvcc_flags = $(call plx_for_kernel,$(NVCCFLAGS_ARCH)) -O3 -std=c++17 -Xfatbin -compress-all $(NVCCFLAGS)

# On its way nvcc makes PTX of the newest architecture, which is wanted, too, and takes as long again by itself.  A compiler
# cache does not know of it: with one it is made by itself.
if HAVE_PTX
plx_comma = ,
plx_ptx_arch = $(patsubst arch=%,%,$(filter arch=%,$(subst $(plx_comma), ,$(call plx_for_kernel,$(NVCCFLAGS_PTX)))))
plx_keep = $(if $(findstring cache,$(NVCC)),,--keep --keep-dir $(@:.fatbin=.kept))
endif

$(foreach source,$(cuda_sources),$(eval $(foreach kind,fatbin ptx.gz,cuda-images/$(call plx_key,$(source)).$(kind)): $(source)))

# What ptxas tells of kernels is kept beside the image: test_spills.sh reads it.  What has a number in parentheses is a
# remark, and is shown.
plx_of_kernels = -e '^ptxas info *: [^(]' -e 'bytes stack frame' -e '^$$'

cuda-images/%.fatbin:
	@$(MKDIR_P) $(@:.fatbin=.kept)
	$(plx_nvcc_verbose)$(NVCC) -fatbin $(plx_nvcc_flags) -Xptxas -v $(plx_keep) \
		-I$(top_srcdir)/include -I$(top_srcdir)/kernels -I$(top_srcdir) \
		-MD -MP -MF $(@:.fatbin=.dep) -o $@ $(plx_source) 2>$(@:.fatbin=.ptxas); \
		status=$$?; grep -v $(plx_of_kernels) $(@:.fatbin=.ptxas) >&2; exit $$status
	@mv -f $(@:.fatbin=.kept)/$(*F).$(plx_ptx_arch).ptx $(@:.fatbin=.ptx) 2>/dev/null || rm -f $(@:.fatbin=.ptx)
	@rm -rf $(@:.fatbin=.kept)

-include $(cuda_images:.fatbin=.dep)

# What `parallax attribute` runs through both APIs, and `explain --recipe` writes: the PTX of all kernels of ladders, for
# the newest architecture, of the compiler that made the images.
if HAVE_PTX
cuda_texts = $(patsubst %,cuda-images/%.ptx.gz,$(filter-out probe/%,$(cuda_kernels)))
endif

# It depends on what the image depends on.
cuda-images/%.ptx.gz: | cuda-images/%.fatbin
	@test ! -f $(@:.ptx.gz=.dep) || sed 's|\.fatbin *:|.ptx.gz:|' $(@:.ptx.gz=.dep) >$(@:.ptx.gz=.ptx.dep)
	$(plx_nvcc_verbose)test -f $(@:.gz=) || $(NVCC) -ptx $(call plx_for_kernel,$(NVCCFLAGS_PTX)) -O3 -std=c++17 $(NVCCFLAGS) \
		-I$(top_srcdir)/include -I$(top_srcdir)/kernels -I$(top_srcdir) -o $(@:.gz=) $(plx_source)
	@gzip -9nf $(@:.gz=)

-include $(cuda_texts:.ptx.gz=.ptx.dep)

# What nvcc wrote is kept by gzip, and embedded by xz, which takes a third of that: a text repeats itself farther apart
# than gzip sees.
cuda-images/%.ptx.xz: cuda-images/%.ptx.gz
	@gzip -dc $< | xz -6 -c >$@.tmp && mv -f $@.tmp $@

plugins/cuda/texts.c: $(cuda_texts:.gz=.xz) $(top_srcdir)/build-aux/embed $(top_srcdir)/build-aux/inline
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(SHELL) $(top_srcdir)/build-aux/embed plx_cuda_texts \
		$(foreach text,$(cuda_texts:.gz=.xz),$(patsubst cuda-images/%.ptx.xz,%,$(text))=$(text)) >$@.tmp && \
		mv -f $@.tmp $@

plugins/cuda/images.c: $(cuda_images) $(top_srcdir)/build-aux/embed $(top_srcdir)/build-aux/inline
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(SHELL) $(top_srcdir)/build-aux/embed plx_cuda_images \
		$(foreach kernel,$(cuda_kernels),$(kernel)=cuda-images/$(kernel).fatbin) >$@.tmp && \
		mv -f $@.tmp $@

CLEANFILES += $(cuda_images) $(cuda_images:.fatbin=.dep) $(cuda_images:.fatbin=.ptx) $(cuda_images:.fatbin=.ptxas) \
	plugins/cuda/images.c plugins/cuda/images.c.tmp \
	$(cuda_texts) $(cuda_texts:.gz=.xz) $(cuda_texts:.ptx.gz=.ptx.dep) plugins/cuda/texts.c plugins/cuda/texts.c.tmp

if HAVE_CUDA
pkglib_LTLIBRARIES += plx-cuda.la
plx_cuda_la_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CFLAGS)
plx_cuda_la_LIBADD = libplx-cuda-api.la libplx-ladder.la $(LZMA_LIBS)
plx_cuda_la_LDFLAGS = $(plugin_ldflags)
plx_cuda_la_SOURCES = \
	plugins/cuda/map.c \
	plugins/cuda/clusters.c \
	plugins/cuda/clusters.h \
	plugins/cuda/code.c \
	plugins/cuda/code.h \
	plugins/cuda/execute.c \
	plugins/cuda/launch.c \
	plugins/cuda/launch.h \
	plugins/cuda/map.h \
	plugins/cuda/parts.h \
	plugins/cuda/plan.c \
	plugins/cuda/plan.h \
	plugins/cuda/plugin.c
nodist_plx_cuda_la_SOURCES = plugins/cuda/images.c plugins/cuda/texts.c
endif
