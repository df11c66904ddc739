#!/bin/sh
# No backend keeps memory of what was closed: each is opened and closed fifty times, CHECK_FORM=full two hundred,
# with a product in between.
# cuda runs on the driver that is not there (tests/fakes/fake_cuda.c).
#
# On a machine with a GPU that nobody else uses, device memory is looked at, too, on the real drivers:
#     GROWTH_DEVICE=1 top_builddir=build sh tests/plugins/test_growth.sh
. "${top_srcdir:-.}/tests/support.sh"
growth=$built/tests/plugins/growth
[ -x "$growth" ] || { echo "there is no $growth"; exit 99; }
if ldd "$built/.libs/libparallax.so.0" 2>/dev/null | grep -q 'lib[at]san'; then
    echo "skipped: sanitizers keep what was freed, and look for leaks themselves"
    exit 77
fi

rounds=50
[ "${CHECK_FORM-}" != full ] || rounds=200
grows() { # BACKEND
    "$growth" "$1" $rounds ${GROWTH_DEVICE:+device} >"$work/out" 2>"$work/err"
    status=$?
    case $status in
    0) cases=$((cases + 1)) && cat "$work/out" ;;
    77) echo "not tried: $(cat "$work/err")" ;;
    *) fail "$1: status $status" ;;
    esac
}

if [ -n "${GROWTH_DEVICE:-}" ]; then
    for backend in cuda cublas opencl clblast; do
        grows $backend
    done
    finish
    exit
fi
for backend in host openblas opencl clblast; do
    [ ! -f "$built/.libs/plx-$backend.so" ] || grows $backend
done
if [ -f "$built/.libs/plx-cuda.so" ] && [ -f "$built/tests/fakes/.libs/fake-cuda.so" ]; then
    PLX_CUDA_LIBRARY=$built/tests/fakes/.libs/fake-cuda.so PLX_NVML_LIBRARY=/nowhere PLX_CUPTI_LIBRARY=/nowhere
    FAKE_COMPUTES=1
    export PLX_CUDA_LIBRARY PLX_NVML_LIBRARY PLX_CUPTI_LIBRARY FAKE_COMPUTES
    grows cuda
fi
finish
