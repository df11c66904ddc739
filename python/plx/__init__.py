"""Parallax for arrays of any library: products, transpositions and reductions where the arrays are.

    import plx
    c = plx.gemm(a, b)                      # NumPy, PyTorch, CuPy, or whatever has DLPack; the result is of that library
    plx.gemm(a, b, out=c, alpha=2, beta=1, trans_a=True, compute="tf32", kernel="split-k", stream=s)
    y = plx.matvec(a, x);  t = plx.transpose(a);  s = plx.reduce(x, "sum");  r = plx.reduce(a, "max", axis=0)
    c3 = plx.gemm(a3, b)                    # of more than two dimensions those in front count a batch

Arrays on a device are worked on there, in `stream`, else in the current stream of their library, else in the legacy stream;
nothing is copied and nothing waits.  Arrays of the host are worked on by "host", unless `backend` names another: then
they are copied there and back.  Nothing is loaded or looked for before the first call."""

import collections
import ctypes
import math
import operator
import threading

from . import _arrays, _library
from ._judge import Verdict, bench, challenge, compare, judge
from ._library import DeviceLost, Error, Unsupported

__version__ = "0.1.0"
__all__ = ["gemm", "matvec", "transpose", "reduce", "plan", "Plan", "Queue", "judge", "challenge", "Verdict", "compare", "bench",
           "tune_on_first_use", "Error", "Unsupported", "DeviceLost", "version"]

_REDUCTIONS = {"sum": 0, "min": 1, "max": 2}


def version():
    """The library's."""
    return _library.library().plx_version().decode()


def tune_on_first_use(on=True):
    """Whether a problem that is met for the first time is timed with a few kernels, of which the fastest is taken and kept:
    some ten milliseconds, once for each problem and device.  Off, unless PLX_AUTOTUNE is 1."""
    _library.library().plx_tune_on_first_use(_library.context(), ctypes.c_bool(on))


class Queue:
    """A stream of the caller's, on a backend; kept by the caller as long as this, and as graphs that were captured from it."""

    def __init__(self, stream, backend="cuda"):
        self.backend = _library.backend(backend)
        self.stream = _arrays.stream_of(None, stream)
        native = _library.NativeQueue(api=2, handle=self.stream)
        made = ctypes.c_void_p()
        _library.check(_library.library().plx_queue_import(self.backend, ctypes.byref(native), ctypes.byref(made)))
        self._handle = _library.Handle(made.value, _library.library().plx_queue_destroy, kept=stream)

    @property
    def value(self):
        return self._handle.value

    def reserve(self, plan):
        """Gives it the scratch memory that the plan may need, as before a capture."""
        _library.check(_library.library().plx_queue_reserve(ctypes.c_void_p(self.value), ctypes.c_void_p(plan.value)))


_queues = {}


def _queue_for(backend, stream):
    """One for each stream and thread: a queue is used by one thread at a time.  They are kept: a stream that is gone is never
    touched again by its queue, and one that gets the same handle is served by it."""
    key = (backend, stream, threading.get_ident())
    if key not in _queues:
        _queues[key] = Queue(stream, backend)
    return _queues[key]


def _place(arrays, backend):
    """The backend, and whether arrays of the host have to be brought to it."""
    devices = [_arrays.device_of(array) for array in arrays]
    if len(set(devices)) > 1:
        raise ValueError("the arrays lie on different devices: %s" % ", ".join("type %d, number %d" % d for d in devices))
    if _arrays.on_host(devices[0]):
        return backend or "host", (backend or "host").partition(":")[0] not in ("host", "openblas")
    if devices[0][0] not in (_arrays.CUDA, _arrays.CUDA_HOST, _arrays.CUDA_MANAGED):
        raise ValueError("the arrays lie on a device of DLPack's type %d, which plx does not use" % devices[0][0])
    return backend or "cuda:%d" % devices[0][1], False


