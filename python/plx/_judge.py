"""Results of any library, judged: each element against a bound that follows from the arithmetic that is promised; and studies
as lists of dicts.  No device is needed to judge."""

import hashlib
import inspect
import json
import os
import shutil
import sys
import tempfile

from . import _arrays, _program

_OPERATIONS = ("gemm", "matvec", "transpose", "reduce")
_NAMES = {"gemm": ("A", "B", "C"), "matvec": ("A", "x", "y"), "transpose": ("in",), "reduce": ("x",)}


class Verdict(dict):
    """One object of parallax's verdicts: status, reason, error, likeness, promise and the problem."""

    @property
    def ok(self):
        return self["status"] == "ok"

    def __bool__(self):
        return self.ok

    def __str__(self):
        problem = "%s %s %s" % (self["op"], self["dtype"], "x".join(str(n) for n in self["shape"]))
        said = "%s: %s" % (problem, self["status"])
        if self.get("reason"):
            said += ": " + self["reason"]
        if self.get("likeness", {}).get("text"):
            said += " (%s)" % self["likeness"]["text"]
        return said


def on_host(array):
    """A NumPy array of the same bits, and the name of its type where NumPy has none."""
    import numpy
    module = type(array).__module__.partition(".")[0]
    if module == "torch":
        array = array.detach().cpu()
        if str(array.dtype) == "torch.bfloat16":
            return array.view(sys.modules["torch"].int16).numpy().view("V2"), "bf16"
        return array.numpy(), None
    if module == "cupy":
        array = array.get()
    elif not isinstance(array, (numpy.ndarray, numpy.generic, int, float)) and hasattr(array, "__dlpack__") and \
            not hasattr(array, "__array__"):
        array = numpy.from_dlpack(array)
    name = getattr(getattr(array, "dtype", None), "name", "")
    array = numpy.asarray(array)
    return (array.view("V2"), "bf16") if name == "bfloat16" else (array, None)


def _write(folder, op, operands, result):
    """The operands and the result as files; (the words that name them, the files' names)."""
    import numpy
    words, names, dtype = [], [], None
    for i, array in enumerate(tuple(operands) + (result,)):
        last = i == len(operands)
        name = "result.npy" if last else "%s.npy" % _NAMES[op][i]
        array, named = on_host(array)
        dtype = dtype or (named if not last else None)
        numpy.save(os.path.join(folder, name), numpy.asarray(array, order="C"))
        words += ["--result" if last else "--in", os.path.join(folder, name)]
        names.append(name)
    return words + (["--dtype", dtype] if dtype else []), names


def _check(op, operands):
    if op not in _OPERATIONS:
        raise ValueError("there is no operation %r; there are: %s" % (op, ", ".join(_OPERATIONS)))
    if not 1 <= len(operands) <= len(_NAMES[op]):
        raise ValueError("%s has the operands %s, and %d were given" % (op, ", ".join(_NAMES[op]), len(operands)))


def _words_of(given):
    given = dict(given)
    if "reduction" in given:
        given["reduce"] = given.pop("reduction")
    units = given.pop("units", None)
    if units is False:
        given["no_units"] = True
    return _program.options(given)


def _keep(folder, verdict, names, words, save):
    """A challenge of one case, which `parallax judge` repeats; the command that does."""
    where = save if not os.path.exists(os.path.join(save, "manifest.json")) else tempfile.mkdtemp(prefix="case-", dir=save)
    os.makedirs(where, exist_ok=True)
    operands = []
    for name in names:
        shutil.copy(os.path.join(folder, name), where)
    for name in names[:-1]:
        with open(os.path.join(where, name), "rb") as file:
            operands.append({"operand": name[:-4], "file": name, "dtype": verdict["dtype"],
                             "shape": list(_shape(os.path.join(where, name))),
                             "sha256": hashlib.sha256(file.read()).hexdigest()})
    case = {"name": "saved", "purpose": "a failure that was saved", "input": "file"}
    case.update({key: verdict[key] for key in ("op", "dtype", "shape", "reduction", "trans", "trans_a", "trans_b", "alpha", "beta",
                                               "compute", "batch", "strides", "inner", "lda", "ldb", "ldc", "ld_in", "ld_out") if key in verdict})
    case.update(precise=False, operands=operands,
                result={"file": names[-1], "dtype": verdict.get("output", verdict["dtype"]),
                        "shape": list(_shape(os.path.join(where, names[-1])))})
    with open(os.path.join(where, "manifest.json"), "w") as file:
        json.dump({"schema": "parallax-challenge/1", "tool": {"name": "plx", "version": "0.1.0"}, "seed": 0, "cases": [case]}, file,
                  indent=1)
    return " ".join(["parallax", "judge", where] + words)


def _shape(path):
    import numpy
    return numpy.load(path, mmap_mode="r").shape if os.path.getsize(path) > 128 else numpy.load(path).shape


_PROMISES = ("sums", "accumulator", "no_units", "flushes", "narrow_parts", "typical")


def judge(op, *operands, result, save=None, **given):
    """A Verdict on the result of "gemm", "matvec", "transpose" or "reduce" of these operands, wherever it was computed: true where
    it is right.  The old contents of the output are the last operand where beta is not 0.

    given: alpha, beta, trans, trans_a, trans_b, reduction, compute; and what is promised: sums ("any", "sequential", "pairwise" or a
    depth), accumulator, units (False: no matrix units), flushes, narrow_parts, typical (what is like something less exact than
    was promised is wrong).  save: a folder that is made of what is not right, for `parallax judge FOLDER`."""
    _check(op, operands)
    words = _words_of(given)
    folder = tempfile.mkdtemp(prefix="plx-")
    try:
        files, names = _write(folder, op, operands, result)
        verdict = Verdict(_program.read(["judge", op] + files + words, (0, 1, 4))["verdicts"][0])
        if save is not None and not verdict.ok:
            promise = {name: given[name] for name in given if name in _PROMISES or name == "units"}
            verdict["repeat"] = _keep(folder, verdict, names, _words_of(promise), save)
        return verdict
    finally:
        shutil.rmtree(folder, ignore_errors=True)


