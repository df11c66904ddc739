#!/usr/bin/env python3
"""Solves a challenge of parallax with NumPy: reads the manifest, writes each result beside its operands.

    parallax challenge -o cases && python3 solve_challenge.py cases && parallax judge cases
"""
import json
import os
import sys

import numpy as np


def solve(case, x):
    alpha, beta = case.get("alpha", 1.0), case.get("beta", 0.0)
    wide = np.float64 if case["dtype"] == "f64" else np.float32
    if case["op"] == "transpose":
        return x[0].T
    if case["op"] == "reduce" and case["reduction"] == "sum":
        return np.sum(x[0], dtype=np.result_type(x[0], np.float32) if x[0].dtype.kind == "f" else x[0].dtype)
    if case["op"] == "reduce":
        least = case["reduction"] == "min"
        if x[0].size == 0:  # the largest there is, or the smallest
            limit = np.inf if x[0].dtype.kind == "f" else np.iinfo(x[0].dtype).max
            return limit if least else (-np.inf if x[0].dtype.kind == "f" else np.iinfo(x[0].dtype).min)
        return extremum(x[0], least)
    if alpha == 0.0:  # neither A nor what it is multiplied with is read
        shape = case["result"]["shape"]
        return wide(beta) * x[2].astype(wide) if beta != 0.0 else np.zeros(shape, wide)
    a, b = x[0].astype(wide), x[1].astype(wide)
    a = a.T if case.get("trans_a") or case.get("trans") else a
    b = b.T if case.get("trans_b") else b
    result = wide(alpha) * (a @ b)
    return result + wide(beta) * x[2].astype(wide) if beta != 0.0 else result


def extremum(x, least):
    """IEEE 754's minimum and maximum: -0 is less than +0."""
    found = np.min(x) if least else np.max(x)
    zeros = x[x == 0] if found == 0 else x[:0]
    if zeros.size and x.dtype.kind == "f":
        negative = np.signbit(zeros)
        return np.copysign(x.dtype.type(0), -1.0 if (negative.any() if least else negative.all()) else 1.0)
    return found


def main(directory):
    types = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
    with open(os.path.join(directory, "manifest.json")) as file:
        manifest = json.load(file)
    for case in manifest["cases"]:
        x = [np.load(os.path.join(directory, operand["file"])) for operand in case["operands"]]
        with np.errstate(all="ignore"):
            result = solve(case, x)
            dtype = types.get(case["result"]["dtype"], x[0].dtype)
            result = np.ascontiguousarray(np.asarray(result).astype(dtype)).reshape(case["result"]["shape"])
        np.save(os.path.join(directory, case["result"]["file"]), result)


if __name__ == "__main__":
    main(sys.argv[1])