def _reduced(tensors, reduction, problem, views):
    """reduction: its name, and behind it the axis, where it is along one."""
    library, context = _library.library(), _library.context()
    name, _, axis = reduction.partition(":") if isinstance(reduction, str) else (reduction, "", "")
    if name not in _REDUCTIONS:
        raise ValueError("there is no reduction %r; there are: sum, min, max" % (name,))
    pointers = [ctypes.byref(tensor) for tensor in tensors]
    if not axis:
        return library.plx_reduce_of_tensors(context, pointers[0], _REDUCTIONS[name], pointers[1], problem, views)
    return library.plx_reduce_along_of_tensors(context, pointers[0], ctypes.c_int(int(axis)), _REDUCTIONS[name], pointers[1],
                                               problem, views)


def _fill(op, tensors, reduction):
    """The problem of these operands, and the operands in its order."""
    library, context = _library.library(), _library.context()
    problem = _library.problem()
    views = (_library.View * 3)()
    pointers = [ctypes.byref(tensor) for tensor in tensors]
    if op == "reduce":
        status = _reduced(tensors, reduction, problem, views)
    else:
        status = getattr(library, "plx_%s_of_tensors" % op)(context, *pointers, problem, views)
    _library.check(status, kinds={_library.INVALID: ValueError})
    return problem, views


_DEFAULTS = {"alpha": 1, "beta": 0}  # of what _fill() makes


def _settings(problem, words):
    said = _library.ErrorText()
    for name, word in words.items():
        if word is None or word == _DEFAULTS.get(name):
            continue
        status = _library.library().plx_problem_set(problem, name.encode(), str(word).encode(), ctypes.byref(said))
        if status != 0:
            raise ValueError("%s=%r: %s" % (name, word, said.text.decode("utf-8", "replace")))


class _Ready:
    """A plan for arrays that lie so, which only needs their addresses.  False: it failed, and who goes all the way says why."""

    def __init__(self, plan, call):
        library = _library.library()
        self.plan, self.count, self.on_host, self.backend_name = plan, len(call.operands), call.on_host, call.backend_name
        self._plan, self._backend = plan.value, call.backend.value
        self._execute, self._synchronize = library.plx_execute_native, library.plx_synchronize
        made = (_library.NativeMemory * self.count)()
        order, buffers = [], [operand.tensor.view.buffer for operand in call.operands]
        for i in range(self.count):
            at = call.views[i].buffer
            order.append(buffers.index(at))
            told = _library.NativeMemory()
            size = library.plx_buffer_bytes(at)
            if size > 0:
                _library.check(library.plx_buffer_native(at, ctypes.byref(told)))
            made[i].api, made[i].flags, made[i].bytes = told.api or 1, told.flags & 1, size
        self.order = tuple(order)
        self._template = bytes(made)
        self._type = type(made)
        self._free = []  # one for each thread that is in a call

    def __call__(self, pointers, queue):
        try:
            memory = self._free.pop()
        except IndexError:
            memory = self._type.from_buffer_copy(self._template)
        i = 0
        for at in self.order:
            memory[i].handle = pointers[at]
            i += 1
        status = self._execute(self._plan, queue, memory, i)
        self._free.append(memory)
        if status == 0 and self.on_host:
            status = self._synchronize(self._backend, None)
        return status == 0


def _glance(arrays):
    """(what tells arrays that lie otherwise apart, their addresses, their library's stream); None: it can't be told so."""
    look, stream_of = _arrays.glance_of(arrays[0])
    if look is None:
        return None
    kind = type(arrays[0])
    keys, pointers = [kind], []
    for array in arrays:
        seen = look(array) if type(array) is kind else None
        if seen is None:
            return None
        keys.append(seen[0])
        pointers.append(seen[1])
    return tuple(keys), pointers, stream_of


