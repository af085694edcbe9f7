#!/usr/bin/env python3
"""python_wheel_test.py BUILD_DIR REELGRID_CLI: builds the wheel of packaging/python, unpacks it and holds its operators to
float64, to the program's own results, to torch's checks of operators and to their refusals. Exits with 77, saying why, where
there is no Python with torch 2.11: REELGRID_TORCH_PYTHON names one, else it is the Python that runs this."""

import base64
import csv
import hashlib
import io
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

SKIPPED = 77


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


chosen = os.environ.pop("REELGRID_TORCH_PYTHON", "")
if chosen:
    os.execv(chosen, [chosen, *sys.argv])
try:
    import torch
except ImportError as missing:
    skip(f"{sys.executable} has no torch 2.11 ({missing}); REELGRID_TORCH_PYTHON names a Python that has")
if not torch.__version__.startswith("2.11."):
    skip(f"{sys.executable} has torch {torch.__version__}, the wheel is for 2.11; REELGRID_TORCH_PYTHON names another Python")

import torch.nn.functional as F  # noqa: E402

BUILD, CLI = sys.argv[1:3]
FOLDER = tempfile.TemporaryDirectory(prefix="reelgrid-wheel-")
# As kernels/backends/backend_list.cpp has them; the least cosine to float64 attention of normal inputs, and the largest
# relative L1.
CLOSE = {"fav2": (0.99999, 5e-3), "fav3": (0.99999, 5e-3), "fav3_fp8": (0.998, 0.08), "sagev1": (0.9999, 0.02),
         "sagev2": (0.998, 0.07), "fav3_sage": (0.998, 0.07)}
SMOOTHS = ("sagev1", "sagev2", "fav3_sage", "sagesla")
# Methods that leave blocks out, and options with which they leave out none of a clip of 2 frames of 8 by 10.
GRID = [2, 8, 10]
ALL_BLOCKS = {"sla": dict(topk=1.0), "sparge": dict(cdfthreshd=1.0), "sta": dict(grid=GRID, window=[9, 9, 9]), "radial": dict(grid=GRID)}
ON_CPU = ("merge_attention", "affine_silu", "temporal_conv", "causal_conv3d", "add_then_norm_", "rms_norm_rotate_", "head_norm_rotate_", "gelu_tanh_",
          "int8_quantise", "int8_pack", "int8_linear")


def build():
    done = subprocess.run(["cmake", "--build", BUILD, "--target", "reelgrid_python_wheel"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)
    (wheel,) = pathlib.Path(BUILD, "packaging/python").glob("*.whl")
    return wheel


def op(name):
    return getattr(torch.ops.reelgrid, name)


def qkv(batch=2, heads=3, queries=130, keys=200, dims=64, key_heads=None, dtype=torch.float32, seed=1):
    """Laid out [batch, tokens, heads, dims] in memory, as models have them."""
    generator = torch.Generator().manual_seed(seed)
    shapes = [(queries, heads), (keys, key_heads or heads), (keys, key_heads or heads)]
    return [torch.randn(batch, tokens, count, dims, generator=generator).to(dtype).transpose(1, 2)
            for tokens, count in shapes]


def scores(q, k, is_causal=False, key_bias=None, scale=None):
    """In float64, masked, of every query head."""
    q, k = q.double(), k.double().repeat_interleave(q.shape[1] // k.shape[1], 1)
    s = q @ k.transpose(-1, -2) * (scale if scale is not None else q.shape[-1] ** -0.5)
    if key_bias is not None:
        s = s + key_bias.double()
    if is_causal:  # aligned at the bottom right
        seen = torch.ones(s.shape[-2:], dtype=torch.bool, device=s.device).tril(s.shape[-1] - s.shape[-2])
        s = s.masked_fill(~seen, -torch.inf)
    return s


def attention(q, k, v, **options):
    return scores(q, k, **options).softmax(-1) @ v.double().repeat_interleave(q.shape[1] // v.shape[1], 1)


def cosine(a, b):
    return F.cosine_similarity(a.double().flatten(), b.double().flatten(), dim=0).item()


def relative_l1(a, b):
    return ((a.double() - b).abs().sum() / b.abs().sum()).item()


def random(*shape, seed=3, **kwargs):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), **kwargs)


class Wheel(unittest.TestCase):
    def test_holds_its_own_files_alone(self):
        with zipfile.ZipFile(WHEEL) as archive:
            names = archive.namelist()
            libraries = {pathlib.PurePosixPath(name).name for name in names if ".so" in name}
            self.assertLessEqual(libraries, {"reelgrid_operators.so", "libreelgrid-cuda.so"})
            self.assertIn("reelgrid_operators.so", libraries)
            (info,) = {name.split("/")[0] for name in names if ".dist-info/" in name}
            metadata = archive.read(f"{info}/METADATA").decode()
            self.assertIn("\nRequires-Dist: torch ==2.11.*\n", metadata)
            self.assertIn("\nTag: py3-none-linux_", archive.read(f"{info}/WHEEL").decode())
            listed = list(csv.reader(io.StringIO(archive.read(f"{info}/RECORD").decode())))
            self.assertEqual(sorted(row[0] for row in listed), sorted(names))
            for name, digest, size in listed:
                if name.endswith("/RECORD"):
                    continue
                content = archive.read(name)
                sha = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                self.assertEqual((digest, size), (f"sha256={sha}", str(len(content))), name)

    def test_libraries_know_no_folder_of_this_machine(self):
        for library in pathlib.Path(FOLDER.name).rglob("*.so"):
            dynamic = subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True).stdout
            self.assertNotIn("/", "".join(line for line in dynamic.splitlines() if "PATH" in line).replace("$ORIGIN/", ""))


