#!/bin/sh
# The Python package against NumPy, on the host.
set -u
: "${top_builddir:=.}" "${top_srcdir:=.}"
library=$top_builddir/.libs/libparallax.so
[ -e "$library" ] || { echo "skipped: there is no shared library" && exit 77; }
python=
for candidate in "${PYTHON:-python3}" /usr/bin/python3; do
    if "$candidate" -c 'import sys, numpy; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
        python=$candidate
        break
    fi
done
[ -n "$python" ] || { echo "skipped: there is no Python 3.9 or later with NumPy" && exit 77; }
# Under sanitizers Python itself would have to be built with them.
if grep -q -a __asan_init "$library" 2>/dev/null; then
    echo "skipped: the library needs a sanitizer's, which Python does not have"
    exit 77
fi
program=${PARALLAX:-$top_builddir/parallax}
case $program in /*) ;; *) program=$PWD/$program ;; esac
here=$(cd "$top_srcdir/python" && pwd) || exit 99
export PYTHONPATH="$here" PYTHONDONTWRITEBYTECODE=1 PLX_LIBRARY="$library" PLX_PROGRAM="$program" PLX_BACKEND=''
status=0
for name in test_plx test_judge; do
    [ $name != test_judge ] || [ -x "$program" ] || { echo "nothing is judged: there is no $program" && continue; }
    "$python" "$top_srcdir/tests/python/$name.py" || status=1
done
# What a GPU's arrays are asked for, on the host's.
"$python" "$top_srcdir/tests/python/native_all.py" --calls 200 --only numpy || status=1
exit $status
