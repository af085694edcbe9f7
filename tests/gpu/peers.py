"""Named peers and our kernels on one NVIDIA GPU: each beside attention in float64, then all in turns, one table a shape.

    PYTHONPATH=SITE[:WHEEL] python3 tests/gpu/peers.py [--seconds 240] [--peers fa4,sageattention] [--shapes 12x32760x128] [--out FILE]

SITE holds the peers' packages (their recipes, resources/backends/peers, say which); WHEEL is the folder of reelgrid_kernels, a wheel of
packaging/python that was built with the CUDA kernels, unpacked. A peer that can't run says why, once. Beside the recipes: PyTorch's own
operators, and FlashAttention-3 of the wheel fa3-fwd 0.0.3. Times are of CUDA's events, medians of rounds in an order drawn anew, each
kernel warmed up before its turn; inputs N(0, 1) [1, tokens, heads, head dim], seen as [1, heads, tokens, head dim].
"""
import argparse
import importlib.util
import json
import pathlib
import random
import statistics
import sys
import time

import torch
import torch.nn.functional as F

PEERS = pathlib.Path(__file__).resolve().parents[2] / "resources" / "backends" / "peers"
SHAPES = ["12x4096x64", "12x4096x128", "12x16384x64", "12x16384x128", "12x32760x64", "12x32760x128", "12x75600x128", "12x69120x128"]
GRIDS = {32760: (21, 30, 52), 75600: (21, 45, 80), 69120: (18, 48, 80), 16384: (16, 32, 32), 4096: (16, 16, 16)}
OURS = ("fav2", "fav3", "fav3_fp8", "fav3_sage", "sagev1", "sagev2")
STA_WINDOW, STA_TILE = (3, 3, 3), (6, 8, 8)  # FastVideo's
DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}
ROUNDS, WINDOW = 5, 30  # milliseconds of a turn
ROWS = 256  # queries that are held to float64, of every head


class Grid:
    def __init__(self, frames, height, width):
        self.frames, self.height, self.width, self.text_before, self.text_after, self.text_tokens = frames, height, width, 0, 0, 0


class Contender:
    """A kernel by name. attend(q, k, v, context) -> out; why(context) -> None or why it can't run; exact: whether it leaves nothing out."""

    def __init__(self, name, attend, why=lambda context: None, dtypes=("bf16", "fp16"), is_ours=False, version=""):
        self.name, self.attend, self.why, self.dtypes, self.is_ours, self.version = name, attend, why, dtypes, is_ours, version
        self.failed = None


def first_line(error):
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]


def of_pytorch(name):
    from torch.nn.attention import SDPBackend, sdpa_kernel
    backend = {"cudnn": SDPBackend.CUDNN_ATTENTION, "flash": SDPBackend.FLASH_ATTENTION}[name]

    def attend(q, k, v, context):
        with sdpa_kernel(backend):
            return F.scaled_dot_product_attention(q, k, v, scale=context["scale"])
    return Contender(name, attend, version=torch.__version__)


def of_ours():
    import reelgrid_kernels
    version = reelgrid_kernels.__version__
    dense = [Contender(name, lambda q, k, v, context, op=getattr(torch.ops.reelgrid, name): op(q, k, v, scale=context["scale"]), is_ours=True,
                       version=version) for name in OURS]

    def sta(q, k, v, context):
        grid = context["grid"]
        return torch.ops.reelgrid.sta(q, k, v, grid=[grid.frames, grid.height, grid.width], tile=list(STA_TILE), window=list(STA_WINDOW),
                                      scale=context["scale"])

    def why_not_sta(context):
        grid = context["grid"]
        if grid is None or any(extent % tile for extent, tile in zip((grid.frames, grid.height, grid.width), STA_TILE)):
            return "a clip that tiles of 6x8x8 don't fill"
        return None
    sparge = Contender("sparge", lambda q, k, v, context: torch.ops.reelgrid.sparge(q, k, v, scale=context["scale"]), is_ours=True, version=version)
    return [*dense, Contender("sta", sta, why_not_sta, is_ours=True, version=version), sparge]


