#!/bin/sh
# What doctor warns of by an OpenCL driver's version, told by a fake driver.
. "${top_srcdir:-.}/tests/support.sh"
mkdir "$work/lib" "$work/opencl" && cp "$built/.libs/plx-opencl.so" "$work/opencl/" &&
    cp "$built/tests/fakes/.libs/fake-opencl.so" "$work/lib/libOpenCL.so.1" || exit 99
LD_LIBRARY_PATH=$(cd "$work/lib" && pwd)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

# Whether doctor of a driver with that version has the warning.
warns_of() { # VERSION
    FAKE_OPENCL_VERSION=$1 run doctor --plugin-dir "$work/opencl"
    cases=$((cases + 1))
    grep -q "^ *opencl:0 " "$work/out" || fail "$1: the fake device is not listed"
    grep -q "^  warning: PoCL [0-9]* sometimes compiles a kernel wrong" "$work/out"
}

for version in "OpenCL 3.0 PoCL 5.0+debian  Linux, Release" "OpenCL 3.0 PoCL 6.0+debian" "OpenCL 3.0 PoCL 10.2"; do
    warns_of "$version" || fail "$version: no warning"
done
for version in "OpenCL 3.0 PoCL 3.1+debian" "OpenCL 3.0 CUDA 13.0" "OpenCL 1.2"; do
    warns_of "$version" && fail "$version: a warning"
done
finish
