#!/usr/bin/env python3
"""make_seeds.py PROGRAM: writes the seeds of tests/fuzz/corpus anew, from the fixtures, the demo's results, and ffmpeg. PROGRAM
is reelgrid-cli. What fuzzing has found (found-*) stays."""

import json
import pathlib
import pickle
import struct
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests/fixtures"
DEMO = ROOT / "resources/demo"
CORPUS = ROOT / "tests/fuzz/corpus"
DEMO_FILES = next((DEMO / "results").glob("*attn_sdpa*.files"))


def seed(target, name, content):
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def of(path):
    return (FIXTURES / path).read_bytes()


def fits(path):
    return compact(json.loads(pathlib.Path(path).read_text()))


def weights():
    header = {"__metadata__": {"format": "pt"}, "a": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]},
              "b.weight": {"dtype": "BF16", "shape": [3], "data_offsets": [16, 22]},
              "c": {"dtype": "I8", "shape": [0, 4], "data_offsets": [22, 22]}}
    text = compact(header).encode()
    seed("safetensors", "three.safetensors", struct.pack("<Q", len(text)) + text + bytes(22))
    for name in ("parameters.pth", "state_dict.pth"):
        seed("pt", name, of(f"pt/{name}"))
    for name in ("dtypes.pt", "views.pt", "plain.pt", "runs_code.pt"):
        seed("pt", name, of(f"pt/{name}"))
        with zipfile.ZipFile(FIXTURES / "pt" / name) as archive:
            inner = next(entry for entry in archive.namelist() if entry.endswith("data.pkl"))
            seed("pickle", name + ".pkl", archive.read(inner))
    seed("pickle", "lists.pkl", pickle.dumps({"a": [1, 2.5, None, True], "b": ("c", {"d": [[], {}]})}, protocol=2))
    for kind in ("alpha", "patterns", "rslora"):
        seed("lora", f"{kind}.json", fits(FIXTURES / f"lora/wan/{kind}/adapter_config.json"))
    # Names and shapes of single files, their data left out as far as the format lets them: shapes of nothing.
    names = json.loads(of("wan/original_names.json"))
    listed = names if isinstance(names, list) else list(names.keys()) if isinstance(names, dict) else []
    header = {"model.diffusion_model." + str(name): {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}
              for name in listed[:60]}
    text = compact(header).encode()
    seed("single_file", "wan-names.safetensors", struct.pack("<Q", len(text)) + text)
    small = (FIXTURES / "sd35/single-file")
    for path in sorted(small.rglob("*.safetensors"))[:1]:
        with open(path, "rb") as file:
            length = struct.unpack("<Q", file.read(8))[0]
            header = json.loads(file.read(length))
        for place in (entry for name, entry in header.items() if name != "__metadata__"):
            place["shape"], place["data_offsets"] = [0] + place["shape"][1:], [0, 0]
        text = compact(header).encode()
        seed("single_file", "sd35-names.safetensors", struct.pack("<Q", len(text)) + text)
    for model in ("wan/tiny-pipeline", "wan/variants/i2v-experts", "cogvideox/2b", "sd35/medium", "svd",
                  "animatediff/pipeline"):
        merged = {}
        for path in sorted((FIXTURES / model).rglob("*.json")):
            if path.stat().st_size < 2000 and path.name in ("config.json", "scheduler_config.json", "model_index.json"):
                for key, value in json.loads(path.read_text()).items():
                    if key != "_class_name" or path.name == "model_index.json":
                        merged.setdefault(key, value)
        seed("model_index", model.replace("/", "-") + ".json", compact(merged))