# ---- challenges -----------------------------------------------------------------------------------------------------

class Case:
    """One case of a challenge: operands, and what is to be done with them."""

    def __init__(self, folder, about):
        self._folder, self.about, self.name = folder, about, about["name"]

    @property
    def settings(self):
        """What is not plain: alpha, beta, trans, trans_a, trans_b, reduction; axis, of what is reduced along one of several."""
        plain = {"alpha": 1, "beta": 0, "trans": False, "trans_a": False, "trans_b": False, "reduction": None}
        settings = {name: self.about[name] for name in plain if name in self.about and self.about[name] != plain[name]}
        if self.about["op"] == "reduce" and len(self.about["operands"][0]["shape"]) > 1:
            settings["axis"] = -2 if self.about.get("inner", 0) > 1 else -1
        return settings

    @property
    def operands(self):
        """NumPy's arrays; with a beta the old contents of the result come last."""
        import numpy
        return [numpy.load(os.path.join(self._folder, operand["file"])) for operand in self.about["operands"]]

    def write(self, result):
        """Puts a result where it is expected."""
        import numpy
        array, _ = on_host(result)
        if list(array.shape) != self.about["result"]["shape"]:
            raise ValueError("%s: the result has the shape %r, not %r" % (self.name, array.shape, tuple(self.about["result"]["shape"])))
        numpy.save(os.path.join(self._folder, self.about["result"]["file"]), numpy.asarray(array, order="C"))


def cases(op, folder, dtype="f32", seed=None, **given):
    """Operands that expose what goes wrong, written into a folder: a list of Cases.  batches=True: also several problems at once,
    with one dimension more of each array that they do not share, and reductions along an axis."""
    _check(op, (None,))
    _program.run(["challenge", op, "-o", folder] + _words_of(dict(given, dtype=dtype, seed=seed)), (0,))
    with open(os.path.join(folder, "manifest.json")) as file:
        return [Case(folder, about) for about in json.load(file)["cases"]]


def judge_folder(folder, **promise):
    """All results of a challenge's folder: a list of Verdicts."""
    return [Verdict(one) for one in _program.read(["judge", folder] + _words_of(promise), (0, 1, 4))["verdicts"]]


def _takes(function, settings):
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return True
    if any(one.kind == one.VAR_KEYWORD for one in parameters):
        return True
    return set(settings) <= {one.name for one in parameters if one.kind in (one.KEYWORD_ONLY, one.POSITIONAL_OR_KEYWORD)}


def _brought(arrays, like):
    """Into the caller's library: a function of a NumPy array."""
    return [array if like is None else like(array) for array in arrays]


def challenge(op, function, dtypes=("f32",), like=None, seed=None, folder=None, batches=False, **promise):
    """Judges function(*operands, **settings) on the challenge's cases: a list of Verdicts, of which all are true where it is right.

    settings has what is not plain (alpha, beta, trans_a ...; with beta the old contents are the last operand, by position); a
    function that takes no such keyword is not asked for those cases.  like: brings NumPy's arrays into the function's library,
    such as torch.from_numpy, or lambda x: torch.from_numpy(x).cuda().  A call that raises is a result that is missing, and so
    wrong; its reason is in the verdict.  folder: where the cases are kept.  batches: as of cases()."""
    where = folder or tempfile.mkdtemp(prefix="plx-")
    verdicts = []
    try:
        for dtype in [dtypes] if isinstance(dtypes, str) else dtypes:
            inside = os.path.join(where, dtype)
            asked, raised = set(), {}
            for case in cases(op, inside, dtype, seed, batches=batches):
                if not _takes(function, case.settings):
                    continue
                asked.add(case.name)
                try:
                    case.write(function(*_brought(case.operands, like), **case.settings))
                except Exception as why:  # whatever it is, the others are judged
                    raised[case.name] = "%s: %s" % (type(why).__name__, why)
            for verdict in judge_folder(inside, **promise):
                if verdict["name"] in asked:
                    if verdict["name"] in raised:
                        verdict["reason"] = raised[verdict["name"]]
                    verdicts.append(verdict)
        if not verdicts:
            raise ValueError("no case of %s is for a function like this" % op)
        return verdicts
    finally:
        if folder is None:
            shutil.rmtree(where, ignore_errors=True)


# ---- studies --------------------------------------------------------------------------------------------------------

def _shape_word(shape):
    return shape if isinstance(shape, str) else str(shape) if isinstance(shape, int) else "x".join(str(n) for n in shape)


def _shapes(shape):
    if shape is None:
        return None
    many = isinstance(shape, list) or (isinstance(shape, tuple) and shape and not isinstance(shape[0], int))
    return [_shape_word(one) for one in shape] if many else [_shape_word(shape)]


def compare(op, shape=None, **given):
    """What `parallax compare` finds, as a list of dicts: one for each shape, backend and kernel (pandas.DataFrame(rows)).
    shape: (m, n, k), or a list of such.  given: the program's options, kernel="all", backend=["cuda", "opencl"], no_timing=True."""
    return _program.read(["compare", op] + _words_of(dict(given, shape=_shapes(shape))), (0, 1, 4))["records"]


def bench(*ops, shape=None, **given):
    """What `parallax bench` finds: the same of sets of shapes, set="square"."""
    return _program.read(["bench"] + list(ops) + _words_of(dict(given, shape=_shapes(shape))), (0, 1, 4))["records"]
