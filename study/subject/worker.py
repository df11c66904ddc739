# Runs a function of Python's as the judge asks for it: parallax-subject starts this text with the function's name and the
# file's.  Descriptor 3 is the judge's socket, 4 has the bytes of the file.  Standard modules alone; messages are those of
# message.h.
import ctypes
import inspect
import os
import socket
import struct
import sys
import traceback

HEAD = struct.Struct("=4I4i16s2d")
PLACE = struct.Struct("=4i2Q3q64s")
GRAPH, KERNEL = struct.Struct("=8I"), struct.Struct("=192s8I")
KERNELS = 16
CALL, EMPTY, FORGET, CAPTURE = 1, 2, 3, 4
UNSUPPORTED, NOT_LOADED, RAISED, NO_MAP, NOT_CAPTURED = 1, -1001, -1002, -1004, -1005
# the words of array interfaces; code and bits of DLPack
TYPES = [("<i1", 0, 8), ("<i2", 0, 16), ("<i4", 0, 32), ("<i8", 0, 64), ("<f4", 2, 32), ("<f8", 2, 64),
         ("<c8", 5, 64), ("<c16", 5, 128), ("<f2", 2, 16), ("<V2", 4, 16)]
NAMES = ["int8", "int16", "int32", "int64", "float32", "float64", "complex64", "complex128", "float16", "bfloat16"]
REDUCTIONS = ["sum", "min", "max"]

judge = socket.socket(fileno=3)


def answer(status, text=""):
    judge.send(struct.pack("=2i376s", status, 0, text.encode("utf-8", "replace")[:375]))


def give_up(status, text):
    answer(status, text)
    os._exit(0)


# ---- memory ---------------------------------------------------------------------------------------------

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]


class Handle(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_char * 64)]


class Device:
    """A device whose memory the judge has."""

    def __init__(self, place):
        self.driver = ctypes.CDLL("libcuda.so.1", mode=ctypes.RTLD_GLOBAL)
        number, context, stream = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p()
        self.must("Init", 0)
        self.must("DeviceGetByPCIBusId", ctypes.byref(number), place)
        self.must("DevicePrimaryCtxRetain", ctypes.byref(context), number)
        self.must("CtxSetCurrent", context)
        self.must("StreamCreate", ctypes.byref(stream), 1)
        self.number, self.stream = number.value, stream.value

    def said(self, code):
        text = ctypes.c_char_p()
        self.driver.cuGetErrorString(code, ctypes.byref(text))
        return "%s (%d)" % ((text.value or b"unknown").decode(), code)

    def must(self, name, *arguments):
        code = getattr(self.driver, "cu" + name)(*arguments)
        if code != 0:
            raise RuntimeError("%s: %s" % (name, self.said(code)))

    def map(self, handle):
        at, copy = ctypes.c_uint64(), Handle()
        ctypes.memmove(ctypes.byref(copy), handle, 64)
        self.must("IpcOpenMemHandle_v2", ctypes.byref(at), copy, 1)
        return at.value

    def unmap(self, base):
        self.driver.cuIpcCloseMemHandle(ctypes.c_uint64(base))

    def wait(self):
        self.must("CtxSynchronize")


class NotCaptured(Exception):
    pass


class KernelNode(ctypes.Structure):
    """As the driver has it; one before 12.0 fills in all but the last two."""
    _fields_ = [("function", ctypes.c_void_p), ("sizes", ctypes.c_uint32 * 7), ("parameters", ctypes.c_void_p),
                ("extra", ctypes.c_void_p), ("kernel", ctypes.c_void_p), ("context", ctypes.c_void_p)]


