#pragma once

// Shape legend: B = 1 clip, C channels, T frames, H rows, W columns.

#include <ATen/ATen.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>

#include "core/vae/tiling.h"

namespace reelgrid::benchmark {

struct ClipSize {
    std::int64_t frames = 0, height = 0, width = 0;
};

/// What a video autoencoder makes of a clip's shape.
struct VaeShape {
    std::int64_t zDim = 1, spatialFactor = 1, temporalFactor = 1;
    std::int64_t frameStep = 1;  ///< clips have 1 + n · frameStep frames
};

/// A video autoencoder, loaded.
class BenchedVae {
  public:
    virtual ~BenchedVae() = default;

    /// x_BCTHW → the mean of the latents, [1, z, T', H', W']; in tiles, where there is a tiling.
    [[nodiscard]] virtual at::Tensor encode(const at::Tensor& x_BCTHW,
                                            const std::optional<vae::Tiling>& tiling,
                                            std::stop_token stop) const = 0;
    /// z_BCTHW → [T, H, W, 3].
    [[nodiscard]] virtual at::Tensor decode(const at::Tensor& z_BCTHW,
                                            const std::optional<vae::Tiling>& tiling,
                                            std::stop_token stop) const = 0;
};

/// A video autoencoder on the disk, by itself.
class VaeOnDisk {
  public:
    virtual ~VaeOnDisk() = default;

    [[nodiscard]] virtual std::filesystem::path path() const = 0;
    [[nodiscard]] virtual std::uint64_t bytes() const = 0;  ///< of its weight files
    [[nodiscard]] virtual VaeShape shape() const = 0;
    /// Tiles of that height, as the model's reference cuts them.
    [[nodiscard]] virtual vae::Tiling tilingOf(std::int64_t pixels) const = 0;
    /// What the fuller of both directions takes beside the weights.
    [[nodiscard]] virtual std::uint64_t passBytes(const ClipSize& clip, at::ScalarType dtype,
                                                  at::Device device,
                                                  const std::optional<vae::Tiling>& tiling) const = 0;
    [[nodiscard]] virtual std::unique_ptr<BenchedVae> load(at::ScalarType dtype, at::Device device) const = 0;
};

/// Opens the VAE of Wan (core/vae/wan21/vae_checkpoint.h says in which forms) or of CogVideoX (a diffusers
/// folder of it, or of a whole model). Throws Failure naming what is missing or wrong.
std::unique_ptr<VaeOnDisk> openVae(const std::filesystem::path& path);

}  // namespace reelgrid::benchmark
