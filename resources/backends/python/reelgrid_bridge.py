"""Serves one attention kernel in Python to ReelGrid, which starts this file itself:

    python3 reelgrid_bridge.py runtime
    python3 reelgrid_bridge.py describe KERNEL.py
    python3 reelgrid_bridge.py serve KERNEL.py SOCKET MEMORY BYTES

runtime prints versions. describe prints what the kernel's file says of itself as one JSON object. serve answers records of a fixed size
that come over SOCKET (core/plugins/python/bridge_record.h has their layout, which follows here) about tensors in
MEMORY, a file of BYTES in memory that both processes map, or, on a GPU, in memory that was opened by its CUDA
IPC handle. It needs Python 3.9 or later and nothing else, unless the kernel does.
"""

import ctypes
import faulthandler
import importlib.util
import inspect
import json
import math
import mmap
import os
import platform
import signal
import socket
import struct
import sys
import time
import traceback
import warnings

# ── records ──────────────────────────────────────────────────────────────────────────────────────────────────

RECORD_BYTES = 4096
MAGIC = 0x31594752  # "RGY1"
CALL = struct.Struct("<2I4i6q6Q12qd5q4i32s32s32sQ64s64s3392s")
REPLY = struct.Struct("<IiI4xd64s")  # then text
NOWHERE = (1 << 64) - 1
SUPPORTS, ATTEND, PING = 1, 2, 3
DEVICES = ("cpu", "cuda")
DTYPES = ("fp32", "bf16", "fp16")
FEATURES = ("causal", "key_bias", "shared_keys", "log_sum_exp")
ELEMENT_BYTES = (4, 2, 2)
PACKAGES = ("torch", "triton")  # whose versions are told
TYPE_STRINGS = ("<f4", "<u2", "<f2")  # of numpy, which has no bf16

DONE, REFUSED, FAILED = 0, 1, 2


class Grid:
    """Where the tokens of a call lie in the clip."""

    __slots__ = ("frames", "height", "width", "text_before", "text_after")

    def __init__(self, frames, height, width, text_before, text_after):
        self.frames, self.height, self.width = frames, height, width
        self.text_before, self.text_after = text_before, text_after

    @property
    def text_tokens(self):
        return self.text_before + self.text_after

    def __repr__(self):
        return (f"Grid(frames={self.frames}, height={self.height}, width={self.width}, "
                f"text_before={self.text_before}, text_after={self.text_after})")


class Buffer:
    """A tensor for kernels without torch (TENSORS = "buffer"): shape and strides in elements, and bytes that
    begin with its first element. numpy.asarray() takes it, bf16 as its 16 bits."""

    def __init__(self, data, dtype, shape, strides):
        self.data, self.dtype, self.shape, self.strides = data, DTYPES[dtype], shape, strides
        size = ELEMENT_BYTES[dtype]
        self.__array_interface__ = {
            "version": 3,
            "shape": tuple(shape),
            "typestr": TYPE_STRINGS[dtype],
            "strides": tuple(size * s for s in strides),
            "data": data,
        }


# ── the kernel's file ────────────────────────────────────────────────────────────────────────────────────────


class Wrong(Exception):
    """Something in the kernel's file that can't be."""


def load(path):
    stem = os.path.splitext(os.path.basename(path))[0]
    if stem in PACKAGES:
        raise Wrong(f"its file is called as the package {stem}, which it would stand for; another name was needed")
    # Behind what is installed, and under a name of its own: the file may be called random.py.
    sys.path.append(os.path.dirname(path))
    spec = importlib.util.spec_from_file_location("reelgrid_kernel_" + stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    if not callable(getattr(module, "attend", None)):
        raise Wrong("it has no function attend(q, k, v, *, scale, causal, **context)")
    return module


def text_of(name, value):
    """A default of OPTIONS as ReelGrid writes it."""
    if isinstance(value, bool) or value is None:
        raise Wrong(f"OPTIONS[{name!r}] is {value!r}: a number, a tuple of numbers or text was needed")
    numbers = value if isinstance(value, (tuple, list)) else (value,)
    if any(isinstance(number, float) and not math.isfinite(number) for number in numbers):
        raise Wrong(f"OPTIONS[{name!r}] is {value!r}: finite numbers were needed")
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (tuple, list)) and value and all(
            isinstance(v, (int, float)) and not isinstance(v, bool) for v in value):
        return ",".join(repr(v) for v in value)
    if isinstance(value, str) and value:
        return value
    raise Wrong(f"OPTIONS[{name!r}] is {value!r}: a number, a tuple of numbers or text was needed")


