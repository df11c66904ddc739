#!/bin/sh
# On a machine with one GPU or more, after `make check TESTS=` in the build directory, there: ../tests/whole/screen_one.sh [DIR].
# What the first GPU does in less than two minutes: operands that it generates are the host's, ten seconds keep it busy, seals have
# large cases and are replayed, a planted fault is found with its block.  The records stay in DIR (screen-one).
set -u
out=${1:-screen-one}
parallax=${PARALLAX:-./parallax}
planted=$PWD/tests/fakes/.libs/planted.so
mkdir -p "$out" || exit 99
failures=0
fail() {
    failures=$((failures + 1))
    echo "FAIL: $*"
}
command -v python3 >/dev/null || { echo "skipped: there is no python3" && exit 77; }
"$parallax" list devices --json "$out/list.json" >/dev/null || exit 77
first=$(sed -n 's/^ *"uuid": "\(.*\)".*/\1/p' "$out/list.json" | head -1)
[ -n "$first" ] || { echo "skipped: no device with a UUID" && exit 77; }
begin=$(date +%s)

# look FILE EXPRESSION: of each device `d`, whose `d["cases"]` may be looked at; prints what matters.
look() {
    python3 - "$1" "$2" <<'END'
import json, sys
bad = 0
for d in json.load(open(sys.argv[1]))["devices"]:
    sealed = [c.get("seal") for c in d["cases"]]
    large = [c for c in d["cases"] if max(c["shape"]) >= 2048]
    print(d["name"], d["verdict"], "utilisation", d.get("utilisation_percent"), "busy %.2f" % d["busy"], "first verdict %.1f s" % d["first_verdict_seconds"],
          "generated", d["generated"], "launches", d["launches"], "cases", len(d["cases"]), "large", len(large), "sealed", {s: sealed.count(s) for s in set(sealed) if s},
          d.get("reason", ""))
    for fault in d["faults"][:2]:
        print("  ", fault)
    bad += not eval(sys.argv[2])
sys.exit(bad > 0)
END
}

echo "== what it generates and counts"
tests/screen/test_on_device || fail "its generator or comparison"

for seed in 1 2; do
    echo "== ten seconds: busy after the first, a verdict by then"
    now=$(date +%s)
    "$parallax" screen --budget 10s --seed $seed --device "$first" --json "$out/short-$seed.json" --quiet || fail "status $? of ten seconds"
    echo "took $(($(date +%s) - now)) s"
    look "$out/short-$seed.json" 'd["verdict"] == "healthy" and d.get("utilisation_percent", 0) >= 80 and d["first_verdict_seconds"] < 10 and d["generated"] > 0' ||
        fail "not busy, late, or nothing was generated"
done

echo "== sealed, and replayed"
"$parallax" seal "$out/seal.json" --device "$first" --budget 40s || fail "no seal"
"$parallax" screen --budget 15s --device "$first" --against "$out/seal.json" --json "$out/against.json" || fail "status $? against its own seal"
look "$out/against.json" 'any(c.get("seal") == "identical" for c in large) and not any(s in ("changed", "wrong", "inputs") for s in sealed)' ||
    fail "large cases are not held against the seal"

echo "== planted faults are noticed: by the self-test, and one in 1000000 launches"
"$parallax" screen --budget 8s --device "$first" --self-test --json "$out/self-test.json" || fail "status $? of a self-test"
look "$out/self-test.json" 'd["planted"] == d["caught"] > 0' || fail "the self-test"
LD_PRELOAD=$planted PLANTED=cuda:0:1000000:37 "$parallax" screen --budget 25s --device "$first" --json "$out/planted.json"
status=$?
[ $status = 1 ] || fail "status $status with a planted fault"
look "$out/planted.json" 'd["verdict"] == "faulty" and d["faults"] and all("block" in f.get("place", "") for f in d["faults"])' || fail "without its block"
echo "$failures failures, $(($(date +%s) - begin)) s"
[ $failures = 0 ]
