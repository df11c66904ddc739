#!/bin/sh
# What conda-build runs in a copy of the source.
set -eu
./bootstrap
mkdir -p build-conda && cd build-conda
../configure --prefix="$PREFIX" --without-cuda --without-clblast --without-openblas
make -j"${CPU_COUNT:-2}"
make install
