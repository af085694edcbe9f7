#!/usr/bin/env python3
"""pack_wheel.py SOURCE VERSION LIBRARIES OUT: puts the Python files of reelgrid_kernels and the built libraries into a
wheel in the folder OUT, in the place of any other version of it, and prints its path. It holds no libtorch and depends on no
version of Python: the libraries are loaded with torch.ops.load_library. The same files give the same bytes."""

import base64
import hashlib
import pathlib
import platform
import sys
import zipfile

NAME, TORCH = "reelgrid-kernels", "2.11"

METADATA = """\
Metadata-Version: 2.4
Name: {name}
Version: {version}
Summary: ReelGrid's attention and convolution kernels as PyTorch operators
License-Expression: Apache-2.0
License-File: LICENSE
License-File: NOTICE
Requires-Python: >=3.10
Requires-Dist: torch =={torch}.*
Description-Content-Type: text/markdown

{readme}"""

WHEEL = """\
Wheel-Version: 1.0
Generator: packaging/python/pack_wheel.py
Root-Is-Purelib: false
Tag: {tag}
"""


def files_of(source, version, libraries, tag, info):
    """Name in the wheel → content."""
    here = source / "packaging/python"
    files = {}
    for path in sorted((here / "reelgrid_kernels").glob("*.py")):
        files[f"reelgrid_kernels/{path.name}"] = path.read_text().replace("@VERSION@", version).encode()
    for path in sorted(libraries.glob("*.so")):
        files[f"reelgrid_kernels/{path.name}"] = path.read_bytes()
    for name in ("LICENSE", "NOTICE"):
        files[f"{info}/licenses/{name}"] = (source / name).read_bytes()
    readme = (here / "README.md").read_text()
    files[f"{info}/METADATA"] = METADATA.format(name=NAME, version=version, torch=TORCH, readme=readme).encode()
    files[f"{info}/WHEEL"] = WHEEL.format(tag=tag).encode()
    return files


def record_line(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def main(source, version, libraries, out):
    tag = f"py3-none-linux_{platform.machine()}"
    stem = f"{NAME.replace('-', '_')}-{version}"
    info = f"{stem}.dist-info"
    files = files_of(pathlib.Path(source), version, pathlib.Path(libraries), tag, info)
    record = "".join(record_line(name, content) for name, content in files.items())
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    wheel = pathlib.Path(out) / f"{stem}-{tag}.whl"
    partial = wheel.with_suffix(".partial")
    with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100755 if name.endswith(".so") else 0o100644) << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    for older in wheel.parent.glob(f"{NAME.replace('-', '_')}-*.whl"):
        older.unlink()
    partial.replace(wheel)
    print(wheel)


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__.split(":")[0])
    main(*sys.argv[1:])