def _queue_of(ready, array, stream_of, queue, stream):
    """The handle of the queue that a call goes into; None: its producer has to be told of another stream than its own."""
    if ready.on_host:
        return 0 if queue is None else queue.value
    if queue is not None:
        given = queue.stream
    elif stream is not None:
        given = _arrays.stream_of(array, stream)
    elif stream_of is None:
        given = _arrays.LEGACY_STREAM
    else:
        given = None
    if stream_of is not None:
        current = stream_of(array)
        if given is not None and given != current:
            return None
        given = current
    return (queue or _queue_for(ready.backend_name, given)).value


class Plan:
    """A problem made ready, of arrays that lie so: called with arrays that lie as those do, as often as one likes, also
    while a stream is captured.  Made by plan()."""

    def __init__(self, op, backend, reduction, settings, problem, kernel):
        self.op, self.backend_name, self._reduction, self._settings = op, backend, reduction, settings
        self._problem = bytes(problem)
        self._known = {}
        made = ctypes.c_void_p()
        _library.check(_library.library().plx_plan_create(_library.backend(backend), problem,
                                                          kernel.encode() if kernel else None, ctypes.byref(made)))
        self._handle = _library.Handle(made.value, _library.library().plx_plan_destroy)

    @property
    def value(self):
        return self._handle.value

    def __call__(self, *arrays, queue=None, stream=None):
        seen = _glance(arrays) if arrays else None
        ready = self._known.get(seen[0]) if seen is not None else None
        if ready is not None:
            handle = _queue_of(ready, arrays[0], seen[2], queue, stream)
            if handle is not None and ready(seen[1], handle):
                return arrays[-1]
        call = _Call(self.op, arrays, self.backend_name, queue, stream, self._reduction, self._settings)
        if bytes(call.problem) != self._problem:
            raise ValueError("the arrays lie otherwise than those that the plan was made from")
        call.execute(self)
        if seen is not None and ready is None and len(self._known) < _MOST_PLANS:
            self._known[seen[0]] = _Ready(self, call)
        return arrays[-1]


class _Call:
    """Arrays as operands of a problem, and the queue that it goes into."""

    def __init__(self, op, arrays, backend, queue, stream, reduction, settings):
        self.backend_name, self.backend = backend, _library.backend(backend)
        self.on_host = _arrays.on_host(_arrays.device_of(arrays[0]))
        if queue is None and not self.on_host:
            stream = _arrays.stream_of(arrays[0], stream)
            queue = _queue_for(backend, stream)
        elif queue is not None:
            stream = queue.stream
        self.queue = ctypes.c_void_p(queue.value) if queue is not None else None
        self.operands = [_arrays.Operand(array, self.backend, stream) for array in arrays]
        for behind in {operand.behind for operand in self.operands} - {None, stream}:
            _library.check(_library.library().plx_queue_wait(self.queue, ctypes.c_void_p(_queue_for(backend, behind).value)))
        self.problem, self.views = _fill(op, [operand.tensor for operand in self.operands], reduction)
        _settings(self.problem, settings)

    def execute(self, plan):
        library = _library.library()
        _library.check(library.plx_execute(ctypes.c_void_p(plan.value), self.queue, self.views,
                                           ctypes.c_size_t(len(self.operands))))
        if self.on_host:
            _library.check(library.plx_synchronize(self.backend, None))


_plans = collections.OrderedDict()
_plans_lock = threading.Lock()
_MOST_PLANS = 256


def _kept_plan(op, backend, reduction, settings, problem, kernel):
    """The least recently used makes room, and goes when nobody executes it: what it enqueued on a GPU does not need it."""
    key = (backend, bytes(problem), kernel)
    with _plans_lock:
        if key in _plans:
            _plans.move_to_end(key)
            return _plans[key]
    made = Plan(op, backend, reduction, settings, problem, kernel)
    with _plans_lock:
        _plans[key] = made
        if len(_plans) > _MOST_PLANS:
            _plans.popitem(last=False)
    return made


def _compact(array):
    import numpy
    return numpy.ascontiguousarray(array)


