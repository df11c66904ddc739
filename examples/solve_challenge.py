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
        return np.swapaxes(x[0], -1, -2)
    axis = -2 if case.get("inner", 0) > 1 else -1
    if case["op"] == "reduce" and case["reduction"] == "sum":
        wider = np.result_type(x[0], np.float32) if x[0].dtype.kind == "f" else x[0].dtype
        return np.sum(x[0], axis=axis, dtype=wider)
    if case["op"] == "reduce":
        return extremum(x[0], axis, case["reduction"] == "min")
    if alpha == 0.0:  # neither A nor what it is multiplied with is read
        shape = case["result"]["shape"]
        return wide(beta) * x[2].astype(wide) if beta != 0.0 else np.zeros(shape, wide)
    a, b = x[0].astype(wide), x[1].astype(wide)
    a = np.swapaxes(a, -1, -2) if case.get("trans_a") or case.get("trans") else a
    b = np.swapaxes(b, -1, -2) if case.get("trans_b") else b
    product = (a @ b[..., None])[..., 0] if case["op"] == "matvec" else a @ b
    result = wide(alpha) * product
    return result + wide(beta) * x[2].astype(wide) if beta != 0.0 else result


def extremum(x, axis, least):
    """IEEE 754's minimum and maximum, of nothing the largest there is, or the smallest: -0 is less than +0."""
    real = x.dtype.kind == "f"
    limit = (np.inf if least else -np.inf) if real else (np.iinfo(x.dtype).max if least else np.iinfo(x.dtype).min)
    found = (np.min if least else np.max)(x, axis=axis, initial=limit)
    if not real:
        return found
    negative = np.signbit(x) & (x == 0)
    all_negative = (negative | (x != 0)).all(axis=axis)  # of the zeros
    return np.where(found == 0, np.copysign(x.dtype.type(0), np.where(negative.any(axis=axis) if least else all_negative, -1, 1)),
                    found)


def main(directory):
    types = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
    with open(os.path.join(directory, "manifest.json")) as file:
        manifest = json.load(file)
    for case in manifest["cases"]:
        x = [np.load(os.path.join(directory, operand["file"])) for operand in case["operands"]]
        with np.errstate(all="ignore"):
            result = solve(case, x)
            dtype = types.get(case["result"]["dtype"], x[0].dtype)
            result = np.asarray(result).astype(dtype)
        if "batch" in case:  # what all share is there once, and each has its result
            result = np.broadcast_to(result, case["result"]["shape"])
        result = np.ascontiguousarray(result).reshape(case["result"]["shape"])
        np.save(os.path.join(directory, case["result"]["file"]), result)


if __name__ == "__main__":
    main(sys.argv[1])
