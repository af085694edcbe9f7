"""What the recipes of this folder share: the package that a kernel comes from, found at once and imported by the first call."""

import importlib
import importlib.util
import sys
from importlib import metadata


class Package:
    """A package of PyPI. Importing a recipe without it raises ImportError with the command that installs it."""

    def __init__(self, name, version, module, command=None, without=()):
        """name: on PyPI; version: the one that was tried; module: what is imported; command: how it is installed; without: modules that
        it is not to find as it is imported."""
        self.name, self.module, self.without = name, module, without
        command = command or f"{name}=={version}"
        if importlib.util.find_spec(module.partition(".")[0]) is None:
            raise ImportError(f"{name} {version} is not installed for {sys.executable}: {sys.executable} -m pip install {command}")
        try:
            self.version = metadata.version(name)
        except metadata.PackageNotFoundError:
            self.version = version  # unpacked without its description
        self._imported = None

    def imported(self):
        """The module. Raises ImportError with the package's name where it can't be imported."""
        if self._imported is None:
            known = {name: sys.modules.get(name) for name in self.without}
            sys.modules.update(dict.fromkeys(self.without))  # None: no such module
            try:
                self._imported = importlib.import_module(self.module)
            except Exception as error:
                raise ImportError(f"{self.name} {self.version} can't be imported: {type(error).__name__}: {error}") from error
            finally:
                for name, module in known.items():
                    sys.modules.pop(name)
                    if module is not None:
                        sys.modules[name] = module
        return self._imported


def has_module(name):
    """Whether it can be found; a package that lies above it is imported."""
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def architecture():
    """90 for compute capability 9.0; of the current GPU."""
    import torch
    major, minor = torch.cuda.get_device_capability()
    return 10 * major + minor


def is_usual(scale, head_dim):
    """Whether a scale is 1/√head dim, which some kernels have built in."""
    return abs(scale * head_dim**0.5 - 1) < 1e-5
