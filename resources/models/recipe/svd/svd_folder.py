"""The trained parts as a model folder of StableVideoDiffusionPipeline's.

python3 svd_folder.py --work DIR --out FOLDER     UNet in scaled FP8, the rest in fp16; --plain 1: the same weights as fp16, which diffusers loads
"""
import argparse
import os

import svd_model
import temporal_vae
import world
from model_folders import DIFFUSERS, put, put_index, put_model, put_scheduler, put_weights
from safetensors.torch import load_file
from session import say
from svd_model import CLIP_MEAN, CLIP_STD, NOISE_AUG, SCHEDULER, SIDE
from train_image import read


def put_encoder(a):
    model = svd_model.make_encoder()
    model.load_state_dict(read(a.work, "svd_encoder"))
    put(f"{a.out}/image_encoder", "config.json", {"architectures": ["CLIPVisionModelWithProjection"], "model_type": "clip_vision_model",
                                                  "dtype": "float16"} | model.config.to_diff_dict())
    put_weights(f"{a.out}/image_encoder", "model", model.state_dict(), a.plain, True)
    put(f"{a.out}/feature_extractor", "preprocessor_config.json", {
        "image_processor_type": "CLIPImageProcessor", "do_convert_rgb": True, "do_resize": True, "size": {"shortest_edge": SIDE},
        "resample": 3, "do_center_crop": True, "crop_size": {"height": SIDE, "width": SIDE}, "do_rescale": True,
        "rescale_factor": 1 / 255, "do_normalize": True, "image_mean": list(CLIP_MEAN), "image_std": list(CLIP_STD)})


def main():
    from diffusers import EulerDiscreteScheduler
    p = argparse.ArgumentParser()
    p.add_argument("--work", required=True)
    p.add_argument("--out", required=True)
    p.add_argument("--plain", type=int, default=0)
    a = p.parse_args()
    put_model(a, "unet", svd_model.make_unet(), read(a.work, "svd_unet"), smallest=svd_model.SMALLEST)
    put_model(a, "vae", temporal_vae.make(), {k: v.float() for k, v in load_file(f"{a.work}/vae_svd.safetensors").items()}, True)
    put_encoder(a)
    put_scheduler(a, EulerDiscreteScheduler(**SCHEDULER))
    put_index(a, "StableVideoDiffusionPipeline", {
        "unet": ("diffusers", "UNetSpatioTemporalConditionModel"), "vae": ("diffusers", "AutoencoderKLTemporalDecoder"),
        "image_encoder": ("transformers", "CLIPVisionModelWithProjection"), "feature_extractor": ("transformers", "CLIPImageProcessor"),
        "scheduler": ("diffusers", "EulerDiscreteScheduler")}, {
        "title": "ReelGrid demo (Stable Video Diffusion, 15 M)", "width": world.WIDTH, "height": world.HEIGHT, "num_frames": world.FRAMES,
        "fps": world.FPS, "num_inference_steps": 20, "motion_bucket_id": 128, "noise_aug_strength": NOISE_AUG,
        "min_guidance_scale": 1.0, "max_guidance_scale": 3.0, "decode_chunk_size": temporal_vae.TOGETHER})
    total = sum(os.path.getsize(os.path.join(d, n)) for d, _, names in os.walk(a.out) for n in names)
    say(f"{a.out}: {total / 1e6:.1f} MB, as of diffusers {DIFFUSERS}")


if __name__ == "__main__":
    main()
