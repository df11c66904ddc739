#!/bin/sh
# Variables that hide drivers or change what they compute: doctor names them with their values, what changes results or
# times is in the record, diff says so, and no test depends on them.
. "${top_srcdir:-.}/tests/support.sh"
for name in $(env | sed -nE 's/^((OMP|OPENBLAS|CUBLAS|CUDA|OCL_ICD|GOTO|GOMP|NVIDIA)[A-Z_0-9]*|POCL_(DEVICES|MAX_PTHREAD_COUNT|AFFINITY))=.*/\1/p'); do
    unset "$name"
done

# with NAME=VALUE... -- ARGUMENT...: a run of the program.
with() {
    settings=
    while [ "$1" != -- ]; do
        settings="$settings $1"
        shift
    done
    shift
    # shellcheck disable=SC2086 # words
    env $settings "$parallax" "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
}

# ---- named -----------------------------------------------------------------------------------

nowhere=$work/nowhere # in no test's hands: one that is made there would be a driver's
stubs=/nowhere/lib64/stubs
with OCL_ICD_FILENAMES=$nowhere CUDA_VISIBLE_DEVICES=nonsense NVIDIA_TF32_OVERRIDE=1 CUDA_LAUNCH_BLOCKING=1 \
    CUDA_FORCE_PTX_JIT=1 CUBLAS_WORKSPACE_CONFIG=:16:8 CUBLASLT_NONSENSE=2 LD_LIBRARY_PATH="$stubs:/nowhere:${LD_LIBRARY_PATH-}" \
    -- doctor --plugin-dir "$work/plugins"
shows "environment: OCL_ICD_FILENAMES=$nowhere decides which OpenCL drivers are seen"
shows 'environment: CUDA_VISIBLE_DEVICES=nonsense decides which devices CUDA shows'
shows "environment: LD_LIBRARY_PATH=$stubs leads to stubs"
shows "environment: NVIDIA_TF32_OVERRIDE=1 decides whether NVIDIA's libraries round f32 to TF32"
shows 'environment: CUDA_LAUNCH_BLOCKING=1 makes each launch of CUDA wait'
shows 'environment: CUDA_FORCE_PTX_JIT=1 has'
shows 'environment: CUBLAS_WORKSPACE_CONFIG=:16:8 changes how cuBLAS computes'
shows 'environment: CUBLASLT_NONSENSE=2 changes'
with CUDA_VISIBLE_DEVICES= -- doctor --plugin-dir "$work/plugins"
shows 'environment: CUDA_VISIBLE_DEVICES= decides'
with -- doctor --plugin-dir "$work/plugins"
cases=$((cases + 1))
grep '^environment:' "$work/out" && fail "names variables that are not set"
with NVIDIA_TF32_OVERRIDE=0 -- doctor --plugin-dir "$work/plugins" --json -
cases=$((cases + 1))
tr -d ' \n' <"$work/out" | grep -qF '"name":"NVIDIA_TF32_OVERRIDE","value":"0","effect":"decides' || fail "no variables in JSON"

# ---- a driver that is there is not to be installed ------------------------------------------------

if "$parallax" doctor 2>/dev/null | grep -q '^ *opencl:0'; then
    with OCL_ICD_VENDORS=$nowhere -- doctor
    shows "no OpenCL driver is seen with OCL_ICD_VENDORS=$nowhere in the environment; unset it"
    cases=$((cases + 1))
    grep -q 'pocl-opencl-icd' "$work/out" && fail "advises to install PoCL, which is there"
fi

# PoCL links with ld, and ends the process where PATH has none: what is missing is named before.
if "$parallax" list devices 2>/dev/null | grep '^ *opencl:0' | grep -q PoCL && [ -x /usr/bin/ld ]; then
    with PATH=$nowhere -- doctor
    shows 'PATH has no ld, which PoCL links kernels with'
fi

# ---- in the record, and in diff ------------------------------------------------------------------

record() { # FILE SETTING...
    file=$1
    shift
    with PLX_PLUGIN_PATH="$work/plugins" "$@" -- compare reduce 1000 --backend host --no-timing --json "$work/$file"
    [ -s "$work/$file" ] || fail "no record $file"
}
record before.json
record after.json NVIDIA_TF32_OVERRIDE=1 CUDA_VISIBLE_DEVICES=0 CUDA_LAUNCH_BLOCKING=1
run diff "$work/before.json" "$work/after.json"
shows 'variables that drivers heed: none, now CUDA_LAUNCH_BLOCKING=1 NVIDIA_TF32_OVERRIDE=1'
record again.json NVIDIA_TF32_OVERRIDE=1 CUDA_LAUNCH_BLOCKING=1
run diff "$work/after.json" "$work/again.json"
cases=$((cases + 1))
grep 'variables that drivers heed' "$work/out" && fail "the same variables differ"

# ---- and not in the tests --------------------------------------------------------------------------

cases=$((cases + 1))
(
    OCL_ICD_VENDORS=$nowhere OCL_ICD_FILENAMES=nonsense OPENCL_VENDOR_PATH=$nowhere CUDA_VISIBLE_DEVICES=nonsense
    CUBLAS_WORKSPACE_CONFIG=x CUBLASLT_LOG_LEVEL=5 NVIDIA_TF32_OVERRIDE=x CUDA_LAUNCH_BLOCKING=1 CUDA_FORCE_PTX_JIT=1
    LD_LIBRARY_PATH=/a:/b/stubs:/c
    export OCL_ICD_VENDORS OCL_ICD_FILENAMES OPENCL_VENDOR_PATH CUDA_VISIBLE_DEVICES CUBLAS_WORKSPACE_CONFIG
    export CUBLASLT_LOG_LEVEL NVIDIA_TF32_OVERRIDE CUDA_LAUNCH_BLOCKING CUDA_FORCE_PTX_JIT LD_LIBRARY_PATH
    . "${top_srcdir:-.}/tests/environment.sh"
    [ "$LD_LIBRARY_PATH" = /a:/c ] || exit 1
    env | grep -E '^(OCL_|OPENCL_|CUDA_|CUBLAS|NVIDIA_TF32)' && exit 1
    OCL_ICD_VENDORS=libnvidia-opencl.so.1 CUDA_VISIBLE_DEVICES=GPU-0123 # choices
    export OCL_ICD_VENDORS CUDA_VISIBLE_DEVICES
    . "${top_srcdir:-.}/tests/environment.sh"
    [ "${OCL_ICD_VENDORS-}${CUDA_VISIBLE_DEVICES-}" = libnvidia-opencl.so.1GPU-0123 ]
) >"$work/out" 2>&1 || fail "tests see variables that are nonsense"
finish
