"""The recipes of resources/backends/peers, without their packages: what they say of themselves and refuse, the line where a package is
missing and, where there is torch, that tensors reach a package as it takes them and come back as ReelGrid takes them.

    python3 tests/plugins/peers_test.py
"""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PEERS = ROOT / "resources" / "backends" / "peers"
BRIDGE = ROOT / "resources" / "backends" / "python" / "reelgrid_bridge.py"
RECIPES = {path.stem: path for path in sorted(PEERS.glob("*.py")) if not path.stem.endswith("_package")}
HAS_TORCH = importlib.util.find_spec("torch") is not None

# Stand-ins for the packages: exact attention in the layout of each, whose arguments are kept in `calls`.
EXACT = """
calls = []
def exact(q, k, v, scale, causal):  # [batch, heads, tokens, head dim]
    import torch
    groups = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(groups, 1), v.repeat_interleave(groups, 1)
    scores = q.double() @ k.double().transpose(-2, -1) * scale
    if causal:
        hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1 + k.shape[2] - q.shape[2])
        scores = scores.masked_fill(hidden, float("-inf"))
    return (scores.softmax(-1).nan_to_num(0) @ v.double()).to(q.dtype)
"""
STAND_INS = {
    "sageattention": ("sageattention", "1.0.6", {"sageattention/__init__.py": EXACT + """
def sageattn(q, k, v, tensor_layout, is_causal, sm_scale, smooth_k):
    assert tensor_layout == "HND" and not smooth_k
    assert float(k.float().mean(2).abs().max()) < 1e-2, "k's mean is still there"
    return exact(q, k, v, sm_scale, is_causal)
"""}),
    "fa4": ("flash-attn-4", "4.0.0b36", {"flash_attn/cute/__init__.py": EXACT + """
def flash_attn_func(q, k, v, softmax_scale, causal, return_lse):
    out = exact(*(x.transpose(1, 2) for x in (q, k, v)), softmax_scale, causal).transpose(1, 2)
    return out, (out[..., 0].float().transpose(1, 2) if return_lse else None)
"""}),
    "flashinfer": ("flashinfer-python", "0.7.2.post1", {"flashinfer/__init__.py": EXACT + """
def single_prefill_with_kv_cache(q, k, v, causal, kv_layout, sm_scale):
    assert kv_layout == "NHD" and q.dim() == 3 and q.is_contiguous() and k.is_contiguous()
    return exact(*(x.transpose(0, 1)[None] for x in (q, k, v)), sm_scale, causal)[0].transpose(0, 1)
"""}),
    "sgl_fa3": ("sglang-kernel", "0.4.4", {"sgl_kernel/__init__.py": "", "sgl_kernel/flash_attn.py": EXACT + """
def flash_attn_varlen_func(q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, softmax_scale, causal):
    import torch
    assert cu_seqlens_q.dtype == torch.int32 and int(cu_seqlens_q[-1]) == len(q) and int(cu_seqlens_k[-1]) == len(k) == len(v)
    outs = []
    for b in range(len(cu_seqlens_q) - 1):
        rows = [slice(int(c[b]), int(c[b + 1])) for c in (cu_seqlens_q, cu_seqlens_k, cu_seqlens_k)]
        outs.append(exact(*(x[r].transpose(0, 1)[None] for x, r in zip((q, k, v), rows)), softmax_scale, causal)[0].transpose(0, 1))
    return torch.cat(outs)
"""}),
    "xformers": ("xformers", "0.0.35", {"xformers/__init__.py": "", "xformers/ops/__init__.py": EXACT + """
import importlib.util
SEES_FLASH = importlib.util.find_spec("flash_attn") is not None
class fmha:
    class attn_bias:
        class LowerTriangularFromBottomRightMask: pass
def memory_efficient_attention(q, k, v, attn_bias, scale):
    assert attn_bias is None or isinstance(attn_bias, fmha.attn_bias.LowerTriangularFromBottomRightMask)
    return exact(*(x.transpose(1, 2) for x in (q, k, v)), scale, attn_bias is not None).transpose(1, 2)
"""}),
    "fastvideo": ("fastvideo-kernel", "0.3.4", {"fastvideo_kernel/__init__.py": EXACT + """
def sliding_tile_attention(q, k, v, window_size, text_length, has_text, seq_shape):
    assert len(window_size) == q.shape[1] and text_length == 0 and not has_text
    calls.append((window_size, seq_shape, q[0, 0, :, 0].clone()))
    return v.clone()  # in the order that it came
def build_vsa_metadata(shape, tile, device):
    import math, torch
    rows = torch.arange(math.prod(shape)).reshape(shape)
    parts = [rows[t:t + tile[0], h:h + tile[1], w:w + tile[2]].flatten() for t in range(0, shape[0], tile[0])
             for h in range(0, shape[1], tile[1]) for w in range(0, shape[2], tile[2])]
    whole = math.prod(tile)
    return {"tile_partition_indices": torch.cat(parts), "variable_block_sizes": torch.tensor([len(p) for p in parts]),
            "non_pad_index": torch.cat([torch.arange(len(p)) + whole * i for i, p in enumerate(parts)])}
def video_sparse_attn(q, k, v, sizes, q_sizes, topk, block_size, weight):
    assert q.shape[2] == 64 * len(sizes) and float(q.abs().sum(-1)[:, :, 63 if int(sizes[0]) < 64 else 0].sum()) >= 0
    calls.append((topk, len(sizes), float(weight), int((v != 0).any(-1)[0, 0].sum())))
    return v.clone()
"""}),
}
PACKAGE_OF = {"sage_attention": "sageattention", "flash_attention_4": "fa4", "flash_infer": "flashinfer", "sgl_fa3": "sgl_fa3",
              "xformers_attention": "xformers", "fastvideo_sta": "fastvideo", "fastvideo_vsa": "fastvideo"}
