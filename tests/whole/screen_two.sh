#!/bin/sh
# On a machine with two GPUs or more, after `make check TESTS=` in the build directory, there: ../tests/whole/screen_two.sh [DIR].
# Screens all of them, compares their bits, seals one and holds another against it, plants a fault, and looks whether a short
# screen keeps the devices busy.  Four to five minutes; the records stay in DIR (screen-two).
set -u
out=${1:-screen-two}
parallax=${PARALLAX:-./parallax}
planted=$PWD/tests/fakes/.libs/planted.so
mkdir -p "$out" || exit 99
failures=0
fail() {
    failures=$((failures + 1))
    echo "FAIL: $*"
}
command -v python3 >/dev/null || { echo "skipped: there is no python3" && exit 77; }
"$parallax" list devices --json "$out/list.json" || exit 77
uuids=$(python3 - "$out/list.json" <<'END'
import json, sys
found = []
def walk(x):
    if isinstance(x, dict):
        if str(x.get("label", "")).startswith("cuda:") and x.get("uuid"):
            found.append(x["uuid"])
        for v in x.values():
            walk(v)
    elif isinstance(x, list):
        for v in x:
            walk(v)
walk(json.load(open(sys.argv[1])))
print(" ".join(dict.fromkeys(found)))
END
)
# shellcheck disable=SC2086 # words
set -- $uuids
[ $# -ge 2 ] || { echo "skipped: $# CUDA devices with a UUID" && exit 77; }
first=$1 second=$2

echo "== all of them, 60 s"
"$parallax" screen --budget 60s --json "$out/screen.json"
status=$?
[ $status = 0 ] || fail "status $status of a machine that should be healthy"
python3 - "$out/screen.json" <<'END' || fail "the record"
import json, sys
screen = json.load(open(sys.argv[1]))
devices = screen["devices"]
bad = 0
of = {}
for number, device in enumerate(devices):
    print(device["name"], device["verdict"], "busy %.2f" % device["busy"], "first verdict %.1f s" % device["first_verdict_seconds"],
          "utilisation", device.get("utilisation_percent"), "launches", device["launches"], "cases", len(device["cases"]))
    for case in device["cases"]:
        if case["class"] != "R2" and case.get("digest"):
            key = (case["backend"].split(":")[0], case["kernel"], case["op"], case["dtype"], tuple(case["shape"]))
            of.setdefault(key, {})[number] = case["digest"]
shared = {k: v for k, v in of.items() if len(v) == len(devices)}
differ = [k for k, v in shared.items() if len(set(v.values())) > 1]
print(len(shared), "cases of R0 and R1 on all devices,", len(differ), "differ")
for key in differ:
    print("  differs:", key)
copies = screen["copies"]
print(len(copies), "copies:", [(c["from"], c["to"], c["status"], round(c.get("gbps", 0))) for c in copies])
bad += bool(differ) + (len(shared) == 0) + (len(copies) < 2) + any(c["status"] != "ok" for c in copies)
sys.exit(bad > 0)
END

echo "== sealed on one, held against on the other"
"$parallax" seal "$out/seal.json" --device "$first" || fail "no seal"
"$parallax" screen --budget 30s --device "$second" --against "$out/seal.json" --json "$out/against.json"
status=$?
[ $status = 0 ] || fail "status $status against the seal of its equal"
[ "$(grep -c '"seal": "identical"' "$out/against.json")" -gt 0 ] || fail "nothing was held against the seal"
grep -qE '"seal": "(changed|wrong|inputs)"' "$out/against.json" && fail "not identical to the seal"

echo "== a planted fault, once in 1000000 launches"
LD_PRELOAD=$planted PLANTED=cuda:1:1000000:37 "$parallax" screen --budget 45s --json "$out/planted.json"
status=$?
[ $status = 1 ] || fail "status $status with a planted fault"
python3 - "$out/planted.json" "$second" <<'END' || fail "not the planted device, or without its block"
import json, sys
screen = json.load(open(sys.argv[1]))
for device in screen["devices"]:
    print(device["uuid"], device["verdict"], device.get("reason", ""))
    for fault in device["faults"][:3]:
        print("  ", fault)
faulty = [d for d in screen["devices"] if d["verdict"] == "faulty"]
sys.exit(not (len(faulty) == 1 and faulty[0]["uuid"] == sys.argv[2] and any(f.get("place") for f in faulty[0]["faults"])))
END

echo "== ten seconds, three times: no alarm, busy after the first second, a verdict within ten seconds"
for i in 1 2 3; do
    begin=$(date +%s)
    "$parallax" screen --budget 10s --seed $i --json "$out/short-$i.json" --quiet
    status=$?
    end=$(date +%s)
    [ $status = 0 ] || fail "status $status of short screen $i"
    echo "took $((end - begin)) s"
    python3 - "$out/short-$i.json" <<'END' || fail "short screen $i is not busy, or late"
import json, sys
bad = 0
for device in json.load(open(sys.argv[1]))["devices"]:
    print("busy %.2f" % device["busy"], "utilisation", device.get("utilisation_percent"), "first verdict %.1f s" % device["first_verdict_seconds"])
    bad += device["busy"] < 0.8 or device["first_verdict_seconds"] > 10
sys.exit(bad > 0)
END
done
echo "$failures failures"
[ $failures = 0 ]
