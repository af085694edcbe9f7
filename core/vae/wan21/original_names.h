#pragma once

#include <memory>
#include <string>

#include "core/vae/wan21/wan_vae_config.h"
#include "core/weights/weight_source.h"

namespace reelgrid::vae::wan21 {

/// What Wan's own checkpoint (Wan2.1_VAE.pth and files made of it) calls a parameter that diffusers'
/// AutoencoderKLWan calls `name`: "decoder.upsamples.3.resample.1.weight" for
/// "decoder.up_blocks.0.upsamplers.0.resample.1.weight". The tensors are the same.
std::string originalName(const std::string& name, const WanVaeConfig& config);

/// A checkpoint with the original's names, asked for by diffusers'.
class OriginalNames final : public weights::WeightSource {
  public:
    OriginalNames(std::unique_ptr<weights::WeightSource> checkpoint, WanVaeConfig config)
        : m_checkpoint(std::move(checkpoint)), m_config(std::move(config)) {}

    at::Tensor require(const std::string& name, at::IntArrayRef shape) override {
        return m_checkpoint->require(originalName(name, m_config), shape);
    }
    [[nodiscard]] bool has(const std::string& name) const override {
        return m_checkpoint->has(originalName(name, m_config));
    }

  private:
    std::unique_ptr<weights::WeightSource> m_checkpoint;
    WanVaeConfig m_config;
};

}  // namespace reelgrid::vae::wan21