class Kept:
    """A copy of what operands hold, until the end of a block; in it they hold zeros when they are told to."""

    def __init__(self, device, places):
        self.device, self.places, self.copies = device, places, []

    def __enter__(self):
        for address, size in self.places:
            copy = ctypes.c_uint64()
            if self.device.driver.cuMemAlloc_v2(ctypes.byref(copy), ctypes.c_size_t(size)) != 0:
                self.free()
                raise NotCaptured("the device has no memory to keep its operands in meanwhile")
            self.copies.append((copy.value, address, size))
            self.move(copy.value, address, size)
        self.device.wait()
        return self

    def move(self, to, at, size):
        self.device.must("MemcpyDtoDAsync_v2", ctypes.c_uint64(to), ctypes.c_uint64(at), ctypes.c_size_t(size),
                         ctypes.c_void_p(self.device.stream))

    def clear(self):
        for _, address, size in self.copies:
            self.device.must("MemsetD8Async", ctypes.c_uint64(address), 0, ctypes.c_size_t(size),
                             ctypes.c_void_p(self.device.stream))
        self.device.wait()

    def put_back(self):
        for copy, address, size in self.copies:
            self.move(address, copy, size)
        self.device.wait()

    def free(self):
        for copy, _, _ in self.copies:
            self.device.driver.cuMemFree_v2(ctypes.c_uint64(copy))

    def __exit__(self, kind, error, trace):
        if kind is not None:
            self.put_back()
        self.free()


class Captured:
    """What one call puts into the stream; capture.c has the same."""
    KINDS = {0: "kernels", 1: "copies", 2: "fills", 3: "host_calls", 10: "allocations"}

    def __init__(self, device, call):
        self.device, self.driver, self.graph, self.listed = device, device.driver, ctypes.c_void_p(), []
        self.counts = dict.fromkeys(["kernels", "copies", "fills", "host_calls", "allocations", "others"], 0)
        stream, status, why = ctypes.c_void_p(device.stream), 0, ""
        device.must("StreamBeginCapture_v2", stream, 1)
        try:
            status = call()
        except BaseException as error:
            status, why = RAISED, "%s: %s" % (type(error).__name__, error)
        code = self.driver.cuStreamEndCapture(stream, ctypes.byref(self.graph))
        if code != 0:
            raise NotCaptured("it does what ends the capture of its stream: %s" % device.said(code))
        if status not in (0, None, True):
            raise NotCaptured("while its stream was captured it raised %s" % why if status == RAISED else
                              "it returned %d while its stream was captured" % status)
        device.wait()
        self.add(self.graph, 0)
        if self.counts["host_calls"] > 0:
            times = self.counts["host_calls"]
            raise NotCaptured("it calls host code from its stream, %d time%s" % (times, "" if times == 1 else "s"))
        if sum(self.counts[one] for one in ("kernels", "copies", "fills")) == 0:
            raise NotCaptured("it puts nothing into the stream that it is given")

    def name(self, about):
        text = ctypes.c_char_p()
        asked, of = ("cuFuncGetName", about.function) if about.function else ("cuKernelGetName", about.kernel)
        if not hasattr(self.driver, asked) or getattr(self.driver, asked)(ctypes.byref(text), ctypes.c_void_p(of)) != 0:
            return b""
        return text.value or b""

    def list(self, node):
        about = KernelNode()
        newer = "GraphKernelNodeGetParams_v2"
        self.device.must(newer if hasattr(self.driver, "cu" + newer) else newer[:-3], node, ctypes.byref(about))
        self.listed.append(KERNEL.pack(self.name(about)[:191], *about.sizes, 0))

    def add(self, graph, level):
        count, kind, within = ctypes.c_size_t(), ctypes.c_int(), ctypes.c_void_p()
        self.device.must("GraphGetNodes", graph, None, ctypes.byref(count))
        nodes = (ctypes.c_void_p * max(1, count.value))()
        if count.value > 0:
            self.device.must("GraphGetNodes", graph, nodes, ctypes.byref(count))
        for node in map(ctypes.c_void_p, nodes[:count.value]):
            self.device.must("GraphNodeGetType", node, ctypes.byref(kind))
            if kind.value == 4 and level < 8:
                self.device.must("GraphChildGraphNodeGetGraph", node, ctypes.byref(within))
                self.add(within, level + 1)
                continue
            if kind.value == 0 and len(self.listed) < KERNELS:
                self.list(node)
            if kind.value != 5:  # an empty node
                self.counts[self.KINDS.get(kind.value, "others")] += 1

    def replay(self):
        ready = ctypes.c_void_p()
        self.device.must("GraphInstantiateWithFlags", ctypes.byref(ready), self.graph, ctypes.c_uint64(0))
        self.device.must("GraphLaunch", ready, ctypes.c_void_p(self.device.stream))
        self.device.wait()
        self.driver.cuGraphExecDestroy(ready)

    def message(self):
        return (GRAPH.pack(*self.counts.values(), len(self.listed), 0) + b"".join(self.listed) +
                bytes(KERNEL.size * (KERNELS - len(self.listed))))