def _elsewhere(op, arrays, backend, settings, kernel, reduction, reads_out):
    """Arrays of the host on a device: copied there and back."""
    import numpy
    library = _library.library()
    opened = _library.backend(backend)
    result = arrays[-1]
    hosts = [_compact(array) for array in arrays[:-1]] + [_compact(result) if reads_out else numpy.empty_like(result, order="C")]
    local = _library.backend("host")
    operands, buffers = [], []
    for host in hosts:
        operand = _arrays.Operand(host, local, None)
        made = ctypes.c_void_p()
        _library.check(library.plx_buffer_create(opened, ctypes.c_uint64(host.nbytes), ctypes.byref(made)))
        buffers.append(_library.Handle(made.value, library.plx_buffer_destroy))
        _library.check(library.plx_upload(None, made, ctypes.c_uint64(0), ctypes.c_void_p(host.ctypes.data),
                                          ctypes.c_uint64(host.nbytes)))
        operand.tensor.view.buffer = made.value
        operands.append(operand)
    problem, views = _fill(op, [operand.tensor for operand in operands], reduction)
    _settings(problem, settings)
    made = ctypes.c_void_p()
    _library.check(library.plx_plan_create(opened, problem, kernel.encode() if kernel else None, ctypes.byref(made)))
    planned = _library.Handle(made.value, library.plx_plan_destroy)
    _library.check(library.plx_execute(made, None, views, ctypes.c_size_t(len(hosts))))
    _library.check(library.plx_download(None, ctypes.c_void_p(hosts[-1].ctypes.data), ctypes.c_void_p(buffers[-1].value),
                                        ctypes.c_uint64(0), ctypes.c_uint64(hosts[-1].nbytes)))
    _library.check(library.plx_synchronize(opened, None))
    planned.close()
    if hosts[-1] is not result:
        result[...] = hosts[-1]
    return result


_ready = {}


def _run(op, arrays, backend, stream, kernel, reduction, alpha, beta, compute):
    seen = _glance(arrays)
    key = ready = None
    if seen is not None and type(alpha) in _NUMBERS and type(beta) in _NUMBERS:
        key = (op, backend, kernel, reduction, alpha, beta, compute, seen[0])
        ready = _ready.get(key)
    if ready is not None:
        handle = _queue_of(ready, arrays[0], seen[2], None, stream)
        if handle is not None and ready(seen[1], handle):
            return arrays[-1]
    settings = {"alpha": alpha, "beta": beta, "compute": compute}
    name, copies = _place(arrays, backend)
    if copies:
        return _elsewhere(op, arrays, name, settings, kernel, reduction, beta is not None and beta != 0)
    call = _Call(op, arrays, name, None, stream, reduction, settings)
    made = _kept_plan(op, name, reduction, settings, call.problem, kernel)
    call.execute(made)
    if key is not None and ready is None:
        if len(_ready) >= _MOST_PLANS:
            _ready.clear()
        _ready[key] = _Ready(made, call)
    return arrays[-1]


_NUMBERS = (int, float, type(None))


def plan(op, *arrays, backend=None, stream=None, kernel=None, reduction=None, alpha=None, beta=None, compute=None):
    """A Plan for "gemm", "matvec", "transpose" or "reduce" of arrays that lie so, the result last."""
    if op not in ("gemm", "matvec", "transpose", "reduce"):
        raise ValueError("there is no operation %r; there are: gemm, matvec, transpose, reduce" % (op,))
    name, copies = _place(arrays, backend)
    if copies:
        raise ValueError("a plan takes arrays that lie where it runs")
    reduction = reduction or ("sum" if op == "reduce" else None)
    settings = {"alpha": alpha, "beta": beta, "compute": compute}
    call = _Call(op, arrays, name, None, stream, reduction, settings)
    return Plan(op, name, reduction, settings, call.problem, kernel)


