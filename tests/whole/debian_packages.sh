#!/bin/sh
# Debian's two sources, built in a fresh system that mmdebstrap makes and removes, looked at by lintian, installed, and used.
# Needs root, mmdebstrap and the suite's mirror.  The second source wants nvidia-cuda-toolkit from non-free (2 GB, and an hour of
# nvcc on two cores), and is left out unless it is asked for.
#
#   tests/whole/debian_packages.sh bookworm|trixie [cuda [ARCHITECTURES]]
#
# ARCHITECTURES, as 90: CUDA's kernels for these alone, where all are made else.  It sees the committed state of the tree.
# $KEEP: a directory for the packages.  $DEB_BUILD_OPTIONS: as dpkg-buildpackage takes it; nocheck leaves out the tests.
set -eu
suite=${1:?usage: tests/whole/debian_packages.sh bookworm|trixie [cuda [ARCHITECTURES]]}
with_cuda=${2:-}
components=main
[ -z "$with_cuda" ] || components=main,contrib,non-free,non-free-firmware
source=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT HUP INT TERM
git -C "$source" archive --prefix=parallax-0.1.0/ HEAD | gzip -1 >"$work/tree.tar.gz"
cat >"$work/commands" <<END
#!/bin/sh
exec </dev/null
set -eu
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 DEB_BUILD_OPTIONS='${DEB_BUILD_OPTIONS:-}' PARALLAX_CUDA_ARCH='${3:-}'
cd /root
apt-get -qq install -y --no-install-recommends build-essential devscripts equivs lintian fakeroot >/dev/null
package() { # NAME: builds packaging/debian/NAME and installs what it makes
    rm -rf parallax-0.1.0 && tar xzf tree.tar.gz
    cp -r "parallax-0.1.0/packaging/debian/\$1" parallax-0.1.0/debian
    cd parallax-0.1.0
    mk-build-deps --install --remove --tool 'apt-get -qq -y --no-install-recommends' debian/control >/dev/null
    nice dpkg-buildpackage -us -uc -b >"../\$1.log" 2>&1 || { grep -E "^(FAIL|ERROR)|LINE|ERROR  |error:" "../\$1.log" || true; tail -n 40 "../\$1.log"; exit 1; }
    cd ..
    apt-get -qq install -y --no-install-recommends ./\$2 >/dev/null
    echo "$suite: \$1 is built and installed"
}
status=0
package main 'parallax-kernels_*.deb ./libparallax0_*.deb ./libparallax-dev_*.deb'
[ -z "$with_cuda" ] || package cuda 'parallax-plugins-cuda_*.deb'
lintian --fail-on error --allow-root *.changes || status=1
cd /
parallax doctor || true
parallax compare reduce 1000 --backend host || [ \$? -eq 4 ]
apt-get -qq install -y --no-install-recommends pocl-opencl-icd >/dev/null
parallax compare gemm 64 64 64 --backend host --backend opencl --no-timing
cp -r /usr/share/doc/libparallax-dev/examples /root/examples 2>/dev/null || cp -r /usr/share/doc/parallax/examples /root/examples
find /root/examples -name '*.gz' -exec gunzip {} +
ls /root/examples
cc \$(ls /root/examples/*.c | head -n 1) -o /root/example \$(pkg-config --cflags --libs parallax)
echo "$suite: an example is built against the packages"
exit \$status
END
mmdebstrap --quiet --variant=apt --format=null --components="$components" \
    --customize-hook="copy-in $work/tree.tar.gz $work/commands /root" \
    --customize-hook='chroot "$1" sh /root/commands' \
    ${KEEP:+--customize-hook="mkdir -p '$KEEP' && cp \"\$1\"/root/*.deb '$KEEP'"} "$suite" /dev/null http://deb.debian.org/debian
