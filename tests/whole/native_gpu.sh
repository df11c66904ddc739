#!/bin/sh
# All that only a GPU can prove of memory, streams, graphs and tensors of others, and what a call costs: at most five
# minutes.  To be run by hand, in the build directory:  ../tests/whole/native_gpu.sh
set -u
source=$(cd "$(dirname "$0")/../.." && pwd)
make -j "$(nproc)" all tests/whole/native_gpu || exit 1
status=0
./tests/whole/native_gpu || status=1
if [ -x dispatch-cuda ]; then
    ./dispatch-cuda 0 || status=1
fi
PYTHONPATH=$source/python PYTHONDONTWRITEBYTECODE=1 PLX_LIBRARY=$PWD/.libs/libparallax.so \
    "${PYTHON:-python3}" "$source/tests/python/native_torch.py"
case $? in
0 | 77) ;;
*) status=1 ;;
esac
exit $status