def value_of(text, default):
    """The way back, as the default is."""
    if isinstance(default, (tuple, list)):
        whole = all(isinstance(v, int) for v in default)
        return tuple((int if whole else float)(part) for part in text.split(","))
    return type(default)(text)


def says(module, name, default, kind):
    value = getattr(module, name, default)
    if not isinstance(value, kind) or isinstance(value, bool):
        wanted = kind[0].__name__ if isinstance(kind, tuple) else kind.__name__
        raise Wrong(f"{name} is {value!r}: {wanted} was needed")
    return value


def claimed(error):
    if not 0 <= error < float("inf"):
        raise Wrong(f"CLAIMED_L1 is {error!r}: a finite number from 0 was needed")
    return float(error)


def words(module, name, known, default):
    value = getattr(module, name, default)
    value = (value,) if isinstance(value, str) else value
    if not isinstance(value, (tuple, list)) or not all(isinstance(word, str) for word in value):
        raise Wrong(f"{name} is {value!r}: a tuple of names was needed")
    for word in value:
        if word not in known:
            raise Wrong(f"{name} has {word!r}: one of {', '.join(known)} was needed")
    return list(value)


def runtime():
    """Versions of what computes, without loading what isn't loaded."""
    from importlib import metadata

    def version(package):
        loaded = sys.modules.get(package)
        if loaded is not None:
            return str(loaded.__version__)
        try:
            return metadata.version(package)
        except metadata.PackageNotFoundError:
            return None

    found = {package: version(package) for package in PACKAGES}
    return ", ".join([f"Python {platform.python_version()}"] + [f"{n} {v}" for n, v in found.items() if v])


def first_line(text):
    return next((line.strip() for line in (text or "").splitlines() if line.strip()), "")


def description(module, path):
    stem = os.path.splitext(os.path.basename(path))[0]
    doc = inspect.getdoc(module) or ""
    options = says(module, "OPTIONS", {}, dict)
    titles = says(module, "OPTION_TITLES", {}, dict)
    return {
        "name": says(module, "NAME", stem, str),
        "title": says(module, "TITLE", first_line(doc) or f"{stem}, a kernel in Python", str)[:200],
        "description": says(module, "DESCRIPTION", doc.partition("\n")[2].strip(), str)[:2000],
        "version": str(getattr(module, "VERSION", "")),
        "author": says(module, "AUTHOR", "", str),
        "devices": words(module, "DEVICES", DEVICES, DEVICES),
        "dtypes": words(module, "DTYPES", DTYPES, DTYPES),
        "features": words(module, "FEATURES", FEATURES, ()),
        "max_head_dim": says(module, "MAX_HEAD_DIM", 256, int),
        "head_dim_multiple": says(module, "HEAD_DIM_MULTIPLE", 1, int),
        "claimed_l1": claimed(says(module, "CLAIMED_L1", 0.0, (float, int))),
        "options": [{"key": key, "title": str(titles.get(key, "")), "value": text_of(key, value)}
                    for key, value in options.items()],
        "interpreter": os.path.abspath(sys.executable),
        "runtime": runtime(),
    }


def describe(path):
    # What the file prints as it is imported isn't the answer.
    answer = os.dup(1)
    os.dup2(2, 1)
    try:
        said = {"backends": [description(load(path), path)]}
    except Wrong as wrong:
        said = {"error": str(wrong)}
    except BaseException:
        said = {"error": "it can't be imported: " + last_lines(traceback.format_exc())}
    with os.fdopen(answer, "w") as output:
        json.dump(said, output)
    return 0


# ── calls ────────────────────────────────────────────────────────────────────────────────────────────────────


def last_lines(text, count=6):
    """The end of a traceback as one line, the exception first."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip(" ^~")]
    return " | ".join(lines[-1:] + lines[-count:-1])


class Call:
    """A record's fields by name."""

    def __init__(self, record, count):
        values = CALL.unpack_from(record)
        (self.magic, self.kind, self.device, self.dtype, self.causal, self.threads) = values[:6]
        (self.batch, self.query_heads, self.key_heads, self.queries, self.keys, self.head_dim) = values[6:12]
        self.offsets = values[12:18]  # of q, k, v, out, key_bias, log_sum_exp
        self.strides = values[18:30]
        self.scale = values[30]
        self.grid = values[31:36]
        self.layer, self.step, self.steps, self.gpu = values[36:40]
        self.module, self.branch, self.family = values[40:43]
        self.pool_bytes, self.pool, self.event, self.options = values[43:47]
        if self.magic != MAGIC or count != RECORD_BYTES:
            raise Wrong("a record of another version of ReelGrid came")


