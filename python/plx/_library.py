"""libparallax over ctypes: found and loaded when it is first used, and its errors as exceptions."""

import ctypes
import os
import sys
import threading


class Error(Exception):
    """What the library says when a call fails; `status` is its plx_status."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class Unsupported(Error):
    """Valid, but not here."""


class DeviceLost(Error):
    """The device runs nothing more in this process."""


INVALID, UNSUPPORTED, DEVICE_LOST = 1, 2, 9
_KINDS = {UNSUPPORTED: Unsupported, DEVICE_LOST: DeviceLost}


class View(ctypes.Structure):
    _fields_ = [("buffer", ctypes.c_void_p), ("offset", ctypes.c_uint64)]


class Tensor(ctypes.Structure):
    """plx_tensor of parallax/dlpack.h."""

    _fields_ = [("view", View), ("dtype", ctypes.c_int), ("rank", ctypes.c_int), ("batch", ctypes.c_int64),
                ("rows", ctypes.c_int64), ("cols", ctypes.c_int64), ("stride", ctypes.c_int64), ("ld", ctypes.c_int64),
                ("transposed", ctypes.c_bool), ("read_only", ctypes.c_bool)]


class NativeMemory(ctypes.Structure):
    _fields_ = [("api", ctypes.c_int), ("flags", ctypes.c_uint32), ("handle", ctypes.c_void_p), ("offset", ctypes.c_uint64),
                ("bytes", ctypes.c_uint64), ("release", ctypes.c_void_p), ("owner", ctypes.c_void_p),
                ("reserved", ctypes.c_uint64 * 4)]


class NativeQueue(ctypes.Structure):
    _fields_ = [("api", ctypes.c_int), ("flags", ctypes.c_uint32), ("handle", ctypes.c_void_p),
                ("reserved", ctypes.c_uint64 * 4)]


class ErrorText(ctypes.Structure):
    _fields_ = [("text", ctypes.c_char * 512)]


def problem():
    """Room for a plx_problem, which only the library looks into."""
    return (ctypes.c_uint64 * 128)()


_lock = threading.RLock()
_library = None
_context = None
_backends = {}


def _names():
    named = os.environ.get("PLX_LIBRARY")
    if named:
        return [named]
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib", "libparallax.so.0")
    return ([here] if os.path.exists(here) else []) + ["libparallax.so.0", "libparallax.so"]


def _open():
    failed = []
    for name in _names():
        try:
            return ctypes.CDLL(name)
        except OSError as why:
            failed.append(str(why))
    raise ImportError("libparallax was not found (%s); install it, or name it in $PLX_LIBRARY" % "; ".join(failed))


def library():
    global _library
    with _lock:
        if _library is None:
            opened = _open()
            opened.plx_message.restype = ctypes.c_char_p
            opened.plx_backend_label.restype = ctypes.c_char_p
            opened.plx_version.restype = ctypes.c_char_p
            opened.plx_buffer_bytes.restype = ctypes.c_uint64
            opened.plx_buffer_bytes.argtypes = [ctypes.c_void_p]
            opened.plx_buffer_native.argtypes = [ctypes.c_void_p, ctypes.POINTER(NativeMemory)]
            opened.plx_execute_native.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
            opened.plx_synchronize.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
            for name in ("plx_buffer_destroy", "plx_queue_destroy", "plx_plan_destroy", "plx_close"):
                getattr(opened, name).restype = None
                getattr(opened, name).argtypes = [ctypes.c_void_p]
            _library = opened
        return _library


def context():
    global _context
    with _lock:
        if _context is None:
            made = ctypes.c_void_p()
            check(library().plx_context_create(None, ctypes.byref(made)), None)
            _context = made
        return _context


def check(status, where=False, kinds=None):
    """Raises what a status that is not PLX_OK stands for; `kinds`: other exceptions by status."""
    if status == 0:
        return
    said = library().plx_message(context() if where is False else where)
    message = said.decode("utf-8", "replace") if said else "status %d" % status
    if kinds and status in kinds:
        raise kinds[status](message)
    raise _KINDS.get(status, Error)(status, message)


def backend(name):
    """Opened when it is first named, and kept: "cuda" and "cuda:0" are one."""
    with _lock:
        if name not in _backends:
            made = ctypes.c_void_p()
            check(library().plx_open(context(), name.encode(), ctypes.byref(made)))
            label = library().plx_backend_label(made).decode()
            if label in _backends:
                library().plx_close(made)
            _backends[name] = _backends.setdefault(label, made)
        return _backends[name]


class Handle:
    """An object of the library that is destroyed with this one.  `kept`: what it works on, an array or a stream of others,
    which may end what it has with the last reference to it, and so is let go after the object and not before."""

    def __init__(self, value, destroy, kept=None):
        self.value = value
        self._destroy = destroy
        self._kept = kept

    def close(self):
        value, self.value = self.value, None
        if value:
            self._destroy(value)
        self._kept = None

    def __del__(self):
        if sys.is_finalizing():  # streams of others may be gone already, and all of this process is about to be
            return
        try:
            self.close()
        except (AttributeError, TypeError):  # the interpreter is about to end
            pass
