#!/usr/bin/env python3
"""make_pipeline.py MODEL FOLDER [COMPONENTS]: a whole model folder in diffusers' layout at an official configuration with random
weights, for `reelgrid-cli render --model FOLDER` where no checkpoint can be downloaded: it shows that every part loads, fits and
ends, and what it costs, not a picture. Components are made once in COMPONENTS (default FOLDER/../components) and linked.
The tokenizer is the miniatures', whose pieces are fewer; both experts of an A14B are one file."""
import json
import pathlib
import sys

import make_checkpoint

FIXTURES = make_checkpoint.FIXTURES
WAN = ("WanPipeline", FIXTURES / "wan/tiny-pipeline/scheduler/scheduler_config.json", "umt5-xxl", "UMT5EncoderModel")
COG = "CogVideoXPipeline"
# pipeline, scheduler's file, text encoder and its class, VAE, transformer, further entries of model_index.json, of the scheduler
MODELS = {
    "wan2.1-t2v-1.3b": (*WAN, "wan-vae", "wan-1.3b", {}, {"flow_shift": 3.0}),
    "wan2.1-t2v-14b": (*WAN, "wan-vae", "wan-14b", {}, {"flow_shift": 5.0}),
    "wan2.2-t2v-a14b": (*WAN, "wan-vae", "wan-14b", {"boundary_ratio": 0.875}, {"flow_shift": 12.0}),
    "wan2.2-ti2v-5b": (*WAN, "wan22-vae", "wan-5b", {"expand_timesteps": True}, {"flow_shift": 5.0}),
    "cogvideox-2b": (COG, FIXTURES / "cogvideox/2b/scheduler/scheduler_config.json", "t5-xxl", "T5EncoderModel",
                     "cogvideox-2b-vae", "cogvideox-2b", {}, {}),
    "cogvideox-5b": (COG, FIXTURES / "cogvideox/5b/scheduler/scheduler_config.json", "t5-xxl", "T5EncoderModel",
                     "cogvideox-5b-vae", "cogvideox-5b", {}, {}),
}


def link(components, kind, place):
    source = components / kind
    if not (source / "config.json").exists():
        make_checkpoint.write(kind, source)
    place.symlink_to(source.resolve(), target_is_directory=True)


def write(model, folder, components):
    pipeline, scheduler_file, text, text_class, vae, transformer, entries, schedule = MODELS[model]
    folder.mkdir(parents=True)
    scheduler = json.loads(scheduler_file.read_text()) | schedule
    (folder / "scheduler").mkdir()
    (folder / "scheduler/scheduler_config.json").write_text(json.dumps(scheduler, indent=2))
    tokenizer = FIXTURES.parent.parent / "resources/models/wan-demo/tokenizer"
    (folder / "tokenizer").symlink_to(tokenizer, target_is_directory=True)
    classes = make_checkpoint.CONFIGS
    index = {"_class_name": pipeline, "_diffusers_version": "0.40.0",
             "scheduler": ["diffusers", scheduler["_class_name"]], "text_encoder": ["transformers", text_class],
             "tokenizer": ["transformers", "T5Tokenizer"], "vae": ["diffusers", classes[vae]["_class_name"]],
             "transformer": ["diffusers", classes[transformer]["_class_name"]]} | entries
    for kind, part in ((text, "text_encoder"), (vae, "vae"), (transformer, "transformer")):
        link(components, kind, folder / part)
    if pipeline == "WanPipeline":
        index["transformer_2"] = [None, None]
        if "boundary_ratio" in entries:
            index["transformer_2"] = index["transformer"]
            link(components, transformer, folder / "transformer_2")
    (folder / "model_index.json").write_text(json.dumps(index, indent=2))


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in MODELS:
        sys.exit(f"make_pipeline.py: one of {', '.join(MODELS)} and a folder were needed")
    target = pathlib.Path(sys.argv[2])
    write(sys.argv[1], target, pathlib.Path(sys.argv[3]) if len(sys.argv) == 4 else target.parent / "components")
