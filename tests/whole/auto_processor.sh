#!/bin/sh
# What `auto` takes on a processor is within 1.5 of the fastest of our own kernels, host's and OpenCL's, on every shape of bench's
# set quick.  To be run in the build directory, with PoCL, on a machine that does nothing else:
#
#     ../tests/whole/auto_processor.sh [ROUNDS [OPERATION...]]
#
# Beside other work, `chrt -f 1` before it gives it the processors.  Each of the ROUNDS (3) benches all kernels; a time is the
# least median of the rounds, as other work only makes times longer.  Prints what `auto` takes, host, the fastest, and the ratio
# of auto's time to the fastest; the worst of them decides the exit status.
set -eu
export LC_ALL=C
rounds=${1:-3}
[ $# -eq 0 ] || shift
parallax=$PWD/parallax
[ -x "$parallax" ] || { echo "usage: in the build directory: $0 [ROUNDS [OPERATION...]]" >&2 && exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT HUP INT TERM
"$parallax" bench "$@" --set quick --backend auto --kernel best --no-timing --json "$work/auto.json" >/dev/null 2>&1
for round in $(seq "$rounds"); do
    "$parallax" bench "$@" --set quick --backend host --backend opencl --kernel all --seconds 0.1 \
        --json "$work/round-$round.json" >"$work/log" 2>&1 || { cat "$work/log" >&2 && exit 1; }
done
python3 - "$work"/auto.json "$work"/round-*.json <<'END_OF_PYTHON'
import json
import sys


def records(path):
    with open(path) as file:
        return json.load(file)["records"]


def problem(record):
    words = [record["op"], record["dtype"], "x".join(str(n) for n in record["shape"])]
    words += [str(record[key]) for key in ("reduction", "trans", "trans_a", "trans_b") if key in record]
    return " ".join(words).replace("False", "n").replace("True", "t")


def kernel(record):
    return record["backend"] + " " + record["kernel"]


least = {}
for path in sys.argv[2:]:
    for record in records(path):
        if record["status"] in ("ok", "noisy") and "time" in record and not record["baseline"]:
            times = least.setdefault(problem(record), {})
            times[kernel(record)] = min(times.get(kernel(record), float("inf")), record["time"]["median_ns"] / 1e3)

worst = 0
print("%-26s %-24s %9s %9s   %-24s %9s %5s" % ("problem", "auto", "us", "host, us", "fastest", "us", "ratio"))
for record in records(sys.argv[1]):
    times = least[problem(record)]
    fastest = min(times, key=times.get)
    ratio = times[kernel(record)] / times[fastest]
    worst = max(worst, ratio)
    print("%-26s %-24s %9.1f %9.1f   %-24s %9.1f %5.2f"
          % (problem(record), kernel(record), times[kernel(record)], times["host:0 reference"], fastest, times[fastest], ratio))
print("worst ratio %.2f, where at most 1.50 is promised" % worst)
sys.exit(worst > 1.5)
END_OF_PYTHON
