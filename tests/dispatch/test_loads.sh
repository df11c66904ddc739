#!/bin/sh
# The libraries can be loaded at run time, late, by programs that know nothing of them: after forty others in a C
# program, and in Python after NumPy where that is there.
. "${top_srcdir:-.}/tests/support.sh"
loads=$built/tests/dispatch/loads
[ -x "$loads" ] || { echo "there is no $loads"; exit 99; }
libraries=$(cd "$built/.libs" && pwd) || exit 99

# What is widely installed, and does nothing by being loaded.  Those with thread-local variables of their own come first.
names=
for name in libgomp.so.1 libstdc++.so.6 libOpenCL.so.1 libnuma.so.1 libgfortran.so.5 libquadmath.so.0 libglib-2.0.so.0 \
    libuuid.so.1 libblkid.so.1 libmount.so.1 libselinux.so.1 libsystemd.so.0 libudev.so.1 libcrypto.so.3 libssl.so.3 \
    libexpat.so.1 libz.so.1 libzstd.so.1 liblzma.so.5 libbz2.so.1.0 liblz4.so.1 libgmp.so.10 libmpfr.so.6 libmpc.so.3 \
    libncursesw.so.6 libtinfo.so.6 libreadline.so.8 libsqlite3.so.0 libcurl.so.4 libcurl-gnutls.so.4 libgnutls.so.30 \
    libnettle.so.8 libhogweed.so.6 libtasn1.so.6 libp11-kit.so.0 libidn2.so.0 libunistring.so.2 libpsl.so.5 librtmp.so.1 \
    libssh2.so.1 libnghttp2.so.14 libbrotlidec.so.1 libldap-2.5.so.0 libsasl2.so.2 libgssapi_krb5.so.2 libkrb5.so.3 \
    libk5crypto.so.3 libcom_err.so.2 libkeyutils.so.1 libattr.so.1 libacl.so.1 libcap.so.2 libgcrypt.so.20 libgpg-error.so.0 \
    libpcre2-8.so.0 libxxhash.so.0 libffi.so.8 libcrypt.so.1 libpam.so.0 libaudit.so.1 libdb-5.3.so libgdbm.so.6 \
    libelf.so.1 libdw.so.1 libmagic.so.1 libxml2.so.2 libicuuc.so.72 libedit.so.2 libbsd.so.0 libmd.so.0 libjansson.so.4 \
    libhwloc.so.15 libltdl.so.7 libX11.so.6 libxcb.so.1 libXau.so.6 libXdmcp.so.6 libpng16.so.16 libjpeg.so.62 \
    libfreetype.so.6 libfontconfig.so.1 libcairo.so.2 libpixman-1.so.0 libopenblas.so.0 libcc1.so.0 libitm.so.1 libatomic.so.1 \
    libperl.so.5.36 libpipeline.so.1 libseccomp.so.2 libproc2.so.0 libsmartcols.so.1 libfdisk.so.1 libisl.so.23; do
    names="$names $name"
done

# shellcheck disable=SC2086 # words
PLX_PROBE=inline "$loads" "$libraries" $names >"$work/out" 2>"$work/err"
status=$?
case $status in
0) cases=$((cases + 1)) ;;
3) echo "the loading after others was not tried: this system has no forty of the libraries known to this test" ;;
*) fail "status $status" ;;
esac
# The same without others, which leave more room.
"$loads" "$libraries" $(yes libc.so.6 | head -40) >"$work/out" 2>"$work/err" || fail "status $? without others"
cases=$((cases + 1))

# ---- Python ----
# One that has NumPy, if there is any; the system's is not always the first.
find_python() {
    python=
    for modules in 'ctypes, numpy' ctypes; do
        for candidate in python3 /usr/bin/python3; do
            "$candidate" -c "import $modules" 2>/dev/null && python=$candidate && return
        done
    done
}
in_python() { # MODULES
    cases=$((cases + 1))
    "$python" -c "import sys, $1
core = ctypes.CDLL(sys.argv[1] + '/libparallax.so.0')
study = ctypes.CDLL(sys.argv[1] + '/libparallax-study.so.0')
core.plx_message.restype = ctypes.c_char_p
core.plx_open.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
core.plx_message.argtypes = [ctypes.c_void_p]
context, backend = ctypes.c_void_p(), ctypes.c_void_p()
assert core.plx_context_create(None, ctypes.byref(context)) == 0
assert core.plx_open(context, b'nobody', ctypes.byref(backend)) != 0
assert b'nobody' in core.plx_message(context)" "$libraries" >"$work/out" 2>"$work/err" || fail "not in Python with $1"
}
find_python
if ldd "$libraries/libparallax.so.0" 2>/dev/null | grep -q 'lib[at]san'; then
    echo "Python was not tried: sanitizers must be loaded first"
elif [ -z "$python" ]; then
    echo "Python was not tried: there is none with ctypes"
else
    in_python ctypes
    if [ "$modules" = ctypes ]; then
        echo "no Python here has NumPy: it was tried without"
    else
        in_python 'numpy, ctypes'
    fi
fi
finish
