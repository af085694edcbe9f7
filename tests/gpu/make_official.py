#!/usr/bin/env python3
"""make_official.py MODEL FOLDER: a whole model with random weights by the published names and shapes that the fixtures record
(tests/fixtures/*/official_parameters.json), without diffusers: svd (a diffusers folder), turbo-1.3b, turbo-14b and the same with
-quant (TurboDiffusion's .pth, a VAE and a text encoder beside it: render --dit_path FOLDER/dit.pth --vae_path FOLDER/vae
--text_encoder_path FOLDER/text_encoder). It shows that every part loads, fits and ends, and what it costs, not a picture."""
import json
import pathlib
import shutil
import sys

import torch
from safetensors.torch import save_file

from make_checkpoint import FIXTURES, random_value

SVD, WAN = FIXTURES / "svd", FIXTURES / "wan/tiny-pipeline"
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
GENERATOR = torch.Generator(DEVICE).manual_seed(1)


def values(shapes, dtype):
    return {name: random_value(name, shape, DEVICE, GENERATOR).to(dtype).cpu() for name, shape in shapes.items()}


def component(folder, class_name, config, shapes, dtype, stem="diffusion_pytorch_model"):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config | {"_class_name": class_name}))
    save_file(values(shapes, dtype), folder / f"{stem}.safetensors")


def write_svd(folder):
    parts = json.loads((SVD / "official_parameters.json").read_text())
    for part, class_name in (("unet", "UNetSpatioTemporalConditionModel"), ("vae", "AutoencoderKLTemporalDecoder"),
                             ("image_encoder", "CLIPVisionModelWithProjection")):
        stem = "model" if part == "image_encoder" else "diffusion_pytorch_model"
        component(folder / part, class_name, parts[part]["config"], parts[part]["parameters"], torch.float16, stem)
    for part in ("scheduler/scheduler_config.json", "feature_extractor/preprocessor_config.json"):
        (folder / part).parent.mkdir(exist_ok=True)
        shutil.copy(SVD / pathlib.Path(part).name, folder / part)
    shutil.copy(SVD / "model_index.json", folder)


def quantised(name, shape):
    """One tensor of a -quant checkpoint: int8 for int8_weight, fp32 scales that make its products of unit size."""
    if name.endswith("int8_weight"):
        return torch.randint(-127, 128, tuple(shape), dtype=torch.int8, device=DEVICE, generator=GENERATOR).cpu()
    if name.endswith(".scale"):
        return torch.full(tuple(shape), 1 / (73.6 * (128 * shape[1]) ** 0.5))
    return random_value(name, shape, DEVICE, GENERATOR).bfloat16().cpu()


def write_turbo(folder, size, quant):
    model = json.loads((FIXTURES / "turbo/official_parameters.json").read_text())[size]
    shapes = model["quant" if quant else "plain"]
    tensors = {name: quantised(name, shape) for name, shape in shapes["rest"].items()}
    for layer in range(model["layers"]):
        tensors |= {f"blocks.{layer}.{name}": quantised(name, shape) for name, shape in shapes["block"].items()}
    folder.mkdir(parents=True, exist_ok=True)
    torch.save(tensors, folder / "dit.pth")
    config, shapes = (json.loads((FIXTURES / f"text/umt5-xxl-{part}.json").read_text()) for part in ("config", "parameters"))
    lay_beside(folder, "text_encoder",
               lambda place: component(place, "UMT5EncoderModel", config, shapes, torch.bfloat16, "model"))
    vae = json.loads((FIXTURES / "vae/wan21_parameters.json").read_text())
    lay_beside(folder, "vae", lambda place: component(place, "AutoencoderKLWan", vae["config"], vae["parameters"], torch.float32))
    (folder / "umt5-xxl").mkdir(exist_ok=True)
    for file in (WAN / "tokenizer").iterdir():
        shutil.copy(file, folder / "umt5-xxl")


def lay_beside(folder, name, write):
    """The component `name` of all turbo folders, made once beside them and linked."""
    shared = folder.parent / f"turbo-{name}"
    if not (shared / "config.json").exists():
        write(shared)
    if not (folder / name).exists():
        (folder / name).symlink_to(shared.resolve(), target_is_directory=True)


MODELS = {"svd": write_svd}
for name, size in (("1.3b", "Wan2.1-1.3B"), ("14b", "Wan2.1-14B")):
    MODELS[f"turbo-{name}"] = lambda folder, size=size: write_turbo(folder, size, False)
    MODELS[f"turbo-{name}-quant"] = lambda folder, size=size: write_turbo(folder, size, True)

if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in MODELS:
        sys.exit(f"make_official.py: one of {', '.join(MODELS)} and a folder were needed")
    MODELS[sys.argv[1]](pathlib.Path(sys.argv[2]))
