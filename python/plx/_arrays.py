"""Arrays of any library as tensors: DLPack, NumPy's array interface, that of CUDA.  Nothing is copied here."""

import ctypes
import sys

from . import _library as lib

CPU, CUDA, CUDA_HOST, CUDA_MANAGED = 1, 2, 3, 13
LEGACY_STREAM = 1


class _Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class _Type(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", _Device), ("ndim", ctypes.c_int32), ("dtype", _Type),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


class _Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("manager", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", DLTensor)]


_capsule_name = ctypes.pythonapi.PyCapsule_GetName
_capsule_name.restype, _capsule_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]

_CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}


def _type_of(typestr, array):
    if typestr[1:] == "V2" and getattr(getattr(array, "dtype", None), "name", "") == "bfloat16":
        return _Type(4, 16, 1)  # as ml_dtypes writes it
    if typestr[0] == ">":
        raise BufferError("array: elements of %s are big-endian; copy it (.astype(%r))" % (typestr, "<" + typestr[1:]))
    if typestr[1] not in _CODES:
        raise BufferError("array: elements of %s have no number in DLPack" % typestr)
    return _Type(_CODES[typestr[1]], 8 * int(typestr[2:]), 1)


def _from_interface(array, interface, device):
    """A DLTensor, with what it points to kept in it."""
    if interface.get("mask") is not None:
        raise BufferError("array: it is masked; give its elements without the mask")
    dtype = _type_of(interface["typestr"], array)
    shape = tuple(interface["shape"])
    rank = len(shape)
    tensor = DLTensor(data=interface["data"][0] or None, device=device, ndim=rank, dtype=dtype)
    tensor.keep = [(ctypes.c_int64 * max(rank, 1))(*shape)]
    tensor.shape = tensor.keep[0]
    strides = interface.get("strides")
    if strides is not None:
        size = dtype.bits // 8
        if any(s % size for s in strides):
            raise BufferError("array: strides %r are no multiples of its elements' %d bytes; copy it" % (strides, size))
        tensor.keep.append((ctypes.c_int64 * max(rank, 1))(*[s // size for s in strides]))
        tensor.strides = tensor.keep[1]
    return tensor, 1 if interface["data"][1] else 0


def _capsule_of(array, stream):
    """An older producer does not know max_version."""
    given = {} if stream is None else {"stream": stream}
    try:
        return array.__dlpack__(max_version=(1, 0), **given)
    except TypeError:
        return array.__dlpack__(**given)


def _from_capsule(capsule):
    name = _capsule_name(capsule)
    if name == b"dltensor_versioned":
        managed = ctypes.cast(_capsule_pointer(capsule, name), ctypes.POINTER(_Versioned)).contents
        if managed.major != 1:
            raise BufferError("array: version %d of DLPack is not known; this library knows 1" % managed.major)
        return managed.tensor, managed.flags
    if name == b"dltensor":
        return ctypes.cast(_capsule_pointer(capsule, name), ctypes.POINTER(DLTensor)).contents, 0
    raise BufferError("array: its capsule is %r, and was used before or is none of DLPack" % (name,))


def device_of(array):
    """(type, number) as DLPack numbers devices."""
    if hasattr(array, "__dlpack_device__"):
        kind, number = array.__dlpack_device__()
        return int(kind), int(number)
    if hasattr(array, "__cuda_array_interface__"):
        return CUDA, 0
    if hasattr(array, "__array_interface__"):
        return CPU, 0
    raise TypeError("%s has none of __dlpack__, __array_interface__, __cuda_array_interface__" % type(array).__name__)


def on_host(device):
    return device[0] == CPU


def _module_of(array):
    return type(array).__module__.partition(".")[0]


def stream_of(array, given):
    """The stream to work in: the caller's word, the current one of the array's library, else the legacy stream."""
    if given is None:
        module = sys.modules.get(_module_of(array))
        if _module_of(array) == "torch":
            given = module.cuda.current_stream(array.device).cuda_stream
        elif _module_of(array) == "cupy":
            given = module.cuda.get_current_stream().ptr
        else:
            return LEGACY_STREAM
    if hasattr(given, "__cuda_stream__"):
        word = given.__cuda_stream__
        given = (word() if callable(word) else word)[1]
    elif hasattr(given, "cuda_stream"):
        given = given.cuda_stream
    elif hasattr(given, "ptr"):
        given = given.ptr
    return int(given) or LEGACY_STREAM  # CUDA's 0 is the legacy stream, which DLPack calls 1


def _stream_of_interface(interface):
    """That its elements are written in; None: there is nothing to wait for."""
    stream = interface.get("stream")
    if stream == 0:
        raise BufferError("array: its stream is 0, which is the legacy stream (1) or that of the thread (2)")
    return stream


class Operand:
    """An array as a plx_tensor, with all that keeps it alive.  `behind`: the stream that its library did not order with
    ours, which was not told of it; None: there is none."""

    def __init__(self, array, backend, stream):
        device = device_of(array)
        kept = array
        self.behind = None
        if on_host(device) and hasattr(array, "__array_interface__"):
            dl, flags = _from_interface(array, array.__array_interface__, _Device(CPU, 0))
        elif hasattr(array, "__dlpack__"):
            kept = (array, _capsule_of(array, None if on_host(device) else stream))
            dl, flags = _from_capsule(kept[1])
        else:
            interface = array.__cuda_array_interface__
            self.behind = _stream_of_interface(interface)
            dl, flags = _from_interface(array, interface, _Device(CUDA, 0))
        self.tensor = lib.Tensor()
        lib.check(lib.library().plx_tensor_borrow(backend, ctypes.byref(dl), ctypes.c_uint64(flags & 1), ctypes.byref(self.tensor)),
                  kinds={lib.INVALID: BufferError})
        self._buffer = lib.Handle(self.tensor.view.buffer, lib.library().plx_buffer_destroy, kept=kept)


def like(array, shape, dtype=None):
    """An array of the caller's library, where that one is; what it holds is undefined."""
    name = _module_of(array)
    module = sys.modules.get(name)
    if name == "torch":
        return module.empty(shape, dtype=dtype or array.dtype, device=array.device)
    if name == "cupy":
        with array.device:
            return module.empty(shape, dtype=dtype or array.dtype)
    if not on_host(device_of(array)):
        raise TypeError("a result of %s can't be made; give out=" % type(array).__name__)
    import numpy
    return numpy.empty(shape, dtype=dtype or array.dtype)


# ---- at a glance --------------------------------------------------------------------------------------------------
# What tells two calls of one kind apart, without DLPack: how an array lies, and where.  A first call goes all the way, where
# everything is checked; those like it need no more than this.

def _glance_numpy(array):
    interface = array.__array_interface__
    typestr = interface["typestr"]
    if typestr[1] == "V":  # bfloat16, or anything else
        return None
    pointer, read_only = interface["data"]
    return (typestr, interface["shape"], interface["strides"], read_only), pointer


def _glance_cuda_interface(array):
    interface = array.__cuda_array_interface__
    typestr = interface["typestr"]
    if typestr[1] == "V" or interface.get("mask") is not None or interface.get("stream") is not None:
        return None
    pointer, read_only = interface["data"]
    return (typestr, interface["shape"], interface.get("strides"), read_only), pointer


def _glance_torch(array):
    try:
        if array.requires_grad or array.is_conj() or array.is_neg():
            return None
        return (array.dtype, array.shape, array.stride(), array.device), array.data_ptr()
    except RuntimeError:  # sparse, or without storage
        return None


def _glance_cupy(array):
    data = array.data
    return (array.dtype, array.shape, array.strides, data.device_id), data.ptr


def _torch_stream():
    cuda = sys.modules["torch"].cuda
    raw = getattr(sys.modules["torch"]._C, "_cuda_getCurrentRawStream", None)  # what Triton asks, a tenth of the time
    if raw is not None:
        return lambda array: raw(array.device.index) or LEGACY_STREAM
    return lambda array: cuda.current_stream(array.device).cuda_stream or LEGACY_STREAM


def _cupy_stream():
    current = sys.modules["cupy"].cuda.get_current_stream
    return lambda array: current().ptr or LEGACY_STREAM


def _find_glance(kind):
    """How to look at arrays of exactly this type, and the stream that their library orders its work by; None: not so."""
    name = (kind.__module__.partition(".")[0], kind.__name__)
    if name == ("numpy", "ndarray"):
        return _glance_numpy, None
    if name == ("torch", "Tensor"):
        return _glance_torch, _torch_stream()
    if name == ("cupy", "ndarray"):
        return _glance_cupy, _cupy_stream()
    return None, None


_glances = {}


def glance_of(array):
    kind = type(array)
    found = _glances.get(kind)
    if found is None:
        found = _glances[kind] = _find_glance(kind)
        if found[0] is None and hasattr(array, "__cuda_array_interface__") and not hasattr(array, "__dlpack__"):
            # nobody is told of a stream: any will do
            found = _glances[kind] = (_glance_cuda_interface, None)
    return found