def _turned(array, turn):
    """With its last two dimensions exchanged; those in front of them count a batch."""
    if not turn:
        return array
    return array.swapaxes(-1, -2) if len(array.shape) > 2 else array.T


def _batch(a, b, rank_a, rank_b):
    """The dimensions in front of those of one problem: those of a or of b, the other of which has none, 1 or the same."""
    front = tuple(a.shape[:len(a.shape) - rank_a]), tuple(b.shape[:len(b.shape) - rank_b])
    ours, theirs = front
    if not ours or ours == (1,) * len(ours) and len(theirs) >= len(ours):
        return theirs
    return ours


def gemm(a, b, *, out=None, alpha=1, beta=0, trans_a=False, trans_b=False, compute=None, kernel=None, backend=None, stream=None):
    """out = alpha a b + beta out; without `out`, a new array of a's library.  Views are taken as they lie: a.T is no copy.
    Of arrays with more than two dimensions those in front count a batch of products; an operand without them is the same for all."""
    a, b = _turned(a, trans_a), _turned(b, trans_b)
    if out is None:
        if beta != 0:
            raise ValueError("beta needs out=")
        out = _arrays.like(a, _batch(a, b, 2, 2) + (a.shape[-2], b.shape[-1]))
    return _run("gemm", (a, b, out), backend, stream, kernel, None, alpha, beta, compute)


def matvec(a, x, *, out=None, alpha=1, beta=0, trans=False, kernel=None, backend=None, stream=None):
    """out = alpha a x + beta out; of a batch of matrices, vectors or both, so many products."""
    a = _turned(a, trans)
    if out is None:
        if beta != 0:
            raise ValueError("beta needs out=")
        out = _arrays.like(a, _batch(a, x, 2, 1) + (a.shape[-2],))
    return _run("matvec", (a, x, out), backend, stream, kernel, None, alpha, beta, None)


def transpose(a, *, out=None, kernel=None, backend=None, stream=None):
    """out[j, i] = a[i, j], moved in memory; of more than two dimensions the last two are exchanged.  Without `out`, the transpose of a transposed view is one as well."""
    if out is not None:
        return _run("transpose", (a, out), backend, stream, kernel, None, None, None, None)
    try:
        turned = tuple(a.shape[:-2]) + (a.shape[-1], a.shape[-2])
        return _run("transpose", (a, _arrays.like(a, turned)), backend, stream, kernel, None, None, None, None)
    except Unsupported:
        return _run("transpose", (a, _turned(_arrays.like(a, tuple(a.shape)), True)), backend, stream, kernel, None, None, None, None)


def _reduce_along(x, reduction, axis, out, kernel, backend, stream):
    rank, counted = len(x.shape), operator.index(axis)
    counted += rank if counted < 0 else 0
    if not 0 <= counted < rank:
        raise ValueError("axis %d of an array of %d dimension%s: there is none" % (axis, rank, "" if rank == 1 else "s"))
    left = tuple(x.shape[:counted]) + tuple(x.shape[counted + 1:])
    result = _arrays.like(x, left) if out is None else out
    if rank > 3:  # as outer x n x inner
        outer, inner = math.prod(x.shape[:counted]), math.prod(x.shape[counted + 1:])
        x, to, counted = x.reshape(outer, x.shape[counted], inner), result.reshape(outer, inner), 1
    else:
        to = result
    _run("reduce", (x, to), backend, stream, kernel, "%s:%d" % (reduction, counted), None, None, None)
    if to is not result:
        result[...] = to.reshape(left)  # which may have been a copy
    return result


def reduce(x, reduction="sum", *, axis=None, out=None, kernel=None, backend=None, stream=None):
    """The sum, min or max of all elements, as an array of rank 0; along an axis, an array of the others."""
    if axis is not None:
        return _reduce_along(x, reduction, axis, out, kernel, backend, stream)
    if out is None:
        out = _arrays.like(x, ())
    return _run("reduce", (x, out), backend, stream, kernel, reduction, None, None, None)