def name_of(field):
    return field.rstrip(b"\0").decode() or None


class Memory:
    """What both processes map, read only for inputs."""

    def __init__(self, descriptor, size):
        self.inputs = mmap.mmap(descriptor, size, mmap.MAP_SHARED, mmap.PROT_READ)
        self.outputs = mmap.mmap(descriptor, size, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE)


class BufferTensors:
    """Tensors as Buffer, on the CPU."""

    def __init__(self, memory):
        self.memory = {False: memoryview(memory.inputs), True: memoryview(memory.outputs)}

    def begin(self, call):
        pass

    def tensor(self, offset, dtype, shape, strides, writable):
        size = ELEMENT_BYTES[dtype]
        span = size * (1 + sum((n - 1) * s for n, s in zip(shape, strides)))
        return Buffer(self.memory[writable][offset:offset + span], dtype, shape, strides)

    def put(self, given, out, what):
        if given is not None and given is not out:
            raise TypeError(f"attend() returned {type(given).__name__} as {what}, None was needed: kernels with "
                            'TENSORS = "buffer" write to out')

    def end(self):
        return bytes(64)


class TorchTensors:
    """Tensors of torch."""

    def __init__(self, memory):
        import torch
        self.torch = torch
        self.dtypes = (torch.float32, torch.bfloat16, torch.float16)
        torch.set_grad_enabled(False)
        self.threads = 0
        self.bases = {}
        self.memory = memory
        self.gpu = None

    def base(self, dtype, writable):
        found = self.bases.get((dtype, writable))
        if found is None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that the inputs can't be written to is meant
                found = self.torch.frombuffer(self.memory.outputs if writable else self.memory.inputs,
                                              dtype=self.dtypes[dtype])
            self.bases[(dtype, writable)] = found
        return found

    def begin(self, call):
        if call.device == 1:
            if self.gpu is None:
                self.torch.cuda.set_device(call.gpu)
                self.gpu = CudaMemory(self.torch)
            self.gpu.begin(call)
        elif call.threads > 0 and call.threads != self.threads:
            self.torch.set_num_threads(call.threads)
            self.threads = call.threads
        self.on_gpu = call.device == 1

    def tensor(self, offset, dtype, shape, strides, writable):
        base = self.gpu.base(self.dtypes[dtype]) if self.on_gpu else self.base(dtype, writable)
        return base.as_strided(shape, strides, offset // ELEMENT_BYTES[dtype])

    def put(self, given, out, what):
        if given is out:
            return
        torch = self.torch
        if not isinstance(given, torch.Tensor):
            raise TypeError(f"attend() returned {type(given).__name__} as {what}, a tensor was needed")
        if given.shape != out.shape or given.dtype != out.dtype or given.device != out.device:
            raise ValueError(f"attend() returned {list(given.shape)} {given.dtype} on {given.device} as {what}, "
                             f"{list(out.shape)} {out.dtype} on {out.device} was needed")
        out.copy_(given)

    def end(self):
        return self.gpu.end() if self.on_gpu else bytes(64)


# ── CUDA ─────────────────────────────────────────────────────────────────────────────────────────────────────


class IpcHandle(ctypes.Structure):
    _fields_ = [("reserved", ctypes.c_ubyte * 64)]


class DeviceBytes:
    """What torch.as_tensor() takes without a copy."""

    def __init__(self, pointer, size):
        self.__cuda_array_interface__ = {
            "version": 2, "shape": (size,), "typestr": "|u1", "strides": None, "data": (pointer, False)}


class CudaMemory:
    """Device memory of the other process, opened by its handle, and the events that order the two streams."""

    def __init__(self, torch):
        self.torch = torch
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.handle = self.event_handle = None
        self.pointer = None
        self.waited = ctypes.c_void_p()
        self.done = ctypes.c_void_p()
        torch.zeros(1, device="cuda")  # makes the context current
        disable_timing, interprocess = 2, 4
        self.call("cuEventCreate", ctypes.byref(self.done), ctypes.c_uint(disable_timing | interprocess))
        exported = IpcHandle()
        self.call("cuIpcGetEventHandle", ctypes.byref(exported), self.done)
        self.exported = bytes(exported.reserved)

    def call(self, name, *arguments):
        status = getattr(self.cuda, name)(*arguments)
        if status != 0:
            text = ctypes.c_char_p()
            self.cuda.cuGetErrorString(status, ctypes.byref(text))
            raise RuntimeError(f"{name}: {(text.value or b'error ' + str(status).encode()).decode()}")

    @staticmethod
    def handle_of(data):
        handle = IpcHandle()
        ctypes.memmove(ctypes.byref(handle), data, 64)
        return handle

    def begin(self, call):
        if call.pool != self.handle:
            self.bytes = None
            self.typed = {}
            if self.pointer is not None:
                self.torch.cuda.synchronize()
                self.call("cuIpcCloseMemHandle", self.pointer)
            self.pointer = ctypes.c_uint64()
            lazily_enable_peer_access = 1
            self.call("cuIpcOpenMemHandle_v2", ctypes.byref(self.pointer), self.handle_of(call.pool),
                      ctypes.c_uint(lazily_enable_peer_access))
            self.handle = call.pool
            self.bytes = self.torch.as_tensor(DeviceBytes(self.pointer.value, call.pool_bytes), device="cuda")
            if self.bytes.data_ptr() != self.pointer.value:
                raise RuntimeError("torch copied the shared memory")
        if call.event != self.event_handle:
            self.call("cuIpcOpenEventHandle", ctypes.byref(self.waited), self.handle_of(call.event))
            self.event_handle = call.event
        self.call("cuStreamWaitEvent", self.stream(), self.waited, ctypes.c_uint(0))

    def stream(self):
        return ctypes.c_void_p(self.torch.cuda.current_stream().cuda_stream)

    def base(self, dtype):
        found = self.typed.get(dtype)
        if found is None:
            found = self.typed[dtype] = self.bytes.view(dtype)
        return found

    def end(self):
        self.call("cuEventRecord", self.done, self.stream())
        return self.exported


# ── serving ──────────────────────────────────────────────────────────────────────────────────────────────────


class Kernel:
    """The file's functions with what each of them takes."""

    def __init__(self, module, tensors):
        self.module, self.tensors = module, tensors
        self.attend = module.attend
        self.supports = getattr(module, "supports", None)
        self.defaults = getattr(module, "OPTIONS", {})
        self.takes = self.names_of(self.attend)
        self.supports_takes = self.names_of(self.supports) if self.supports else None
        self.option_bytes, self.options = None, {}

    @staticmethod
    def names_of(function):
        """The keywords that it takes; None: all of them."""
        parameters = inspect.signature(function).parameters.values()
        if any(p.kind is p.VAR_KEYWORD for p in parameters):
            return None
        return {p.name for p in parameters if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)}

    def options_of(self, call):
        if call.options != self.option_bytes:
            lines = call.options.rstrip(b"\0").decode().splitlines()
            pairs = dict(line.split("=", 1) for line in lines)
            self.options = {key: value_of(pairs[key], default) if key in pairs else default
                            for key, default in self.defaults.items()}
            self.option_bytes = call.options
        return dict(self.options)

    def context(self, call):
        return {
            "scale": call.scale,
            "causal": bool(call.causal),
            "grid": Grid(*call.grid) if call.grid[0] > 0 else None,
            "layer": call.layer if call.layer >= 0 else None,
            "step": call.step if call.step >= 0 else None,
            "steps": call.steps or None,
            "module": name_of(call.module),
            "branch": name_of(call.branch),
            "family": name_of(call.family),
            "options": self.options_of(call),
            "threads": call.threads,
        }

    @staticmethod
    def chosen(context, names):
        return context if names is None else {key: value for key, value in context.items() if key in names}

    def why_not(self, call):
        """A reason, or None."""
        if self.supports is None:
            return None
        context = self.context(call)
        context.update(
            device=DEVICES[call.device], dtype=DTYPES[call.dtype], batch=call.batch,
            query_heads=call.query_heads, key_heads=call.key_heads, queries=call.queries, keys=call.keys,
            head_dim=call.head_dim)
        answer = self.supports(**self.chosen(context, self.supports_takes))
        if answer is None or answer is True:
            return None
        return answer if isinstance(answer, str) and answer else "its supports() gives no reason"

    def run(self, call):
        tensors = self.tensors
        tensors.begin(call)

        def tensor(index, heads, tokens, writable=False):
            return tensors.tensor(call.offsets[index], call.dtype, (call.batch, heads, tokens, call.head_dim),
                                  call.strides[3 * index:3 * index + 3] + (1,), writable)

        q = tensor(0, call.query_heads, call.queries)
        k = tensor(1, call.key_heads, call.keys)
        v = tensor(2, call.key_heads, call.keys)
        out = tensor(3, call.query_heads, call.queries, writable=True)
        context = self.context(call)
        context["out"] = out
        lse = None
        if call.offsets[5] != NOWHERE:
            shape = (call.batch, call.query_heads, call.queries)
            lse = tensors.tensor(call.offsets[5], 0, shape, (shape[1] * shape[2], shape[2], 1), True)
        if "key_bias" in getattr(self.module, "FEATURES", ()):
            context["key_bias"] = None
            if call.offsets[4] != NOWHERE:
                context["key_bias"] = tensors.tensor(call.offsets[4], 0, (call.keys,), (1,), False)
        if "log_sum_exp" in getattr(self.module, "FEATURES", ()):
            context["log_sum_exp"] = lse is not None
        begin = time.perf_counter()
        given = self.attend(q, k, v, **self.chosen(context, self.takes))
        seconds = time.perf_counter() - begin
        if lse is not None:
            if not isinstance(given, tuple) or len(given) != 2:
                raise TypeError(f"attend() returned {type(given).__name__}, the output and its log-sum-exp were needed")
            tensors.put(given[1], lse, "log-sum-exp")
            given = given[0]
        tensors.put(given, out, "output")
        return seconds, tensors.end()