EXACT_RECIPES = ("sage_attention", "flash_attention_4", "flash_infer", "sgl_fa3", "xformers_attention")


def described(recipe, *paths):
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    environment["PYTHONPATH"] = os.pathsep.join(map(str, paths))
    answer = subprocess.run([sys.executable, "-B", str(BRIDGE), "describe", str(RECIPES[recipe])], env=environment, check=True,
                            capture_output=True, text=True)
    return json.loads(answer.stdout)


class Grid:
    def __init__(self, frames, height, width, text_tokens=0):
        self.frames, self.height, self.width, self.text_tokens = frames, height, width, text_tokens


class Peers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        site = pathlib.Path(cls.folder.name)
        for name, version, files in STAND_INS.values():
            for path, text in files.items():
                (site / path).parent.mkdir(parents=True, exist_ok=True)
                (site / path).write_text(text)
            about = site / f"{name.replace('-', '_')}-{version}.dist-info"
            about.mkdir()
            (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        cls.site = site
        sys.path[:0] = [str(site), str(PEERS)]
        importlib.invalidate_caches()
        cls.modules = {}
        for name, path in RECIPES.items():
            spec = importlib.util.spec_from_file_location(name, path)
            cls.modules[name] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(cls.modules[name])

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_every_recipe_is_known_here(self):
        self.assertEqual(set(RECIPES), set(PACKAGE_OF))

    def test_no_recipe_hides_the_package_that_it_imports(self):
        # The bridge puts the recipe's folder before all others.
        for module in self.modules.values():
            self.assertNotIn(module.PACKAGE.module.partition(".")[0], RECIPES)

    def test_what_they_say_of_themselves(self):
        names = set()
        for recipe in RECIPES:
            said = described(recipe, self.site)
            self.assertNotIn("error", said, recipe)
            said = said["backends"][0]
            name, version, _ = STAND_INS[PACKAGE_OF[recipe]]
            self.assertEqual(said["version"], version)
            self.assertEqual(said["devices"], ["cuda"])
            self.assertTrue(set(said["dtypes"]) <= {"bf16", "fp16"} and said["dtypes"])
            self.assertTrue(said["title"] and said["description"] and said["author"])
            self.assertGreaterEqual(said["claimed_l1"], 0)
            names.add(said["name"])
        self.assertEqual(len(names), len(RECIPES))

    def test_a_missing_package_is_one_line_with_the_command_that_brings_it(self):
        for recipe in RECIPES:
            name, version, files = STAND_INS[PACKAGE_OF[recipe]]
            module = next(iter(files)).split("/")[0]
            with tempfile.TemporaryDirectory() as empty:
                found = subprocess.run([sys.executable, "-c", f"import importlib.util as u, sys; sys.exit(u.find_spec('{module}') is None)"],
                                       cwd=empty)
                if found.returncode == 0:
                    continue  # this Python has it
                error = described(recipe, empty)["error"]
            self.assertIn(f"{name} {version} is not installed for {sys.executable}: {sys.executable} -m pip install", error)
            self.assertIn(f"=={version}", error)
            self.assertNotIn("\n", error)

    def test_a_package_that_cannot_be_imported_is_named(self):
        from peer_package import Package
        broken = self.site / "broken_peer.py"
        broken.write_text("raise OSError('undefined symbol: of another torch')\n")
        with self.assertRaisesRegex(ImportError, "broken 7 can't be imported: OSError: undefined symbol: of another torch"):
            Package("broken", "7", "broken_peer").imported()

    def test_xformers_does_not_take_flash_attention_4_for_2(self):
        self.assertFalse(self.modules["xformers_attention"].PACKAGE.imported().SEES_FLASH)
        self.assertIsNotNone(importlib.util.find_spec("flash_attn"))  # others find it as before

    def test_limits(self):
        sage, infer = self.modules["sage_attention"], self.modules["flash_infer"]
        self.assertIsNone(sage.supports(head_dim=128, causal=True, queries=9, keys=9, scale=1, grid=None))
        self.assertIn("head dim 32", sage.supports(head_dim=32, causal=False, queries=9, keys=9))
        self.assertIn("150 keys: SageAttention 1.0.6 counts the 42", sage.supports(head_dim=64, causal=False, queries=150, keys=150))
        self.assertIsNone(sage.supports(head_dim=64, causal=False, queries=32760, keys=32760))
        self.assertIn("9 queries and 10 keys", sage.supports(head_dim=64, causal=True, queries=9, keys=10))
        self.assertIsNone(infer.supports(head_dim=256))
        self.assertIn("head dim 192", infer.supports(head_dim=192))
        sta, vsa = self.modules["fastvideo_sta"], self.modules["fastvideo_vsa"]
        usual = {"scale": 128**-0.5, "head_dim": 128, "queries": 69120, "keys": 69120, "options": {"kept": 0.2, "coarse": 0.0}}
        for module in (sta, vsa):
            self.assertIsNone(module.supports(grid=Grid(18, 48, 80), **usual))
            self.assertIn("--grid", module.supports(grid=None, **usual))
            self.assertIn("self-attention", module.supports(grid=Grid(18, 48, 80), **{**usual, "keys": 512}))
            self.assertIn("scale 0.5", module.supports(grid=Grid(18, 48, 80), **{**usual, "scale": 0.5}))
            self.assertIn("226 text tokens", module.supports(grid=Grid(18, 48, 80, 226), **usual))
        self.assertIn("grid 21x45x80", sta.supports(grid=Grid(21, 45, 80), **usual))
        self.assertIsNone(vsa.supports(grid=Grid(21, 45, 80), **usual))
        self.assertIn("kept 0:", vsa.supports(grid=Grid(21, 45, 80), **{**usual, "options": {"kept": 0.0}}))

    def test_limits_of_the_card(self):
        for recipe, fits, not_fits in (("flash_attention_4", (80, 90, 100, 120), (75,)), ("sgl_fa3", (80, 89, 90), (75, 100, 120))):
            module, known = self.modules[recipe], self.modules[recipe].architecture
            try:
                for card in fits + not_fits:
                    module.architecture = lambda card=card: card
                    self.assertEqual(module.supports() is None, card in fits, (recipe, card))
            finally:
                module.architecture = known

    @unittest.skipUnless(HAS_TORCH, "no torch for this Python")
    def test_tensors_come_and_go_as_they_are_wanted(self):
        import torch
        torch.manual_seed(1)
        for recipe in EXACT_RECIPES:
            module = self.modules[recipe]
            for queries, keys, key_heads, causal in ((7, 7, 4, False), (7, 7, 4, True), (5, 9, 2, False), (5, 9, 4, True)):
                if key_heads != 4 and "shared_keys" not in module.FEATURES:
                    continue
                if causal and "supports" in vars(module) and recipe == "sage_attention" and queries != keys:
                    continue
                q = torch.randn(2, queries, 4, 64).half().transpose(1, 2)
                k, v = (torch.randn(2, keys, key_heads, 64).half().transpose(1, 2) for _ in range(2))
                before = k.clone()
                out = module.attend(q, k, v, scale=0.2, causal=causal, log_sum_exp=False, grid=None, options={})
                groups = 4 // key_heads
                hidden = torch.ones(queries, keys, dtype=torch.bool).triu(1 + keys - queries) if causal else torch.zeros(1, 1).bool()
                scores = q.double() @ k.double().repeat_interleave(groups, 1).transpose(-2, -1) * 0.2
                exact = scores.masked_fill(hidden, float("-inf")).softmax(-1) @ v.double().repeat_interleave(groups, 1)
                self.assertEqual((out.shape, out.dtype), (q.shape, q.dtype), recipe)
                self.assertLess(float((out.double() - exact).abs().max()), 5e-3, (recipe, queries, keys, causal))
                self.assertTrue(torch.equal(before, k), f"{recipe} wrote to k")

    @unittest.skipUnless(HAS_TORCH, "no torch for this Python")
    def test_sliding_tiles_get_tiles_one_behind_the_other(self):
        import fastvideo_kernel
        import torch
        shape = (18, 48, 80)
        v = torch.arange(2.0 * 18 * 48 * 80).view(1, 2, -1, 1).expand(1, 2, -1, 64)
        out = self.modules["fastvideo_sta"].attend(v, v, v, grid=Grid(*shape), options={"window": (3, 3, 5)}, scale=0.125, causal=False)
        self.assertTrue(torch.equal(out, v))
        windows, name, order = fastvideo_kernel.calls.pop()
        self.assertEqual((windows, name), ([[3, 3, 5]] * 2, "18x48x80"))
        tile = torch.arange(18 * 48 * 80).view(shape)[0:6, 0:8, 8:16].reshape(-1)  # the second tile of the first row
        self.assertTrue(torch.equal(order[384:768].long(), tile))

    @unittest.skipUnless(HAS_TORCH, "no torch for this Python")
    def test_sparse_tiles_are_filled_up_and_come_back(self):
        import fastvideo_kernel
        import torch
        v = torch.rand(1, 2, 5 * 6 * 7, 64) + 0.5
        out = self.modules["fastvideo_vsa"].attend(v, v, v, grid=Grid(5, 6, 7), options={"kept": 0.3, "coarse": 0.5}, scale=0.125, causal=False)
        self.assertTrue(torch.equal(out, v))
        self.assertEqual(fastvideo_kernel.calls.pop(), (3, 8, 0.5, 210))  # 3 of 2×2×2 tiles; as many rows as tokens


if __name__ == "__main__":
    unittest.main()