def capture(places, call):
    """Of a call that sees zeros, replayed on what the operands hold: the status of a plain call, and the message."""
    if not hasattr(device.driver, "cuGraphInstantiateWithFlags"):
        raise NotCaptured("this driver captures no streams")
    with Kept(device, places) as kept:
        status = call()
        device.wait()
        if status not in (0, None, True):
            return status, b""
        kept.clear()
        captured = Captured(device, call)
        kept.put_back()
        try:
            captured.replay()
        except RuntimeError as error:
            raise NotCaptured("what was captured can't be replayed: %s" % error)
        device.driver.cuGraphDestroy(captured.graph)
        return 0, captured.message()


device = None
slots = {}  # number: address and bytes


def forget(slot):
    base, size = slots.pop(slot, (None, 0))
    for key in [key for key in made if key[0] == slot]:
        del made[key]
    if base is None:
        return
    if device is not None:
        device.unmap(base)
    else:
        libc.munmap(base, size)


def fill(slot, place, written, size, handle, files):
    global device
    forget(slot)
    if place:
        if device is None:
            device = Device(place)
        slots[slot] = (device.map(handle), size)
        return
    file = files.pop(0)
    base = libc.mmap(None, size, 3 if written else 1, 1, file, 0)
    os.close(file)
    if base == ctypes.c_void_p(-1).value:
        give_up(NO_MAP, "memory of the judge can't be reached")
    slots[slot] = (base, size)


# ---- operands ---------------------------------------------------------------------------------------------


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                ("byte_offset", ctypes.c_uint64)]


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


