# Read by the shell of each test: what is set for drivers outside of the tests has no part in them, unless it leads to
# drivers that are there or picks devices that are.
for name in $(env | sed -n 's/^\(CUBLAS[A-Za-z0-9_]*\)=.*/\1/p') NVIDIA_TF32_OVERRIDE CUDA_LAUNCH_BLOCKING \
    CUDA_FORCE_PTX_JIT CUDA_DISABLE_PTX_JIT CUDA_DEVICE_MAX_CONNECTIONS POCL_DEVICES; do
    unset "$name"
done

# Python as it is by itself: what it prints is not written at once, and a child that ends must do so.
unset PYTHONUNBUFFERED

# A container without .icd files may name NVIDIA's library in them.
for name in OCL_ICD_VENDORS OCL_ICD_FILENAMES OPENCL_VENDOR_PATH; do
    eval "value=\${$name-}"
    case $value in
    lib*.so*) ;;
    *) [ -n "$value" ] && [ -e "$value" ] || unset "$name" ;;
    esac
done

# Numbers below that of the devices, or names of devices, may be a choice.
devices=$(ls /proc/driver/nvidia/gpus 2>/dev/null | wc -l)
for word in $(printf '%s' "${CUDA_VISIBLE_DEVICES-none}" | tr ',' ' '); do
    case $word in
    GPU-* | MIG-*) ;;
    *[!0-9]*) unset CUDA_VISIBLE_DEVICES ;;
    *) [ "$word" -lt "$devices" ] || unset CUDA_VISIBLE_DEVICES ;;
    esac
done
[ -n "${CUDA_VISIBLE_DEVICES-}" ] || unset CUDA_VISIBLE_DEVICES

# Stubs are for linking.
case ${LD_LIBRARY_PATH-} in
*/stubs*)
    LD_LIBRARY_PATH=$(printf '%s' "$LD_LIBRARY_PATH" | tr ':' '\n' | grep -v /stubs | tr '\n' ':')
    LD_LIBRARY_PATH=${LD_LIBRARY_PATH%:}
    export LD_LIBRARY_PATH
    ;;
esac
unset name value word devices