def of_fa3():
    found = importlib.util.find_spec("fa3_fwd")
    library = next(pathlib.Path(list(found.submodule_search_locations)[0]).glob("_C*.so")) if found else None
    if library is None:
        raise ImportError("fa3-fwd 0.0.3 is not installed")
    torch.ops.load_library(library)

    def attend(q, k, v, context):
        out = torch.ops.fa3_fwd.fwd(*(x.transpose(1, 2) for x in (q, k, v)), softmax_scale=context["scale"], is_causal=False)
        return (out[0] if isinstance(out, (tuple, list)) else out).transpose(1, 2)
    return Contender("fa3", attend, dtypes=("bf16",), version="0.0.3")


def of_recipe(path, changed=None):
    spec = importlib.util.spec_from_file_location("recipe_" + path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    options = {**getattr(module, "OPTIONS", {}), **(changed or {})}

    def why(context):
        if context["head_dim"] > module.MAX_HEAD_DIM or context["head_dim"] % module.HEAD_DIM_MULTIPLE:
            return f"head dim {context['head_dim']}"
        return module.supports(**context, options=options) if hasattr(module, "supports") else None

    def attend(q, k, v, context):
        return module.attend(q, k, v, **context, options=options, log_sum_exp=False)
    name = module.NAME + "".join(f" {k}={v}" for k, v in (changed or {}).items())
    return Contender(name, attend, why, module.DTYPES, version=module.VERSION)


def contenders(wanted):
    """Those that can be asked at all, and {name: why not} of the others."""
    makers = {"cudnn": lambda: [of_pytorch("cudnn")], "flash": lambda: [of_pytorch("flash")], "ours": of_ours, "fa3": lambda: [of_fa3()]}
    for path in sorted(PEERS.glob("*.py")):
        if not path.stem.endswith("_package"):
            makers[path.stem] = lambda path=path: [of_recipe(path)]
    makers["fastvideo_vsa, all tiles"] = lambda: [of_recipe(PEERS / "fastvideo_vsa.py", {"kept": 1.0})]
    found, missing = [], {}
    for name, make in makers.items():
        try:
            found += make()
        except Exception as error:
            missing[name] = first_line(error)
    return [c for c in found if not wanted or c.is_ours or c.name.split(" ")[0] in wanted], missing


def exact_rows(q, k, v, rows, scale, seen=None):
    """Attention of some queries in float64; seen [rows, keys]: which keys each of them sees."""
    outs = []
    for h in range(q.shape[1]):
        scores = q[:, h, rows].double() @ k[:, h].double().transpose(-2, -1) * scale
        if seen is not None:
            scores = scores.masked_fill(~seen, float("-inf"))
        outs.append(scores.softmax(-1) @ v[:, h].double())
    return torch.stack(outs, 1)


def sliding_window(rows, grid, window=STA_WINDOW, tile=STA_TILE):
    """Which keys STA lets these queries see: `window` tiles about their own, moved in where it would leave the clip."""
    shape, place, seen = (grid.frames, grid.height, grid.width), torch.arange(grid.frames * grid.height * grid.width, device=rows.device), None
    axes = []
    for axis in range(3):
        rest = 1
        for n in shape[axis + 1:]:
            rest *= n
        axes.append(place // rest % shape[axis] // tile[axis])
    for axis, (of, n) in enumerate(zip(axes, shape)):
        tiles, half = n // tile[axis], window[axis] // 2
        middle = of[rows].clamp(half, max(half, tiles - 1 - half))
        near = (of[None] - middle[:, None]).abs() <= half
        seen = near if seen is None else seen & near
    return seen


def error_of(contender, q, k, v, context, truth, rows, windowed):
    before = [x.clone() for x in (q, k, v)]
    out = contender.attend(q, k, v, context)
    if out.shape != q.shape or out.dtype != q.dtype:
        raise ValueError(f"it gave {list(out.shape)} {out.dtype}")
    if not all(torch.equal(a, b) for a, b in zip(before, (q, k, v))):
        raise ValueError("it wrote to its inputs")
    wanted = windowed() if contender.name in ("fastvideo_sta", "sta") else truth
    return float((out[:, :, rows].double() - wanted).abs().sum() / wanted.abs().sum())


def milliseconds(contender, q, k, v, context, calls):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for _ in range(calls):
        contender.attend(q, k, v, context)
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / calls


def one_case(found, shape, dtype, said):
    heads, tokens, head_dim = (int(n) for n in shape.split("x"))
    torch.manual_seed(1)
    q, k, v = (torch.randn(1, tokens, heads, head_dim, device="cuda").to(DTYPES[dtype]).transpose(1, 2) for _ in range(3))
    grid = Grid(*GRIDS[tokens]) if tokens in GRIDS else None
    context = {"scale": head_dim**-0.5, "causal": False, "grid": grid, "queries": tokens, "keys": tokens, "head_dim": head_dim,
               "query_heads": heads, "key_heads": heads, "batch": 1, "dtype": dtype, "device": "cuda", "layer": None, "step": None,
               "steps": None, "module": "self", "branch": None, "family": None}
    rows = torch.randperm(tokens, device="cuda")[:ROWS]
    truth = exact_rows(q, k, v, rows, context["scale"])
    runs, errors, times = [], {}, {}
    for contender in found:
        why = f"takes {' and '.join(contender.dtypes)}" if dtype not in contender.dtypes else contender.failed or contender.why(context)
        if not why:
            try:
                errors[contender.name] = error_of(contender, q, k, v, context, truth, rows,
                                                  lambda: exact_rows(q, k, v, rows, context["scale"], sliding_window(rows, grid)))
                times[contender.name] = []
                runs.append(contender)
            except Exception as error:
                why = first_line(error)
                if isinstance(error, ImportError):
                    contender.failed = why
        if why and (contender.name, why) not in said:
            said.add((contender.name, why))
            print(f"  {contender.name}: not at {shape} {dtype}: {why}", flush=True)
    for _ in range(ROUNDS):
        random.shuffle(runs)
        for contender in runs:
            one = milliseconds(contender, q, k, v, context, 1)
            calls = max(1, int(WINDOW / one))
            milliseconds(contender, q, k, v, context, (calls + 2) // 3)
            times[contender.name].append(milliseconds(contender, q, k, v, context, calls))
    work = 4.0 * heads * tokens * tokens * head_dim
    table = []
    for contender in runs:
        p50 = statistics.median(times[contender.name])
        table.append({"shape": shape, "dtype": dtype, "kernel": contender.name, "version": contender.version, "ms_p50": round(p50, 4),
                      "dense_tflops": round(work / p50 * 1e-9, 1), "l1": errors[contender.name]})
    best = min((row["ms_p50"] for row in table if row["kernel"] == "fav3"), default=None)
    print(f"{shape} {dtype}" + ("; × beside fav3" if best else ""))
    for row in sorted(table, key=lambda row: row["ms_p50"]):
        beside = f"{row['ms_p50'] / best:6.2f} ×" if best else ""
        print(f"  {row['kernel']:26}{row['ms_p50']:10.3f} ms {row['dense_tflops']:8.1f} TFLOP/s{beside}  l1 {row['l1']:.2e}", flush=True)
    return table


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--seconds", type=float, default=240, help="no further case begins after so many")
    p.add_argument("--peers", default="", help="names, separated by commas; all")
    p.add_argument("--shapes", default=",".join(SHAPES), help="HEADSxTOKENSxHEADDIM, separated by commas")
    p.add_argument("--dtypes", default="bf16,fp16")
    p.add_argument("--out", default="", help="a file for the rows as JSON lines")
    a = p.parse_args()
    if not torch.cuda.is_available():
        sys.exit("peers.py: no NVIDIA GPU that this Python's torch can use")
    begun = time.time()
    random.seed(1)
    sys.path.insert(0, str(PEERS))
    torch.set_grad_enabled(False)
    found, missing = contenders(set(filter(None, a.peers.split(","))))
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}")
    for name, why in missing.items():
        print(f"  {name}: {why}")
    said, rows, left_out = set(), [], []
    for dtype in a.dtypes.split(","):
        for shape in a.shapes.split(","):
            if time.time() - begun > a.seconds:
                left_out.append(f"{shape} {dtype}")
                continue
            try:
                rows += one_case(found, shape, dtype, said)
            except torch.OutOfMemoryError as error:
                print(f"{shape} {dtype}: {first_line(error)}")
            torch.cuda.empty_cache()
    if left_out:
        print("no time left for", ", ".join(left_out))
    if a.out:
        with open(a.out, "w") as f:
            f.writelines(json.dumps(row) + "\n" for row in rows)


if __name__ == "__main__":
    main()
