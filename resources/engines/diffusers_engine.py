"""Renders one request with diffusers, for `reelgrid-cli compare --with-engine diffusers`.

Takes the name of a JSON file: "folder" (a diffusers folder), "family", "class", "settings" (a render's fields, all
filled in), "scheduler" (a class and its options, or nothing), "noise" (a safetensors file with the initial noise
"noise"), "pictures" (files by the pipeline's arguments), "frames" and "latents" (files to write). Says on stdout, a
JSON object a line, how far it is and at last what it made: raw 8-bit RGB frames, the final latents, and times.
"""
import json
import os
import sys
import time

# Whatever a library prints must not be taken for what is said here.
SAID = os.fdopen(os.dup(1), "w", buffering=1)
os.dup2(2, 1)


def say(**words):
    SAID.write(json.dumps(words) + "\n")


def leave(code):
    """At once: libraries may take seconds to go, in which nothing more is said."""
    SAID.flush()
    sys.stderr.flush()
    os._exit(code)


def fail(why):
    """One line, for people."""
    say(error=" ".join(str(why).split()))
    leave(1)


try:
    import diffusers
    import numpy
    import safetensors
    import safetensors.torch
    import torch
    import transformers
    from PIL import Image
except ImportError as missing:
    fail(f"{sys.executable} can't import what is needed: {missing}")

TYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
LAYERS = ("transformer", "transformer_2", "unet")


# What a matrix in FP8 is multiplied by, as core/weights/scaled_fp8.h reads it; of the others only products in FP8
# have a use.
SCALES = ("scale_weight", "weight_scale")
SCALES_OF_INPUTS = ("scale_input", "input_scale")
FP8 = (torch.float8_e4m3fn, torch.float8_e5m2)


def multiplied(fp8, scale, where):
    """One number, or one a row as [rows] or [rows, 1]."""
    rows = fp8.shape[0] if fp8.dim() > 0 else 1
    factors = scale.float()
    if scale.numel() != 1:
        if tuple(scale.shape) not in ((rows,), (rows, 1)):
            fail(f"{where} has shape {list(scale.shape)}, one number or one for each of {rows} rows was needed")
        factors = factors.reshape([rows] + [1] * (fp8.dim() - 1))
    else:
        factors = factors.reshape([])
    return (fp8.float() * factors).bfloat16()


def multiply_scaled_weights(module, folder):
    """A checkpoint may store matrices in FP8 beside a scale, which diffusers leaves out."""
    parameters = dict(module.named_parameters())
    stored = {}
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        if name.endswith(".safetensors"):
            path = os.path.join(folder, name)
            with safetensors.safe_open(path, "pt") as file:
                stored |= dict.fromkeys(file.keys(), path)

    def tensor(name):
        with safetensors.safe_open(stored[name], "pt") as file:
            return file.get_tensor(name)

    scales = {}
    for name in stored:
        layer, _, part = name.rpartition(".")
        if "scale" in part and part not in SCALES_OF_INPUTS and f"{layer}.weight" in stored:
            scales.setdefault(f"{layer}.weight", []).append(name)
    for weight, names in scales.items():
        fp8 = tensor(weight)
        if fp8.dtype not in FP8:
            continue
        for name in names:
            if name.rpartition(".")[2] not in SCALES or len(names) > 1:
                fail(f"{stored[name]}: tensor {name} scales {weight}, which is in FP8: one of "
                     f"{' and '.join(SCALES)} was needed")
        # transformers calls some modules otherwise in memory than in the file.
        target = parameters.get(weight)
        if target is None:
            target = next((p for n, p in parameters.items() if n.endswith("." + weight)
                           or weight.endswith("." + n)), None)
        if target is None:
            fail(f"{stored[weight]}: tensor {weight} belongs to no layer of {type(module).__name__}")
        with torch.no_grad():
            target.copy_(multiplied(fp8, tensor(names[0]), f"{stored[names[0]]}: tensor {names[0]}"))


def load(job, settings):
    kind = getattr(diffusers, job["class"], None)
    if kind is None:
        fail(f"diffusers {diffusers.__version__} has no {job['class']}")
    # Here and not by to(), which would round what models keep in fp32.
    types = {"default": TYPES[settings["dtype"]], "vae": TYPES[settings["vae_dtype"]]}
    pipe = kind.from_pretrained(job["folder"], torch_dtype=types, local_files_only=True)
    for name, part in pipe.components.items():
        if isinstance(part, torch.nn.Module):
            multiply_scaled_weights(part, os.path.join(job["folder"], name))
    if job["family"] == "animatediff":  # whose network has taken the adapter's modules over
        multiply_scaled_weights(pipe.unet, os.path.join(job["folder"], "motion_adapter"))
    if job.get("scheduler"):
        wanted = getattr(diffusers, job["scheduler"]["class"], None)
        if wanted is None:
            fail(f"diffusers {diffusers.__version__} has no {job['scheduler']['class']}")
        pipe.scheduler = wanted.from_config(pipe.scheduler.config, **job["scheduler"]["options"])
    pipe.set_progress_bar_config(disable=True)
    return pipe.to(settings["device"])


