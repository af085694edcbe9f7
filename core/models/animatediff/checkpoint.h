#pragma once

#include <filesystem>
#include <memory>

#include "core/models/animatediff/config.h"
#include "core/weights/weight_file.h"

namespace reelgrid::models::animatediff {

/// A motion adapter's parameters by diffusers' names, and what they are of.
struct MotionAdapter {
    MotionConfig config;
    std::unique_ptr<weights::WeightSource> weights;
};

/// diffusers' folder of a MotionAdapter, or one file with diffusers' names or the authors'
/// (mm_sd_v15_v2.ckpt, v3_sd15_mm.ckpt, animatediff_lightning_4step_diffusers.safetensors), whose shapes are
/// its configuration. Throws Failure naming the file and what is wrong with it.
MotionAdapter openMotionAdapter(const std::filesystem::path& path,
                                const weights::OpenWeights& open = weights::openWeights);

/// Whether a UNet was saved with motion modules in it.
bool hasMotionModules(const weights::WeightSource& unet);

/// Parameters of the image model by diffusers' and transformers' names: of a component's own folder or file,
/// or of a single file of Stable Diffusion 1.5 (v1-5-pruned-emaonly.safetensors), which has all of them.
/// Throws Failure as weights::openWeights() does.
std::unique_ptr<weights::WeightSource> openUnet(const std::filesystem::path& path, const UnetConfig& config,
                                                const weights::OpenWeights& open = weights::openWeights);
std::unique_ptr<weights::WeightSource> openTextEncoder(
    const std::filesystem::path& path, const weights::OpenWeights& open = weights::openWeights);
std::unique_ptr<weights::WeightSource> openVae(const std::filesystem::path& path, std::size_t sizes,
                                               const weights::OpenWeights& open = weights::openWeights);

}  // namespace reelgrid::models::animatediff
