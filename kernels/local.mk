# The kernels.  An operation is a directory: this list, in the order of plx_op, is all that make and
# C know of it.
operations = kernels/reduce
operations += kernels/transpose
operations += kernels/matvec
operations += kernels/gemm
operations += kernels/probe
# That was the last operation.

# The list as C sees it: OPERATION(reduce) and so on.  On the command line, so that there is no file that
# must be made before any other; who changes the list changes parallax/types.h, which all depend on.
AM_CPPFLAGS += -D'PLX_OPERATIONS=$(patsubst kernels/%,OPERATION(%),$(operations))'

# For the dispatcher and the study.
operation_sources = \
	kernels/operation.h \
	kernels/operations.c \
	kernels/batch.c \
	kernels/fields.c \
	$(operations:=/operation.c)

# For the study.
reference_sources = \
	kernels/compensated.h \
	kernels/ieee754.h \
	kernels/reference.h \
	kernels/reference.c \
	$(operations:=/reference.c)
study_operation_sources = \
	$(reference_sources) \
	kernels/cases.h \
	kernels/sets.h \
	$(operations:=/cases.c) \
	$(operations:=/sets.c)

# For the plugins of vendors' libraries.
vendor_sources = kernels/vendor.c kernels/vendor.h $(operation_sources)

# For the plugin host.
host_kernel_sources = \
	kernels/host.h \
	kernels/ieee754.h \
	kernels/wide.h \
	kernels/probe/chains.h \
	kernels/probe/host_vectors.c \
	kernels/probe/host_vectors.h \
	kernels/probe/plain.h \
	$(operations:=/host.c)

# For the plugins of devices: every directory's kernels.c, and what else these stand on.
EXTRA_LTLIBRARIES += libplx-ladder.la
libplx_ladder_la_SOURCES = \
	kernels/arithmetic.h \
	kernels/no_terms.h \
	kernels/recipe.h \
	kernels/recipe.c \
	kernels/described.c \
	kernels/given.c \
	kernels/pieces.c \
	kernels/pieces.h \
	kernels/preference.c \
	kernels/ladders.c \
	kernels/image.h \
	kernels/image.c \
	kernels/reduce/geometry.c \
	kernels/reduce/geometry.h \
	kernels/reduce/launch.c \
	kernels/reduce/launch.h \
	kernels/transpose/geometry.c \
	kernels/transpose/geometry.h \
	kernels/matvec/choose.c \
	kernels/matvec/geometry.c \
	kernels/matvec/geometry.h \
	kernels/matvec/launch.c \
	kernels/matvec/launch.h \
	kernels/matvec/panels.c \
	kernels/gemm/launch/batch.c \
	kernels/gemm/launch/cp_async.c \
	kernels/gemm/launch/dmma.c \
	kernels/gemm/launch/f16x3.c \
	kernels/gemm/launch/ladder.c \
	kernels/gemm/launch/launch.c \
	kernels/gemm/launch/launch.h \
	kernels/gemm/launch/matvec.c \
	kernels/gemm/launch/mma.c \
	kernels/gemm/launch/opencl.c \
	kernels/gemm/launch/operand.c \
	kernels/gemm/launch/planes.c \
	kernels/gemm/launch/operand.h \
	kernels/gemm/launch/short_k.c \
	kernels/gemm/launch/warp_per_product.c \
	kernels/gemm/launch/simt.c \
	kernels/gemm/launch/simt.h \
	kernels/gemm/launch/skinny.c \
	kernels/gemm/launch/stream_k.c \
	kernels/gemm/launch/tensor.h \
	kernels/gemm/launch/tma.c \
	kernels/gemm/launch/wgmma.c \
	kernels/gemm/launch/wgmma_elected.c \
	kernels/gemm/launch/wgmma_narrow.c \
	kernels/gemm/plan/choose.c \
	kernels/gemm/plan/configs.c \
	kernels/gemm/plan/cost.h \
	kernels/gemm/plan/cp_async.c \
	kernels/gemm/plan/depth.c \
	kernels/gemm/plan/dmma.c \
	kernels/gemm/plan/enumerate.c \
	kernels/gemm/plan/f16x3.c \
	kernels/gemm/plan/family.h \
	kernels/gemm/plan/matvec.c \
	kernels/gemm/plan/mma_direct.c \
	kernels/gemm/plan/opencl.c \
	kernels/gemm/plan/plan.h \
	kernels/gemm/plan/search.c \
	kernels/gemm/plan/short_k.c \
	kernels/gemm/plan/warp_per_product.c \
	kernels/gemm/plan/simt.c \
	kernels/gemm/plan/simt.h \
	kernels/gemm/plan/skinny.c \
	kernels/gemm/plan/split_k.c \
	kernels/gemm/plan/stream_k.c \
	kernels/gemm/plan/tensor.h \
	kernels/gemm/plan/unaligned.c \
	kernels/gemm/plan/wgmma.c \
	kernels/gemm/plan/wgmma_elected.c \
	kernels/gemm/plan/wgmma_narrow.c \
	$(operation_sources) \
	$(operations:=/kernels.c)

# A kernel is picked up by its files, in its operation's directory or in one below device/: GNU make lists them.
plx_texts = $(sort $(foreach kind,$(1),$(wildcard $(top_srcdir)/kernels/*/*.$(kind) $(top_srcdir)/kernels/*/device/*/*.$(kind))))
# kernels/gemm/device/ladder/naive.cu is gemm/naive.
plx_key = $(firstword $(subst /, ,$(patsubst $(top_srcdir)/kernels/%,%,$(1))))/$(basename $(notdir $(1)))
device_sources = \
	$(call plx_texts,cl clh cu cuh h) \
	$(wildcard $(top_srcdir)/kernels/*.clh) \
	$(wildcard $(top_srcdir)/kernels/*.cuh) \
	$(wildcard $(top_srcdir)/kernels/*/plan/rates/*/*.h)
EXTRA_DIST += $(device_sources)

# One kernel: what was changed of it is compiled, and it is checked where its plugins are built.
#     make try K=gemm/tile-2d
.PHONY: try
try:
	@case '$(K)' in */*) ;; *) echo "make try K=gemm/tile-2d"; exit 2 ;; esac
	@case ' $(foreach source,$(call plx_texts,cu cl),$(call plx_key,$(source))) ' in *' $(K) '*) ;; *) echo "there is no kernel $(K)"; exit 2 ;; esac
	$(MAKE) $(AM_MAKEFLAGS) parallax tests/parallax $(if $(filter plx-opencl.la,$(pkglib_LTLIBRARIES)),plx-opencl.la) \
		$(if $(wildcard .libs/plx-cuda.so),$(filter cuda-images/$(K).fatbin,$(cuda_images)) plx-cuda.la)
	tests/parallax check $(firstword $(subst /, ,$(K))) --kernel $(lastword $(subst /, ,$(K))) --quick $(TRY)