def tensors_for(module, memory):
    kind = getattr(module, "TENSORS", "torch")
    if kind == "torch":
        return TorchTensors(memory)
    if kind == "buffer":
        return BufferTensors(memory)
    raise Wrong(f"TENSORS is {kind!r}: 'torch' or 'buffer' was needed")


def received(connection):
    record = bytearray()
    while len(record) < RECORD_BYTES:
        part = connection.recv(RECORD_BYTES - len(record))
        if not part:
            return None
        record += part
    return bytes(record)


def send(connection, status, text="", seconds=0.0, event=bytes(64)):
    data = text.encode("utf-8", "replace")[:RECORD_BYTES - REPLY.size]
    connection.sendall((REPLY.pack(MAGIC, status, len(data), seconds, event) + data).ljust(RECORD_BYTES, b"\0"))


def serve(path, socket_number, memory_number, memory_bytes):
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal, which ReelGrid answers
    faulthandler.enable()
    connection = socket.socket(fileno=socket_number)
    try:
        module = load(path)
        versions = runtime()  # as describe() has it, which loads no more than the file does
        kernel = Kernel(module, tensors_for(module, Memory(memory_number, memory_bytes)))
        flags = ("supports " if kernel.supports else "") + (
            "out " if kernel.takes is None or "out" in kernel.takes else "")
        send(connection, DONE, flags + "\n" + versions)
    except Wrong as wrong:
        send(connection, FAILED, str(wrong))
        return 1
    except BaseException:
        send(connection, FAILED, "it can't be imported: " + last_lines(traceback.format_exc()))
        return 1
    while (record := received(connection)) is not None:
        try:
            call = Call(record, len(record))
            if call.kind == SUPPORTS:
                why = kernel.why_not(call)
                send(connection, DONE if why is None else REFUSED, why or "")
            elif call.kind == ATTEND:
                seconds, event = kernel.run(call)
                send(connection, DONE, seconds=seconds, event=event)
            else:
                send(connection, DONE)
        except SystemExit as end:
            send(connection, FAILED, f"it called sys.exit({end.code!r})")
        except BaseException:
            send(connection, FAILED, last_lines(traceback.format_exc()))
    return 0


def main(arguments):
    if arguments[0] == "runtime":
        print(runtime())
        return 0
    if arguments[0] == "describe":
        return describe(arguments[1])
    return serve(arguments[1], *(int(number) for number in arguments[2:5]))


assert CALL.size <= RECORD_BYTES

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
