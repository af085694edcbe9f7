"""ReelGrid's kernels as operators of PyTorch: importing this registers torch.ops.reelgrid.*."""

import pathlib

import torch

__version__ = "@VERSION@"
_TORCH = "2.11"  # the release whose C++ interface the library was built with


def _register():
    if torch.__version__.split(".")[:2] != _TORCH.split("."):
        raise ImportError(f"reelgrid_kernels {__version__}: torch is {torch.__version__}, needs {_TORCH}")
    torch.ops.load_library(pathlib.Path(__file__).with_name("reelgrid_operators.so"))
    from . import fakes  # noqa: F401, registers


_register()