def arguments_of(job, pipe, settings):
    """What the pipeline's call takes beyond what all take."""
    family, words = job["family"], {}
    prompts = {"prompt": settings["prompt"], "negative_prompt": settings["negative_prompt"],
               "guidance_scale": settings["guidance_scale"]}
    if family == "wan":
        words = prompts | {"num_frames": settings["num_frames"]}
        if settings.get("guidance_scale_2") is not None and getattr(pipe, "transformer_2", None) is not None:
            words["guidance_scale_2"] = settings["guidance_scale_2"]
    elif family == "cogvideox":
        words = prompts | {"num_frames": settings["num_frames"], "use_dynamic_cfg": settings["use_dynamic_cfg"],
                           "max_sequence_length": pipe.transformer.config.max_text_seq_length}
    elif family == "animatediff":
        words = prompts | {"num_frames": settings["num_frames"], "clip_skip": settings["clip_skip"] or None}
    elif family == "sd35":
        words = prompts | {"max_sequence_length": settings["max_sequence_length"]}
        for key in ("prompt_2", "prompt_3", "negative_prompt_2", "negative_prompt_3"):
            if settings.get(key) is not None:
                words[key] = settings[key]
    elif family == "svd":
        words = {"num_frames": settings["num_frames"], "fps": round(settings["fps"]),
                 "motion_bucket_id": settings["motion_bucket_id"],
                 "noise_aug_strength": settings["noise_aug_strength"],
                 "min_guidance_scale": settings["min_guidance_scale"],
                 "max_guidance_scale": settings["max_guidance_scale"],
                 "decode_chunk_size": settings["decode_chunk_size"]}
    for argument, file in job["pictures"].items():
        words[argument] = Image.open(file).convert("RGB")
    return words


def keep_first_frame(pipe):
    """Of a model that begins with a picture's latents (Wan 2.2 TI2V-5B) each step leaves them out, and they are put
    back after the last one: gives what does so with the latents of a step. The others' are as they are."""
    if type(pipe).__name__ != "WanImageToVideoPipeline" or not pipe.config.expand_timesteps:
        return lambda latents: latents
    prepare, kept = pipe.prepare_latents, []

    def prepared(*words, **named):
        made = prepare(*words, **named)
        kept[:] = made[1:]
        return made

    pipe.prepare_latents = prepared

    def whole(latents):
        condition, mask = kept
        return (1 - mask) * condition + mask * latents

    return whole


def eight_bit(frames):
    frames = numpy.asarray(frames, dtype=numpy.float32)
    frames = frames[0] if frames.ndim == 5 else frames
    if not numpy.isfinite(frames).all():
        fail("the decoded frames have NaN or infinite values")
    return numpy.clip(numpy.rint(frames * 255), 0, 255).astype(numpy.uint8)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        job = json.load(file)
    settings = job["settings"]
    device, steps = settings["device"], settings["num_inference_steps"]

    def now():
        if device.startswith("cuda"):
            torch.cuda.synchronize(device)
        return time.perf_counter()

    say(stage="load")
    began = now()
    pipe = load(job, settings)
    noise = safetensors.torch.load_file(job["noise"])["noise"]
    stages, ends, latents = {"load": now() - began}, [], []
    generator = torch.Generator(settings["generator"]).manual_seed(settings["seed"])
    with_first_frame = keep_first_frame(pipe)

    def before_layers(*_):
        if not ends:
            # The pipeline doesn't draw the noise that it is given: what samplers draw in their steps comes after it.
            torch.randn(noise.shape, generator=generator, device=generator.device)
            ends.append(now())

    for name in LAYERS:
        if isinstance(getattr(pipe, name, None), torch.nn.Module):
            getattr(pipe, name).register_forward_pre_hook(before_layers)

    def after_step(_, step, __, tensors):
        ends.append(now())
        latents[:] = [tensors["latents"]]
        say(stage="denoise", done=step + 1, total=steps)
        return {}

    if device.startswith("cuda"):
        torch.cuda.reset_peak_memory_stats(device)
    say(stage="text")
    began = now()
    with torch.inference_mode():
        made = pipe(**arguments_of(job, pipe, settings), height=settings["height"], width=settings["width"],
                    num_inference_steps=steps, latents=noise.to(device=device, dtype=TYPES[settings["dtype"]]),
                    generator=generator,
                    callback_on_step_end=after_step, callback_on_step_end_tensor_inputs=["latents"],
                    output_type="np")
    ended = now()
    frames = eight_bit(made.images if hasattr(made, "images") else made.frames)
    frames.tofile(job["frames"])
    safetensors.torch.save_file({"latents": with_first_frame(latents[0]).float().cpu().contiguous()}, job["latents"])
    stages |= {"text": ends[0] - began, "denoise": ends[-1] - ends[0], "decode": ended - ends[-1]}
    say(made={"frames": int(frames.shape[0]), "height": int(frames.shape[1]), "width": int(frames.shape[2]),
              "stages": stages, "steps": [b - a for a, b in zip(ends, ends[1:])], "pipe": ended - began,
              "peak_bytes": torch.cuda.max_memory_allocated(device) if device.startswith("cuda") else None,
              "threads": torch.get_num_threads(), "scheduler": type(pipe.scheduler).__name__,
              "versions": {"diffusers": diffusers.__version__, "torch": torch.__version__,
                           "transformers": transformers.__version__,
                           "python": ".".join(map(str, sys.version_info[:3]))}})


try:
    main()
    leave(0)
except Exception as failure:  # told in one line by whoever started this
    import traceback
    traceback.print_exc()
    fail(f"{type(failure).__name__}: {failure}")
