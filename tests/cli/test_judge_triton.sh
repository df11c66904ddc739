#!/bin/sh
# The five commands that doc/judging.md has for a kernel in Triton, as they stand there.  What Triton and a GPU would do is done by
# files that Triton 3.6 wrote, and by a driver that runs nothing: so the verdict is "wrong".
. "${top_srcdir:-.}/tests/support.sh"
source=$(cd "${top_srcdir:-.}" && pwd)
built=$(cd "$built" && pwd)
driver=$built/tests/fakes/.libs/fake-cuda.so
[ -f "$driver" ] && [ -f "$built/.libs/plx-cuda.so" ] || { echo "skipped: the fake CUDA driver was not built" && exit 77; }
sed -n '/^## A kernel in Triton, in five commands/,/^## Functions/p' "$source/doc/judging.md" |
    sed -n '/^```sh/,/^```/{/^```/!p}' >"$work/commands"
cases=$((cases + 1))
[ "$(wc -l <"$work/commands")" = 5 ] || fail "there are not five commands"

# This program, Python, and where documents are installed.
mkdir "$work/bin" "$work/here"
case $parallax in /*) program=$parallax ;; *) program=$(pwd)/$parallax ;; esac
printf '#!/bin/sh\nexec "%s" "$@"\n' "$program" >"$work/bin/parallax"
cat >"$work/bin/python3" <<END
#!/bin/sh
# As Triton does it: a directory for each kernel, by a hash.
[ "\$1" = turn.py ] && [ -n "\$TRITON_CACHE_DIR" ] || exit 2
mkdir -p "\$TRITON_CACHE_DIR/5JXAOKHU" && cp "$source/doc/judge/turn_rows.json" "$source/doc/judge/turn_rows.ptx" "\$TRITON_CACHE_DIR/5JXAOKHU"
END
chmod +x "$work/bin/parallax" "$work/bin/python3"
PATH=$work/bin:$PATH PLX_CUDA_LIBRARY=$driver FAKE_COMPUTES=1
export PLX_CUDA_LIBRARY FAKE_COMPUTES
touch "$work/here/turn.py"
cd "$work/here" || exit 99
number=0
while IFS= read -r line; do
    number=$((number + 1)) cases=$((cases + 1)) wanted=0
    [ $number = 5 ] && wanted=1
    sh -c "$(echo "$line" | sed "s|/usr/local/share/doc/parallax/|$source/|")" >"$work/out" 2>"$work/err" </dev/null
    got=$?
    [ $got = $wanted ] || fail "status $got, not $wanted: $line"
    [ $number != 4 ] || shows 'compiled by Triton 3.6.0 for cc 90'
done <"$work/commands"
cases=$((cases + 1))
grep -q '"status": "wrong"' record.json || fail "the record has no verdict"
finish