keep_it = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda managed: None)  # the operand is the owner
new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Operand:
    """Elements in the judge's memory; libraries take it by __dlpack__ or an array interface."""

    def __init__(self, address, dtype, shape, strides, written):
        self.ptr, self.shape, self.strides, self.writable = address, shape, strides, written
        self.dtype = NAMES[dtype]
        word, code, bits = TYPES[dtype]
        interface = {"shape": shape, "typestr": word, "data": (address, not written), "version": 3,
                     "strides": tuple(stride * bits // 8 for stride in strides)}
        if device is None:
            self.__array_interface__ = interface
        else:
            self.__cuda_array_interface__ = dict(interface, stream=device.stream)
        numbers = ctypes.c_int64 * max(1, len(shape))
        self.sizes, self.steps = numbers(*shape), numbers(*strides)
        self.managed = Managed(
            Tensor(address, 1 if device is None else 2, 0 if device is None else device.number, len(shape), code, bits, 1,
                   ctypes.addressof(self.sizes), ctypes.addressof(self.steps), 0),
            None, ctypes.cast(keep_it, ctypes.c_void_p))

    def __dlpack__(self, **unused):
        return new_capsule(ctypes.addressof(self.managed), b"dltensor", None)

    def __dlpack_device__(self):
        return (self.managed.tensor.device_type, self.managed.tensor.device_id)


nothing = ctypes.create_string_buffer(64)  # where what has no elements begins: some take 0 for no address at all
made = {}  # by slot and all that an operand is


def operand(op, number, turned, place):
    slot, _, written, dtype, _, offset, rows, cols, ld, _ = place
    key = (slot, op, number, turned, written, dtype, offset, rows, cols, ld)
    if key not in made:
        address = slots[slot][0] + offset if slot >= 0 else ctypes.addressof(nothing)
        if op == 0 or (op == 2 and number > 0):
            shape, strides = (cols,), (1,)
        elif turned:
            shape, strides = (cols, rows), (1, ld)
        else:
            shape, strides = (rows, cols), (ld, 1)
        made[key] = Operand(address, dtype, shape, strides, bool(written))
    return made[key]


def extent(place):
    """Where an operand begins, and its bytes."""
    slot, _, _, dtype, _, offset, rows, cols, ld, _ = place
    return slots[slot][0] + offset, ((rows - 1) * ld + cols) * TYPES[dtype][2] // 8


# ---- the function --------------------------------------------------------------------------------------------


def said(error, path):
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    where = ", line %d" % lines[-1] if lines else ""
    return "%s: %s%s" % (type(error).__name__, error, where)


def of_model(model):
    """KernelBench's form: a result is returned, and copied to where it belongs. It knows no scalars."""
    import torch

    def run(*operands, alpha=1, beta=0):
        if alpha != 1 or beta != 0:
            raise NotImplementedError("ModelNew has no alpha and no beta")
        *inputs, out = [torch.from_dlpack(one) for one in operands]
        with torch.no_grad():
            out.copy_(model(*inputs))
    return run


def load(name, path):
    with os.fdopen(4, "rb") as file:
        text = file.read()
    sys.path[0] = os.path.dirname(os.path.abspath(path))
    names = {"__name__": "__subject__", "__file__": path}
    exec(compile(text, path, "exec"), names)
    if name in names and name != "ModelNew":
        return names[name], ""
    if "ModelNew" in names:
        wanted = names["get_init_inputs"]() if "get_init_inputs" in names else []
        return of_model(names["ModelNew"](*wanted)), "; its result is copied, which counts"
    raise NameError("it has no function '%s'" % name)


def keywords(function):
    """Which of the words it takes; None: all."""
    try:
        taken = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return set()
    if any(one.kind == one.VAR_KEYWORD for one in taken):
        return None
    return {one.name for one in taken}


def receive():
    size = HEAD.size + 4 * PLACE.size
    message, files, _, _ = socket.recv_fds(judge, size, 4)
    return message if len(message) == size else None, files


def serve(function, path):
    taken = keywords(function)
    while True:
        message, files = receive()
        if message is None:
            return
        kind, op, count, output, trans_a, trans_b, reduction, _, place, alpha, beta = HEAD.unpack_from(message)
        places = [PLACE.unpack_from(message, HEAD.size + i * PLACE.size) for i in range(count)]
        if kind == FORGET:
            for one in places:
                forget(one[0])
            answer(0)
            continue
        place = place.rstrip(b"\0")
        status = 0
        try:
            for one in places:
                if one[0] >= 0 and one[1]:
                    fill(one[0], place, one[2], one[4], one[9], files)
            operands = [operand(op, i, (i == 0 and trans_a) or (i == 1 and trans_b), one) for i, one in enumerate(places)]
            operands = [one for i, one in enumerate(operands) if i != output] + [operands[output]]
            words = {"alpha": alpha, "beta": beta, "stream": device.stream if device is not None else None}
            if op == 0:
                words["reduce"] = REDUCTIONS[reduction]
            if taken is not None:
                words = {name: value for name, value in words.items() if name in taken}
            found = b""
            if kind == CALL:
                status = function(*operands, **words)
                if device is not None:
                    device.wait()
            elif kind == CAPTURE and device is not None:
                status, found = capture([extent(one) for one in places if one[0] >= 0],
                                        lambda: function(*operands, **words))
            elif kind == CAPTURE:
                raise NotCaptured("a host's functions have no stream")
            if status is None or status is True:
                status = 0
            answer(int(status))
            if found:
                judge.send(found)
        except NotCaptured as error:
            answer(NOT_CAPTURED, str(error))
        except BaseException as error:
            answer(UNSUPPORTED if isinstance(error, NotImplementedError) else RAISED, said(error, path))


def main():
    name, path = sys.argv[1], sys.argv[2]
    try:
        function, more = load(name, path)
    except BaseException as error:
        give_up(NOT_LOADED, "%s: %s" % (path, said(error, path)))
    answer(0, os.environ.get("PLX_SUBJECT_FENCE", "") + more)
    serve(function, path)
    os._exit(0)


main()
