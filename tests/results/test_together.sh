#!/bin/sh
# Commands at the same time: one file is written by one of them, and what two of them tune is kept.
. "${top_srcdir:-.}/tests/support.sh"
cp "$built/tests/fakes/.libs/plx-hostile.so" "$work/plugins/" || exit 99
running=
trap '[ -z "$running" ] || kill -9 "$running" 2>/dev/null; rm -rf "$work"' EXIT HUP INT TERM

# ---- one file ----
# A bench that does not come to its end: the first case of the shape hangs.
expect_run 0 '' bench reduce --dtype i32 --backend host --shape 10 --no-timing --json "$work/b.json" --quiet
cp "$work/b.json" "$work/before.json"
LD_LIBRARY_PATH=$built/.libs HOSTILE=execute-loop PLX_CALL_SECONDS=0 "$built/.libs/parallax" bench reduce --dtype i32 \
    --backend hostile --backend host --shape 20 --no-timing --restart --json "$work/b.json" --csv "$work/b.csv" \
    --plugin-dir "$work/plugins" >"$work/first" 2>&1 </dev/null &
running=$!
tries=0
until grep -q POSIX /proc/locks && grep -q "POSIX .* $running " /proc/locks || [ $tries -gt 100 ]; do
    kill -0 $running 2>/dev/null || { cat "$work/first"; fail "the bench that should hang is at its end"; break; }
    tries=$((tries + 1))
    sleep 0.1
done
refused() { # FILE COMMAND...
    file=$1
    shift
    expect_run 2 "$file: another parallax, process $running, is going to write it" "$@"
    [ "$(wc -l <"$work/err")" = 1 ] || fail "more than a line"
}
refused "$work/b.json" bench reduce --dtype i32 --backend host --shape 30 --no-timing --json "$work/b.json"
refused "$work/b.json" compare reduce 10 --backend host --no-timing --json "$work/b.json"
refused "$work/b.json" check reduce --quick --backend host --json "$work/b.json"
refused "$work/b.csv" compare reduce 10 --backend host --no-timing --csv "$work/b.csv"
mkdir "$work/sub" && ln -s ../b.json "$work/sub/link.json"
refused "$work/sub/link.json" compare reduce 10 --backend host --no-timing --json "$work/sub/link.json"
expect_run 0 "" compare reduce 10 --backend host --no-timing --json "$work/other.json" --csv -
expect_run 0 "" compare reduce 10 --backend host --no-timing --json /dev/null --csv -
cmp -s "$work/b.json" "$work/before.json" || fail "the file is another already"
kill -9 $running
wait $running 2>/dev/null
running=
expect_run 0 '' bench reduce --dtype i32 --backend host --shape 30 --no-timing --json "$work/b.json"
shows "1 run"
[ "$(grep -c '"status": "ok"' "$work/b.json")" = 2 ] || fail "the records before it are gone"

# ---- what is tuned ----
# Four at once, each for a shape of its own, where the plugin's choice is a slow one.
tunes=
for shape in 11 12 13 14; do
    FAULTY_BEST=slow "$parallax" tune reduce $shape --dtype i32 --backend faulty --kernel slow --kernel right --seconds 0.01 \
        --plugin-dir "$work/plugins" --quiet >"$work/tune$shape" 2>&1 </dev/null &
    tunes="$tunes $!:$shape"
done
for tune in $tunes; do
    cases=$((cases + 1))
    wait "${tune%:*}" || { cat "$work/tune${tune#*:}"; fail "the tune of ${tune#*:} ends with $?"; }
done
expect_run 0 '' tune list
for shape in 11 12 13 14; do
    shows "faulty reduce i32 $shape sum: right"
done
finish