def prompts():
    def small(vocabulary, normalizer, pre):
        return compact({"version": "1.0", "added_tokens": [{"id": 1, "content": "</s>", "special": True, "lstrip": False,
                        "rstrip": False, "normalized": False, "single_word": False}], "normalizer": normalizer,
                        "pre_tokenizer": pre, "model": {"type": "Unigram", "unk_id": 2, "vocab": vocabulary}})
    pieces = [["<pad>", 0.0], ["</s>", 0.0], ["<unk>", 0.0], ["\u2581", -2.0], ["\u2581a", -3.0], ["fox", -4.5],
              ["r", -5.0], ["e", -5.1], ["d", -5.2], ["<0x41>", -9.0]]
    metaspace = {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": True}
    seed("tokenizer", "replace.json", small(pieces, {"type": "Sequence", "normalizers": [
        {"type": "Strip", "strip_left": False, "strip_right": True}, {"type": "Lowercase"},
        {"type": "Replace", "pattern": {"String": "aa"}, "content": "a"},
        {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}]}, metaspace))
    seed("tokenizer", "whitespace.json", small(pieces, None, {"type": "Sequence", "pretokenizers": [
        {"type": "WhitespaceSplit"}, metaspace]}))
    vocabulary = json.loads(of("clip/slow/vocab.json"))
    merges = of("clip/slow/merges.txt").decode().split("\n")[1:40]
    kept = {token: number for token, number in vocabulary.items() if number < 560 or token.startswith("<|")}
    while True:  # tokens that no merge is left for mean a file that is cut short
        parts = [merge for merge in merges if merge and all(part in kept for part in (merge.replace(" ", ""), *merge.split()))]
        made = {merge.replace(" ", "") for merge in parts}
        lost = {token for token in kept if len(token.removesuffix("</w>")) > 1 and token not in made
                and not token.startswith("<|")}
        if not lost:
            break
        kept = {token: number for token, number in kept.items() if token not in lost}
    end = max(kept.values())
    seed("clip_tokenizer", "pairs.json", compact({"version": "1.0", "added_tokens": [
        {"id": kept.get("<|startoftext|>", end), "content": "<|startoftext|>", "special": True},
        {"id": kept.get("<|endoftext|>", end), "content": "<|endoftext|>", "special": True}],
        "model": {"type": "BPE", "unk_token": "<|endoftext|>", "end_of_word_suffix": "</w>", "vocab": kept,
                  "merges": parts}}))
    seed("clip_vocabulary", "pairs.bin", compact(kept) + "\0" + "#version: 0.2\n" + "\n".join(parts) + "\n")
    spiece = of("text/umt5-like/spiece.model")
    seed("spiece", "small.model", small_spiece(spiece))
    seed("spiece", "charsmap.model", small_spiece(spiece) + normalizer(small_charsmap(0)))
    seed("charsmap", "small.bin", small_charsmap(0))
    seed("prompt", "mojibake.txt", "schÃ¶n &amp;amp; &lt;b&gt; \u2028 “quoted” ﬁ caf\u0065\u0301")


def small_charsmap(place):
    """One rule, of the letter r, which `place` of its texts takes the place of: the root's children in the trie's second block,
    the rule's in its third. Other units are values, which no letter leads to."""
    units = [1 << 31] * 768
    units[0] = 256 << 10
    units[256 ^ ord("r")] = (256 ^ ord("r") ^ 512) << 10 | 1 << 8 | ord("r")
    units[512] |= place
    return struct.pack("<I768I", 4 * 768, *units) + b"fox\0"


def normalizer(charsmap):
    """Fields 3 and 2 of a SentencePiece model, with lengths of two bytes."""
    def field(number, content):
        return bytes([number << 3 | 2, len(content) & 0x7F | 0x80, len(content) >> 7]) + content
    return field(3, field(2, charsmap))


def small_spiece(proto):
    """The first pieces of a SentencePiece model, its other fields as they are (protobuf's field 1 is repeated)."""
    kept, at, pieces = b"", 0, 0

    def varint(at):
        value = shift = 0
        while True:
            byte = proto[at]
            value |= (byte & 0x7F) << shift
            at, shift = at + 1, shift + 7
            if byte < 0x80:
                return value, at
    while at < len(proto):
        start = at
        key, at = varint(at)
        length, at = varint(at)
        at += length
        field = proto[start:at]
        if key >> 3 == 1:
            pieces += 1
            if pieces > 300:
                continue
        elif key >> 3 == 3 and length > 4096:
            continue  # the normalizer's character map alone is 240 KB
        kept += field
    return kept


def documents(program):
    seed("json", "python.json", '{"a":[1,-2.5e3,"\\u00e9\\n",NaN,-Infinity],"b":{"c":null,"d":true}}')
    manifest = json.loads((DEMO_FILES / "manifest.json").read_text())
    request = dict(manifest["request"])
    request.update({"lora": ["/a/b.safetensors:0.5"], "prompt_travel": "0: a | 8: b", "step_cache": 0.25, "vae_tile_px": 128,
                    "attention_policy": {"rules": [{"backend": "sdpa", "layers": [0, 1], "steps": "-2..-1"}]}})
    seed("request", "demo.json", compact(request))
    seed("recipe", "few-steps.json", compact({"name": "few-steps", "title": "Few steps", "family": "wan", "num_inference_steps": 4,
         "guidance_scale": 1.0, "flow_shift": 5.0, "scheduler": "lcm", "lora": ["owner/name/few.safetensors:0.9"]}))
    policy = {"rules": [{"backend": "fav2", "module": "self", "layers": 7, "steps": [0, 1], "branch": "conditional"},
                        {"backend": "sdpa", "layers": "-2..-1"}]}
    seed("policy", "two.json", compact(policy))
    for number, rule in enumerate(("fav2:module=self,steps=0..1", "sdpa:layers=-2..-1", "0,5-9,-1", "a.safetensors:0.8",
                                   "8: a dog | 12: a cat")):
        seed("rules", f"{number}.txt", rule)
    lines = [{"v": 1, "type": "render", "id": "j1", "request": request}, {"v": 1, "type": "forecast", "id": "f1",
             "request": {"prompt": "a"}}, {"v": 1, "type": "cancel", "id": "j1"}, {"v": 1, "type": "quit"},
             {"v": 1, "type": "ready", "version": "0.1.0"}, {"v": 1, "type": "started", "id": "j1"},
             {"v": 1, "type": "done", "id": "j1", "clip": "/tmp/a.mp4"}, {"v": 1, "type": "cancelled", "id": "j1"},
             {"v": 1, "type": "failed", "id": "j1", "error": {"code": "io", "message": "m"}, "code": "io", "message": "m"},
             {"v": 1, "type": "progress", "id": "j1", "stage": "denoise", "step": 3, "steps": 20, "eta_seconds": 2.5}]
    seed("worker", "lines.jsonl", "\n".join(compact(line) for line in lines) + "\n")
    seed("session", "demo.json", fits(DEMO / "session.json"))
    number = {"mean": 41.5, "low": 40.0, "high": 43.0, "prompts": 2, "clips": 2}
    seed("suite", "two.json", compact({
        "version": 1, "axes": [{"key": "prompt", "values": ["a cat", "a dog"]}, {"key": "attention_type", "values": ["sdpa", "fav2"]}],
        "jobs": [{"axes": {"prompt": prompt, "attention_type": backend}, "clip": f"{prompt[2:]}/results/{backend}.mp4",
                  "measures": {"psnr": 41.5, "denoise_seconds": 2.5} if backend == "fav2" else {},
                  **({"error": "no memory"} if prompt == "a dog" else {})} for prompt in ("a cat", "a dog") for backend in ("sdpa", "fav2")],
        "values": [{"axis": "attention_type", "value": "fav2", "worst": [1],
                    "measures": {"psnr": number, "denoise_seconds": {**number, "difference": number, "win_rate": 0.5}}}],
        "gate": {"text": "psnr>=40@95%", "passed": False, "outcomes": [{"value": "fav2", "met": 1, "clips": 2, "passed": False}]},
        "against": [{"folder": "/earlier", "value": "fav2", "measures": {"psnr": {**number, "difference": number}}}]}))
    seed("suite", "nightly.toml", "# nightly\nprompts = ['a cat', \"a \\u0064og\"]\nseeds = [1, 0x10, -1]\n"
         "fps = 8.5\nattention_policy.rules = [{ backend = \"fav2\", steps = [0, 1] }]\n[x.\"y z\"]\nb = true\n")
    seed("votes", "three.json", compact({"version": 1, "votes": [{"first": "a/1.mp4", "second": "a/2.mp4", "preferred": preferred}
                                                                for preferred in ("first", "second", "neither")]}))
    calls = manifest.get("attention_calls")
    if calls is not None and len(compact(manifest)) > 12000:
        manifest.pop("attention_calls")
    seed("manifest", "demo.json", compact(manifest))
    seed("timing", "demo.json", fits(DEMO_FILES / "timing.json"))
    metrics = json.loads((DEMO_FILES / "metrics.json").read_text())
    seed("metrics", "demo.json", compact(metrics))
    seed("metrics", "lockstep.json", fits(FIXTURES / "measurements/metrics.json"))
    for name in ("captures", "kernels", "vae", "tuning", "traces"):
        seed("measurement", f"{name}.json", fits(FIXTURES / f"measurements/{name}.json"))
    doctor = json.loads(subprocess.run([program, "doctor", "--json"], check=True, capture_output=True).stdout)
    kept = {key: doctor[key] for key in ("cpu", "memory", "gpu", "backends", "models")}
    kept["models"], kept["backends"] = kept["models"][:2], kept["backends"][:3]
    kept["gpu"] = {"present": True, "driver_cuda": "13.0", "driver": "580.1", "gpus": [
        {"device": "cuda:0", "name": "NVIDIA H100", "capability": "9.0", "bytes": 85899345920, "free_bytes": 80000000000,
         "used": True}]}
    seed("machine", "gpu.json", compact(kept))
    seed("plugin", "example.json", compact({"name": "mine", "title": "Mine", "description": "d", "version": "1",
         "author": "a", "file": "/tmp/mine.so", "sha256": "ab" * 32, "devices": ["cpu"], "dtypes": ["fp32", "bf16"],
         "features": ["causal"], "max_head_dim": 128, "head_dim_multiple": 8, "claimed_l1": 0.01}))
    for name in ("python_torch_cpu", "python_torch_cuda"):
        seed("trace", f"{name}.json", fits(FIXTURES / f"profile/{name}.json"))
    seed("trace", "cpu.json.gz", of("profile/python_torch_cpu.json.gz"))
    commit = "0123456789abcdef0123456789abcdef01234567"
    seed("hub", "wan.json", compact({"sha": commit, "siblings": [
        {"rfilename": "model_index.json", "size": 300, "blobId": commit},
        {"rfilename": "transformer/diffusion_pytorch_model-00001-of-00002.safetensors", "size": 5,
         "blobId": commit, "lfs": {"sha256": "ab" * 32, "size": 5000}},
        {"rfilename": "transformer/config.json", "size": 3, "blobId": commit},
        {"rfilename": "vae/diffusion_pytorch_model.safetensors", "size": 5, "blobId": commit,
         "lfs": {"sha256": "cd" * 32, "size": 6000}}]}))


def clips():
    with tempfile.TemporaryDirectory() as folder:
        for name, options in {
                "h264.mp4": ["-c:v", "libx264", "-g", "2"], "fragments.mp4": ["-c:v", "libx264", "-g", "2", "-movflags", "frag_keyframe+empty_moov+dash+global_sidx"],
                "vp9.webm": ["-c:v", "libvpx-vp9", "-b:v", "20k"],
                "loop.gif": [], "mjpeg.avi": ["-c:v", "mjpeg", "-q:v", "20"], "ffv1.mkv": ["-c:v", "ffv1"],
                "turned.mov": ["-c:v", "mpeg4", "-q:v", "20"], "sorenson.flv": ["-c:v", "flv", "-q:v", "20"],
                "theora.ogv": ["-c:v", "libtheora", "-q:v", "0"], "vp9.ivf": ["-c:v", "libvpx-vp9", "-b:v", "20k"],
                "raw.y4m": ["-pix_fmt", "yuv420p"], "deep.y4m": ["-pix_fmt", "yuv420p10le", "-strict", "-1"],
                "broadcast.mxf": ["-c:v", "mpeg2video", "-r", "25", "-q:v", "31"], "windows.wmv": ["-c:v", "wmv2", "-q:v", "31"],
                "stream.ts": ["-c:v", "mpeg2video", "-r", "25", "-q:v", "31"],
                "slices.mkv": ["-c:v", "ffv1", "-level", "3", "-slicecrc", "1"]}.items():
            path = pathlib.Path(folder) / name
            subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=s=32x32:r=8:d=0.375", *options,
                            "-fflags", "+bitexact", "-flags:v", "+bitexact", "-y", path], check=True)
            seed("clip", name, path.read_bytes())
        for name, pixels in (("deep.png", "rgb48be"), ("deep-grey-alpha.png", "ya16be")):
            path = pathlib.Path(folder) / name
            subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=s=8x8", "-frames:v", "1", "-pix_fmt", pixels,
                            "-fflags", "+bitexact", "-y", path], check=True)
            seed("picture", name, path.read_bytes())
    for name in ("palette.png", "interlaced.png", "rgba.png", "grey.png", "1.jpg", "progressive.jpg", "inks.jpg", "lossy.webp", "smooth.webp"):
        seed("picture", name, of(f"media/pictures/{name}"))


weights()
prompts()
documents(sys.argv[1])
clips()