class Attention(unittest.TestCase):
    def close(self, name, out, wanted):
        least, most = CLOSE[name]
        self.assertTrue(out.isfinite().all(), name)
        self.assertGreater(cosine(out, wanted), least, name)
        self.assertLess(relative_l1(out, wanted), most, name)

    def test_is_near_float64_attention(self):
        for name in CLOSE:
            for dtype in (torch.float32, torch.bfloat16, torch.float16):
                for shape in (dict(), dict(heads=4, key_heads=2, dims=40, queries=70), dict(batch=1, keys=1, queries=1)):
                    with self.subTest(name=name, dtype=dtype, shape=shape):
                        q, k, v = qkv(dtype=dtype, **shape)
                        out = op(name)(q, k, v)
                        self.assertEqual((out.shape, out.dtype), (q.shape, dtype))
                        self.assertTrue(out.transpose(1, 2).is_contiguous())
                        self.close(name, out, attention(q, k, v))

    def test_exact_methods_are_exact(self):
        q, k, v = qkv()
        for name in ("fav2", "fav3"):
            self.assertLess((op(name)(q, k, v) - attention(q, k, v)).abs().max().item(), 5e-6, name)

    def test_takes_scale_mask_and_bias(self):
        q, k, v = qkv(queries=90)
        bias = random(200)
        bias[7] = -torch.inf
        for name in CLOSE:
            for options in (dict(scale=0.07), dict(is_causal=True), dict(key_bias=bias), dict(key_bias=bias, is_causal=True, scale=0.1)):
                with self.subTest(name=name, options=list(options)):
                    self.close(name, op(name)(q, k, v, **options), attention(q, k, v, **options))

    def test_gives_the_log_sum_exp(self):
        q, k, v = qkv(queries=90)
        for name in CLOSE:
            with self.subTest(name=name):
                out, lse = op(name + "_with_lse")(q, k, v, is_causal=True)
                self.close(name, out, attention(q, k, v, is_causal=True))
                self.assertEqual((lse.shape, lse.dtype), (q.shape[:3], torch.float32))
                wanted = scores(q, k, is_causal=True).logsumexp(-1)
                exact = name in ("fav2", "fav3")
                self.assertLess((lse - wanted).abs().max().item(), 1e-5 if exact else 0.1)

    def test_parts_are_merged(self):
        for dtype, close in ((torch.float32, 2e-6), (torch.bfloat16, 0.01)):
            q, k, v = qkv(dtype=dtype, queries=90)
            parts = [op("fav2_with_lse")(q, k[:, :, a:b], v[:, :, a:b]) for a, b in ((0, 64), (64, 190), (190, 200))]
            out, lse = op("merge_attention")(*zip(*parts))
            self.assertEqual(out.dtype, dtype)
            self.assertLess((out - attention(q, k, v)).abs().max().item(), close)
            self.assertLess((lse - scores(q, k).logsumexp(-1)).abs().max().item(), 1e-5)

    def test_any_strides_are_the_same(self):
        q, k, v = qkv()
        wanted = op("fav2")(q, k, v)
        apart = [x.transpose(2, 3).contiguous().transpose(2, 3) for x in (q, k, v)]  # the head dim isn't dense
        self.assertTrue(torch.equal(op("fav2")(*apart), wanted))
        self.assertTrue(torch.equal(op("fav2")(*[x.contiguous() for x in (q, k, v)]), wanted))

    def test_smoothing_can_be_left_out(self):
        q, k, v = qkv()
        for name in SMOOTHS:
            options = dict(topk=1.0) if name == "sagesla" else {}
            smooth, plain = (op(name)(q, k + 60, v, smooth_k=smooth, **options) for smooth in (True, False))
            wanted = attention(q, k + 60, v)
            self.assertLess(2 * relative_l1(smooth, wanted), relative_l1(plain, wanted), name)

    def test_sparse_methods_choose_the_share_and_add_the_branch(self):
        q, k, v = qkv(queries=256, keys=512, dims=64)
        for name, closeness in (("sla", 1e-5), ("sagesla", 0.06)):
            with self.subTest(name=name):
                whole = op(name)(q, k, v, topk=1.0)
                self.assertLess(relative_l1(whole, attention(q, k, v)), closeness)
                few = op(name)(q, k, v, topk=0.25)
                self.assertGreater(relative_l1(few, attention(q, k, v)), 0.2)
                weight, bias = random(64, 64, seed=5) / 8, random(64, seed=6)
                added = op(name)(q, k, v, topk=0.25, proj_weight=weight, proj_bias=bias) - few
                fq, fk = q.double().softmax(-1), k.double().softmax(-1)
                sums = fk.transpose(-1, -2) @ v.double()
                branch = fq @ sums / (1e-5 + fq @ fk.sum(-2, keepdim=True).transpose(-1, -2))
                wanted = branch @ weight.double().T + bias.double()
                self.assertLess(relative_l1(added, wanted), 2e-3)

    def test_without_anything_left_out_it_is_attention(self):
        q, k, v = qkv(queries=160, keys=160)
        for name, options in ALL_BLOCKS.items():
            with self.subTest(name=name):
                self.assertLess(relative_l1(op(name)(q, k, v, **options), attention(q, k, v)), 1e-5)

    def test_tiles_see_their_windows(self):
        """Tiles of 128 tokens, 2 along each axis: those beside each other in a row of tiles see each other, no others do."""
        q, k, v = qkv(batch=1, queries=1024, keys=1024)
        frame, row, column = torch.meshgrid(torch.arange(4), torch.arange(16), torch.arange(16), indexing="ij")
        tile = (frame // 2 * 2 + row // 8).flatten()
        seen = tile[:, None] == tile[None]
        wanted = scores(q, k).masked_fill(~seen, -torch.inf).softmax(-1) @ v.double()
        out = op("sta")(q, k, v, grid=[4, 16, 16], tile=[2, 8, 8], window=[1, 1, 3])
        self.assertLess(relative_l1(out, wanted), 1e-5)

    def test_options_say_what_is_left_out(self):
        for name, grid, few, more in (("sparge", None, dict(cdfthreshd=0.3, simthreshd1=-1.0), dict(cdfthreshd=0.8, simthreshd1=-1.0)),
                                      ("sta", [16, 16, 16], dict(window=[1, 1, 1]), {}), ("radial", [4, 32, 48], dict(decay=0.2), {})):
            with self.subTest(name=name):
                tokens = math.prod(grid or [4096])
                q, k, v = qkv(batch=1, queries=tokens, keys=tokens, heads=1)
                wanted = op("fav2")(q, k, v).double()
                place = dict(grid=grid) if grid else {}
                less, least = (relative_l1(op(name)(q, k, v, **place, **options), wanted) for options in (more, few))
                self.assertGreater(less, 0.05)
                self.assertGreater(least, 1.1 * less)

    def test_text_around_the_clip_is_seen(self):
        q, k, v = qkv(batch=1, queries=167, keys=167)
        for name in ("sta", "radial"):
            out = op(name)(q, k, v, **ALL_BLOCKS[name], text_before=3, text_after=4)
            self.assertLess(relative_l1(out, attention(q, k, v)), 1e-5)

    def test_is_what_the_program_computes(self):
        """The same inputs through `bench attention`: its errors to float64 are those of our outputs."""
        folder = pathlib.Path(FOLDER.name, "captures")
        folder.mkdir()
        q, k, v = (x.contiguous() for x in qkv(batch=1, queries=60, keys=300))
        scale = q.shape[-1] ** -0.5
        torch.save({"q": q, "k": k, "v": v, "dtype": "torch.float32", "layout": "BHSD", "call_idx": 0, "scale": scale,
                    "kwargs": {"is_causal": False, "softmax_scale": scale}}, folder / "wheel_input_000000.pt")
        names = [*CLOSE, "sla", "sagesla", "sparge"]
        done = subprocess.run([CLI, "bench", "attention", "--input-dir", folder, "--kernel", ",".join(names), "--e2e",
                               "--num-repetitions", "1", "--json"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = {row["kernel"]: row for row in json.loads(done.stdout)["rows"]}
        wanted = attention(q, k, v)
        for name in names:
            with self.subTest(name=name):
                self.assertEqual(rows[name]["used"], name)
                away = op(name)(q, k, v).double() - wanted
                self.assertAlmostEqual(rows[name]["rmse"] / away.square().mean().sqrt().item(), 1, delta=1e-4)
                self.assertAlmostEqual(rows[name]["max_error"] / away.abs().max().item(), 1, delta=1e-4)


class Convolutions(unittest.TestCase):
    def test_temporal_convolution_is_conv3d(self):
        for batch, channels, outputs, frames, rows, columns in ((1, 8, 16, 1, 3, 5), (2, 40, 24, 7, 6, 9), (1, 64, 64, 14, 16, 8)):
            x, weight = random(batch, channels, frames, rows, columns), random(outputs, channels, 3, 1, 1, seed=4) / 8
            bias, residual = random(outputs), random(batch, outputs, frames, rows, columns, seed=5)
            out = op("temporal_conv")(x, weight, bias, residual=residual)
            wanted = F.conv3d(x.double(), weight.double(), bias.double(), padding=(1, 0, 0)) + residual.double()
            self.assertLess((out - wanted).abs().max().item(), 2e-5)
            self.assertTrue(out.is_contiguous(memory_format=torch.channels_last_3d))
            plain = op("temporal_conv")(x.contiguous(memory_format=torch.channels_last_3d), weight)
            self.assertLess((plain - (wanted - residual - bias.double().view(-1, 1, 1, 1))).abs().max().item(), 2e-5)

    def test_temporal_convolution_maps_its_input(self):
        x, weight = random(2, 16, 5, 4, 6), random(8, 16, 3, 1, 1, seed=4) / 4
        for shape in ((2, 16), (16,)):
            scale, shift = random(*shape, seed=7), random(*shape, seed=8)
            wide = [value.double().expand(2, 16).reshape(2, 16, 1, 1, 1) for value in (scale, shift)]
            wanted = F.conv3d(F.silu(x.double() * wide[0] + wide[1]), weight.double(), padding=(1, 0, 0))
            self.assertLess((op("temporal_conv")(x, weight, scale=scale, shift=shift) - wanted).abs().max().item(), 2e-5)

    def test_causal_convolution_is_padded_conv3d(self):
        for taps in (1, 3):
            for doubled in (False, True):
                with self.subTest(taps=taps, doubled=doubled):
                    x, weight = random(2, 24, 4, 7, 10), random(16, 24, taps, 3, 3, seed=4) / 16
                    bias, norm = random(16), random(24, seed=9)
                    seen = F.silu(F.normalize(x.double(), dim=1) * norm.double().view(-1, 1, 1, 1))
                    if doubled:
                        seen = seen.repeat_interleave(2, 3).repeat_interleave(2, 4)
                    wanted = F.conv3d(F.pad(seen, (1, 1, 1, 1, taps - 1, 0)), weight.double(), bias.double())
                    residual = random(*wanted.shape, seed=5)
                    out = op("causal_conv3d")(x, weight, bias, residual=residual, norm_scale=norm, doubled=doubled)
                    self.assertLess((out - wanted - residual).abs().max().item(), 2e-5)


    def test_map_and_silu_of_cells(self):
        x, scale, shift = random(6, 10, 24), random(3, 2, 24, seed=2), random(3, 2, 24, seed=3)
        wide = [value.double().repeat_interleave(2, 0).repeat_interleave(5, 1) for value in (scale, shift)]
        out = op("affine_silu")(x, scale, shift)
        self.assertLess((out - F.silu(x.double() * wide[0] + wide[1])).abs().max().item(), 5e-6)


class Transformer(unittest.TestCase):
    def test_sum_and_norm(self):
        for dtype in (torch.float32, torch.bfloat16):
            x, y, gate = random(2, 9, 48), random(2, 9, 48, seed=2).to(dtype), random(48, seed=4)
            weight, bias = random(48, seed=5), random(48, seed=6)
            added = x.double() + y.double() * gate.double()
            out = op("add_then_norm_")(x, y, gate, weight=weight, bias=bias)
            self.assertEqual(out.dtype, dtype)
            self.assertLess((x - added).abs().max().item(), 1e-6)
            wanted = F.layer_norm(added, (48,), weight.double(), bias.double(), 1e-6)
            self.assertLess((out - wanted).abs().max().item(), 3e-6 if dtype == torch.float32 else 0.05)
            plain = op("add_then_norm_")(x, dtype=dtype)
            self.assertEqual(plain.dtype, dtype)
            self.assertLess((plain - F.layer_norm(added, (48,))).abs().max().item(), 1e-4 if dtype == torch.float32 else 0.03)

    def test_rms_norm_and_rotation(self):
        for dtype, close in ((torch.float32, 3e-6), (torch.bfloat16, 0.03)):
            wide = random(2, 9, 3 * 64).to(dtype)
            x, weight, angles = wide[..., 64:128], random(64, seed=4), random(9, 8, seed=5)
            normed = F.rms_norm(x.double(), (64,), weight.double(), 1e-6).reshape(2, 9, 4, 8, 2)
            turned = torch.view_as_complex(normed) * torch.polar(torch.ones_like(angles), angles).to(torch.complex128).view(9, 1, 8)
            others = wide[..., :64].clone(), wide[..., 128:].clone()
            op("rms_norm_rotate_")(x, weight, angles.cos(), angles.sin())
            self.assertLess((x - torch.view_as_real(turned).reshape(2, 9, 64)).abs().max().item(), close)
            self.assertTrue(torch.equal(wide[..., :64], others[0]) and torch.equal(wide[..., 128:], others[1]))

    def test_head_norm_and_rotation(self):
        for dtype, close in ((torch.float32, 5e-6), (torch.bfloat16, 0.03)):
            x, weight, bias, angles = random(2, 9, 64).to(dtype), random(16, seed=4), random(16, seed=5), random(6, 8, seed=6)
            normed = F.layer_norm(x.double().view(2, 9, 4, 16), (16,), weight.double(), bias.double(), 1e-6)
            turned = torch.view_as_complex(normed[:, 3:].reshape(2, 6, 4, 8, 2)) * torch.polar(torch.ones_like(angles), angles).view(6, 1, 8)
            normed[:, 3:] = torch.view_as_real(turned).reshape(2, 6, 4, 16)
            op("head_norm_rotate_")(x, weight, bias, torch.stack([angles.cos(), angles.sin()], -1))
            self.assertLess((x - normed.reshape(2, 9, 64)).abs().max().item(), close)

    def test_gelu(self):
        x = random(7, 33)
        wanted = F.gelu(x.double(), approximate="tanh")
        op("gelu_tanh_")(x)
        self.assertLess((x - wanted).abs().max().item(), 5e-6)

    def test_int8_layer(self):
        x, weight, bias = random(70, 300), random(200, 300, seed=4) / 16, random(200, seed=5)
        integers, scales = op("int8_quantise")(weight)
        wide = scales.repeat_interleave(128, 0)[:200].repeat_interleave(128, 1)[:, :300]
        self.assertLess((integers * wide - weight).abs().max().item(), 0.51 * scales.max().item() + 1.01 * scales.max().item())
        xi, xs = op("int8_quantise")(x)
        rounded = xi.double() * xs.double().repeat_interleave(128, 0)[:70].repeat_interleave(128, 1)[:, :300]
        wanted = rounded @ (integers.double() * wide.double()).T + bias.double()
        y = op("int8_linear")(x, op("int8_pack")(integers), scales, 200, bias)
        self.assertLess((y - wanted).abs().max().item(), 1e-4)
        self.assertLess(relative_l1(y, x.double() @ weight.double().T + bias.double()), 0.03)


def calls():
    """A call of every operator that the CPU has."""
    q, k, v = qkv(batch=1, queries=64, keys=128)
    for name in CLOSE:
        yield name, (q, k, v), {}
        yield name + "_with_lse", (q, k, v), dict(is_causal=True, key_bias=random(128))
    for name in ("sla", "sagesla"):
        yield name, (q, k, v), dict(topk=0.5, proj_weight=random(64, 64), proj_bias=random(64))
    for name in ("sparge", "sta", "radial"):
        yield name, qkv(batch=1, queries=160, keys=160), ALL_BLOCKS[name]
    yield "merge_attention", ([random(1, 2, 5, 8)] * 2, [random(1, 2, 5)] * 2), {}
    yield "affine_silu", (random(4, 6, 8), random(2, 3, 8), random(2, 3, 8)), {}
    x = random(1, 8, 3, 4, 6)
    yield "temporal_conv", (x, random(16, 8, 3, 1, 1)), dict(residual=random(1, 16, 3, 4, 6))
    yield "causal_conv3d", (x, random(16, 8, 3, 3, 3)), dict(doubled=True)
    yield "add_then_norm_", (random(1, 5, 32), random(1, 5, 32).bfloat16()), {}
    yield "rms_norm_rotate_", (random(1, 5, 32), random(32)), {}
    yield "head_norm_rotate_", (random(1, 5, 32), random(16), random(16)), {}
    yield "gelu_tanh_", (random(5, 32),), {}
    integers, scales = op("int8_quantise")(random(40, 130))
    yield "int8_quantise", (random(40, 130),), {}
    yield "int8_pack", (integers,), {}
    yield "int8_linear", (random(3, 130), op("int8_pack")(integers), scales, 40), {}


class InTorch(unittest.TestCase):
    def test_every_operator_passes_torchs_checks(self):
        checks = ("test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic")
        tried = set()
        for name, arguments, options in calls():
            with self.subTest(name=name):
                torch.library.opcheck(op(name).default, arguments, options, test_utils=checks)
                tried.add(name)
        self.assertEqual(tried, {*CLOSE, *(name + "_with_lse" for name in CLOSE), *ALL_BLOCKS, "sagesla", *ON_CPU})

    def test_compiles(self):
        def layer(q, k, v, x, weight):
            torch.ops.reelgrid.rms_norm_rotate_(x, weight)
            return torch.ops.reelgrid.sagev1(q * 2, k, v) + 1, x

        q, k, v = qkv(batch=1, queries=33, keys=40)
        compiled = torch.compile(layer, backend="aot_eager", fullgraph=True, dynamic=True)
        with torch.no_grad():
            for tokens in (33, 20):
                arguments = q[:, :, :tokens], k, v, random(1, 5, 32), random(32)
                wanted = layer(*(x.clone() for x in arguments))
                for ours, theirs in zip(compiled(*(x.clone() for x in arguments)), wanted):
                    self.assertTrue(torch.equal(ours, theirs))

    def test_refuses_gradients_by_name(self):
        for name, arguments, options in calls():
            for position, argument in enumerate(arguments):
                if not isinstance(argument, torch.Tensor) or not argument.dtype.is_floating_point:
                    continue
                with self.subTest(name=name, position=position):
                    wants = [a.clone().requires_grad_() if i == position else a for i, a in enumerate(arguments)]
                    asked = op(name).default._schema.arguments[position].name
                    with self.assertRaisesRegex(NotImplementedError, f"reelgrid::{name}: {asked} requires a gradient"):
                        op(name)(*wants, **options)
                    for unrecorded in (torch.no_grad(), torch.inference_mode()):
                        with unrecorded:
                            op(name)(*wants, **options)

    def test_refuses_gradients_in_lists(self):
        with self.assertRaisesRegex(NotImplementedError, "reelgrid::merge_attention: outs requires a gradient"):
            op("merge_attention")([random(1, 2, 5, 8).requires_grad_()], [random(1, 2, 5)])

    def test_refuses_tangents(self):
        q, k, v = qkv(batch=1, queries=8, keys=8)
        with torch.autograd.forward_ad.dual_level():
            dual = torch.autograd.forward_ad.make_dual(q, torch.ones_like(q))
            with self.assertRaisesRegex(NotImplementedError, "reelgrid::fav2: q carries a tangent"):
                op("fav2")(dual, k, v)

    def test_a_gradient_through_an_overwritten_value_is_refused(self):
        x, weight = random(4, 8), random(4, 8).requires_grad_()
        y = x * weight
        op("gelu_tanh_")(x)
        with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
            y.sum().backward()


class Refusals(unittest.TestCase):
    def test_names_argument_value_and_need(self):
        q, k, v = qkv(batch=1, heads=2, queries=8, keys=8, dims=16)
        pixels, taps = random(1, 8, 3, 4, 4), random(8, 8, 3, 1, 1)
        for kind, text, name, arguments, options in (
                (ValueError, r"reelgrid::fav2: q is \[2, 8, 16\], needs \[batch, heads, tokens, head dim\]", "fav2", (q[0], k, v), {}),
                (ValueError, r"reelgrid::fav3: k is \[1, 2, 8, 8\], needs \[1, heads, tokens, 16\]", "fav3", (q, k[..., :8], v), {}),
                (ValueError, r"reelgrid::sagev1: v is \[1, 2, 7, 16\], needs \[1, 2, 8, 16\]", "sagev1", (q, k, v[:, :, :7]), {}),
                (ValueError, r"reelgrid::fav2: k is \[1, 2, 0, 16\], needs .*none empty", "fav2", (q, k[:, :, :0], v[:, :, :0]), {}),
                (TypeError, "reelgrid::fav2: k has the dtype Half, needs Float", "fav2", (q, k.half(), v), {}),
                (TypeError, "reelgrid::fav3_fp8: q has the dtype Double, needs Float or BFloat16 or Half", "fav3_fp8",
                 (q.double(), k.double(), v.double()), {}),
                (ValueError, r"reelgrid::fav2: key_bias is \[7\], needs \[8\]", "fav2", (q, k, v), dict(key_bias=random(7))),
                (ValueError, r"reelgrid::fav2: scale -1\.0+, needs a finite one above 0", "fav2", (q, k, v), dict(scale=-1.0)),
                (ValueError, r"reelgrid::fav2: 3 query heads, needs a multiple of the 2 key heads", "fav2",
                 (q[:, :1].expand(1, 3, 8, 16), k, v), {}),
                (ValueError, r"reelgrid::fav2: head dim 264, needs 1 to 256", "fav2", qkv(dims=264), {}),
                (ValueError, r"reelgrid::sla: top-k ratio 0\.0+, needs one above 0 and at most 1", "sla", (q, k, v), dict(topk=0.0)),
                (ValueError, r"reelgrid::sparge: cdfthreshd 1\.5, needs 0 to 1", "sparge", (q, k, v), dict(cdfthreshd=1.5)),
                (ValueError, "reelgrid::sta: grid has 2 numbers, needs 3", "sta", (q, k, v), dict(grid=[2, 4])),
                (ValueError, "reelgrid::sta: grid 0,2,4, needs 1 to 1048576 of each", "sta", (q, k, v), dict(grid=[0, 2, 4])),
                (ValueError, "reelgrid::sta: 8 queries and 8 keys, needs 12 of both, the grid's", "sta", (q, k, v), dict(grid=[3, 2, 2])),
                (ValueError, "reelgrid::sta: window 0,3,3, needs", "sta", (q, k, v), dict(grid=[2, 2, 2], window=[0, 3, 3])),
                (ValueError, "reelgrid::radial: text_after -1, needs 0 to 1048576", "radial", (q, k, v), dict(grid=[2, 2, 2], text_after=-1)),
                (ValueError, "reelgrid::sla: proj_bias without proj_weight", "sla", (q, k, v), dict(proj_bias=random(16))),
                (ValueError, "reelgrid::temporal_conv: the channels of x: 12, needs a multiple of 8", "temporal_conv",
                 (random(1, 12, 3, 4, 4), random(8, 12, 3, 1, 1)), {}),
                (ValueError, r"reelgrid::temporal_conv: weight is \[8, 8, 1, 1, 1\], needs \[output channels, 8, 3, 1, 1\]",
                 "temporal_conv", (pixels, taps[:, :, :1]), {}),
                (ValueError, "reelgrid::temporal_conv: scale without shift, needs both or neither", "temporal_conv",
                 (pixels, taps), dict(scale=random(8))),
                (TypeError, "reelgrid::temporal_conv: x has the dtype Half, needs Float", "temporal_conv", (pixels.half(), taps), {}),
                (ValueError, r"reelgrid::rms_norm_rotate_: x has the strides .* needs tokens at one distance", "rms_norm_rotate_",
                 (random(1, 32, 5).transpose(1, 2), random(32)), {}),
                (ValueError, r"reelgrid::rms_norm_rotate_: cos is \[4, 8\], needs \[5, head dim / 2\]", "rms_norm_rotate_",
                 (random(1, 5, 32), random(32), random(4, 8), random(4, 8)), {}),
                (ValueError, r"reelgrid::head_norm_rotate_: rotary is \[6, 8, 2\], needs at most x's 5 tokens", "head_norm_rotate_",
                 (random(1, 5, 32), random(16), random(16), random(6, 8, 2)), {}),
                (ValueError, r"reelgrid::int8_linear: scales is \[2, 2\], needs \[1, 2\]", "int8_linear",
                 (random(3, 130), op("int8_pack")(torch.zeros(40, 130, dtype=torch.int8)), random(2, 2), 40), {}),
                (ValueError, r"reelgrid::int8_linear: packed is \[5\], needs \[16384\]", "int8_linear",
                 (random(3, 130), torch.zeros(5, dtype=torch.uint8), random(1, 2), 40), {}),
                (ValueError, "reelgrid::add_then_norm_: gate without y", "add_then_norm_", (random(2, 32), None, random(32)), {}),
                (ValueError, r"reelgrid::affine_silu: scale is \[3, 2, 8\], needs numbers of cells that divide x's 4 rows and 6 columns",
                 "affine_silu", (random(4, 6, 8), random(3, 2, 8), random(3, 2, 8)), {}),
                (ValueError, r"reelgrid::merge_attention: lses\[0\] is \[1, 2, 4\], needs \[1, 2, 5\]", "merge_attention",
                 ([random(1, 2, 5, 8)], [random(1, 2, 4)]), {}),
                (NotImplementedError, "channel_norm.*CPU", "channel_norm", (random(2, 32), random(32)), {})):
            with self.subTest(text=text), self.assertRaisesRegex(kind, text):
                op(name)(*arguments, **options)

    def test_refuses_another_torch(self):
        code = "import torch; torch.__version__ = '2.10.1'; import reelgrid_kernels"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": FOLDER.name})
        self.assertIn("torch is 2.10.1, needs 2.11", done.stderr)


@unittest.skipUnless(torch.cuda.is_available(), "no NVIDIA GPU that torch could use")
class OnGpu(unittest.TestCase):
    def test_attention_is_near_float64(self):
        for name in (*CLOSE, *ALL_BLOCKS):
            for dtype in (torch.bfloat16, torch.float16):
                with self.subTest(name=name, dtype=dtype):
                    options = ALL_BLOCKS.get(name, {})
                    q, k, v = (x.cuda() for x in qkv(dtype=dtype, **(dict(queries=160, keys=160) if options else dict(queries=300, keys=500))))
                    try:
                        out = op(name)(q, k, v, **options)
                    except ValueError as refusal:
                        self.assertLess(torch.cuda.get_device_capability(), (9, 0), refusal)
                        continue
                    self.assertGreater(cosine(out, attention(q, k, v)), CLOSE.get(name, (0.9999,))[0])
                    side = torch.cuda.Stream()
                    side.wait_stream(torch.cuda.current_stream())
                    with torch.cuda.stream(side):
                        again = op(name)(q, k, v, **options)
                    side.synchronize()
                    self.assertTrue(torch.equal(again, out))

    def test_log_sum_exp(self):
        q, k, v = (x.cuda() for x in qkv(dtype=torch.bfloat16))
        lse = op("fav2_with_lse")(q, k, v)[1]
        self.assertLess((lse - scores(q, k).logsumexp(-1)).abs().max().item(), 1e-3)

    def test_passes(self):
        for dtype, close in ((torch.float16, 0.01), (torch.bfloat16, 0.06)):
            x, y, weight = random(2, 9, 64).cuda(), random(2, 9, 64, seed=2).to("cuda", dtype), random(64, seed=4).cuda()
            added = x.double() + y.double()
            out = op("add_then_norm_")(x, y, weight=weight)
            self.assertLess((out - F.layer_norm(added, (64,), weight.double(), None, 1e-6)).abs().max().item(), close)
            odd = random(65).cuda()[1:].copy_(weight)  # begins at no multiple of 16 bytes
            self.assertTrue(torch.equal(op("add_then_norm_")(x, weight=odd, dtype=dtype), op("add_then_norm_")(x, weight=weight, dtype=dtype)))
            z = y.clone()
            op("rms_norm_rotate_")(z, weight)
            self.assertLess((z - F.rms_norm(y.double(), (64,), weight.double(), 1e-6)).abs().max().item(), close)
            z = y.clone()
            op("head_norm_rotate_")(z, weight[:16], weight[16:32])
            wanted = F.layer_norm(y.double().view(2, 9, 4, 16), (16,), weight[:16].double(), weight[16:32].double(), 1e-6)
            self.assertLess((z - wanted.view(2, 9, 64)).abs().max().item(), close)
            wanted = F.silu(y.double() * weight.double() + weight.double())
            self.assertLess((op("affine_silu")(y, *[weight.view(1, 1, 64)] * 2) - wanted).abs().max().item(), close)
            wanted = F.silu(F.normalize(y.double(), dim=-1) * weight.double())
            self.assertLess((op("channel_norm")(y, weight) - wanted).abs().max().item(), close)
            eights, scales = op("rows_to_fp8")(y)
            self.assertEqual((eights.dtype, scales.shape), (torch.float8_e4m3fn, (2, 9)))
            self.assertLess((eights.double() * scales.double().unsqueeze(-1) - y).abs().max().item(), 0.25)

    def test_torchs_checks_and_refusals(self):
        q, k, v = (x.cuda() for x in qkv(batch=1, dtype=torch.bfloat16))
        torch.library.opcheck(op("fav2").default, (q, k, v))
        with self.assertRaisesRegex(ValueError, "reelgrid::fav2: k is on cpu, needs cuda:0"):
            op("fav2")(q, k.cpu(), v)
        with self.assertRaisesRegex(ValueError, "reelgrid::fav2: dtype fp32, needs bf16 or fp16"):
            op("fav2")(q.float(), k.float(), v.float())


if __name__ == "__main__":
    WHEEL = build()
    with zipfile.ZipFile(WHEEL) as archive:
        archive.extractall(FOLDER.name)
    sys.path.insert(0, FOLDER.name)
    import reelgrid_kernels  # noqa: E402, F401

    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=1)
