#include "core/benchmark/benched_vae.h"

#include <algorithm>
#include <utility>

#include "core/vae/cogvideox/cogvideox_vae.h"
#include "core/vae/cogvideox/working_memory.h"
#include "core/vae/wan21/vae_checkpoint.h"
#include "core/vae/wan21/wan_vae.h"
#include "core/vae/wan21/working_memory.h"
#include "core/weights/safetensors_folder.h"

namespace reelgrid::benchmark {
namespace {

namespace fs = std::filesystem;
namespace cogvideox = vae::cogvideox;
namespace wan21 = vae::wan21;

class LoadedWanVae final : public BenchedVae {
  public:
    LoadedWanVae(const weights::WeightScope& scope, const wan21::WanVaeConfig& config)
        : m_vae(scope, config) {}

    at::Tensor encode(const at::Tensor& x_BCTHW, const std::optional<vae::Tiling>& tiling,
                      std::stop_token stop) const override {
        return (tiling ? m_vae.encodeTiled(x_BCTHW, *tiling, {}, std::move(stop))
                       : m_vae.encode(x_BCTHW, {}, std::move(stop)))
            .mean_BCTHW;
    }
    at::Tensor decode(const at::Tensor& z_BCTHW, const std::optional<vae::Tiling>& tiling,
                      std::stop_token stop) const override {
        if (tiling) return m_vae.decodeTiled(z_BCTHW[0], *tiling, {}, std::move(stop));
        return m_vae.decode(z_BCTHW, {}, std::move(stop))[0].permute({1, 2, 3, 0});
    }

  private:
    wan21::WanVae m_vae;
};

class WanVaeOnDisk final : public VaeOnDisk {
  public:
    explicit WanVaeOnDisk(wan21::VaeCheckpoint checkpoint) : m_checkpoint(std::move(checkpoint)) {}

    fs::path path() const override { return m_checkpoint.path; }
    std::uint64_t bytes() const override { return m_checkpoint.bytes; }
    VaeShape shape() const override {
        const wan21::WanVaeConfig& config = m_checkpoint.config;
        return {config.zDim, config.spatialFactor(), config.temporalFactor(), config.temporalFactor()};
    }
    vae::Tiling tilingOf(std::int64_t pixels) const override {
        return vae::Tiling::ofEdge(pixels, m_checkpoint.config.spatialFactor());
    }
    std::uint64_t passBytes(const ClipSize& clip, at::ScalarType dtype, at::Device device,
                            const std::optional<vae::Tiling>& tiling) const override {
        const wan21::ClipSize size{.frames = clip.frames, .height = clip.height, .width = clip.width};
        const wan21::Computing computing{.dtype = dtype, .device = device};
        return std::max(wan21::bytesToEncode(m_checkpoint.config, size, tiling, computing),
                        wan21::bytesToDecode(m_checkpoint.config, size, tiling, computing));
    }
    std::unique_ptr<BenchedVae> load(at::ScalarType dtype, at::Device device) const override {
        return std::make_unique<LoadedWanVae>(weights::WeightScope(*m_checkpoint.weights, dtype, device),
                                              m_checkpoint.config);
    }

  private:
    wan21::VaeCheckpoint m_checkpoint;
};

class LoadedCogVideoXVae final : public BenchedVae {
  public:
    LoadedCogVideoXVae(const weights::WeightScope& scope, const cogvideox::CogVideoXVaeConfig& config)
        : m_vae(scope, config) {}

    at::Tensor encode(const at::Tensor& x_BCTHW, const std::optional<vae::Tiling>& tiling,
                      std::stop_token stop) const override {
        return (tiling ? m_vae.encodeTiled(x_BCTHW[0], *tiling, {}, std::move(stop))
                       : m_vae.encode(x_BCTHW[0], {}, std::move(stop)))
            .mean_CTHW.unsqueeze(0);
    }
    at::Tensor decode(const at::Tensor& z_BCTHW, const std::optional<vae::Tiling>& tiling,
                      std::stop_token stop) const override {
        if (tiling) return m_vae.decodeTiled(z_BCTHW[0], *tiling, {}, std::move(stop));
        std::vector<at::Tensor> batches;
        m_vae.decodeTo(
            z_BCTHW[0], [&](const at::Tensor& frames_THWC) { batches.push_back(frames_THWC); },
            std::move(stop));
        return at::cat(batches, 0);
    }

  private:
    cogvideox::CogVideoXVae m_vae;
};

class CogVideoXVaeOnDisk final : public VaeOnDisk {
  public:
    explicit CogVideoXVaeOnDisk(const fs::path& folder)
        : m_path(folder),
          m_config(cogvideox::CogVideoXVaeConfig::from(weights::ModelConfig::read(folder))),
          m_weights(std::make_unique<weights::SafetensorsFolder>(folder)) {}

    fs::path path() const override { return m_path; }
    std::uint64_t bytes() const override {
        std::uint64_t bytes = 0;
        for (const fs::path& file : m_weights->files()) bytes += fs::file_size(file);
        return bytes;
    }
    VaeShape shape() const override {
        // An odd number of latent frames is decoded to as many frames as were encoded.
        return {m_config.zDim, m_config.spatialFactor(), m_config.temporalFactor(),
                2 * m_config.temporalFactor()};
    }
    vae::Tiling tilingOf(std::int64_t pixels) const override { return m_config.tilingOf(pixels); }
    std::uint64_t passBytes(const ClipSize& clip, at::ScalarType dtype, at::Device device,
                            const std::optional<vae::Tiling>& tiling) const override {
        const cogvideox::ClipSize size{.frames = clip.frames,
                                       .height = clip.height,
                                       .width = clip.width,
                                       .dtype = dtype,
                                       .device = device};
        return std::max(cogvideox::bytesToEncode(m_config, size, tiling),
                        cogvideox::bytesToDecode(m_config, size, tiling));
    }
    std::unique_ptr<BenchedVae> load(at::ScalarType dtype, at::Device device) const override {
        return std::make_unique<LoadedCogVideoXVae>(weights::WeightScope(*m_weights, dtype, device),
                                                    m_config);
    }

  private:
    fs::path m_path;
    cogvideox::CogVideoXVaeConfig m_config;
    std::unique_ptr<weights::SafetensorsFolder> m_weights;
};

/// The folder of a CogVideoX VAE that `path` is, or whose whole model it is; empty for anything else.
fs::path cogVideoXFolder(const fs::path& path) {
    std::error_code failed;
    for (const fs::path& folder : {path, path / "vae"})
        if (fs::is_regular_file(folder / "config.json", failed) &&
            weights::ModelConfig::read(folder).textOr("_class_name", "") == "AutoencoderKLCogVideoX")
            return folder;
    return {};
}

}  // namespace

std::unique_ptr<VaeOnDisk> openVae(const fs::path& path) {
    if (const fs::path folder = cogVideoXFolder(path); !folder.empty())
        return std::make_unique<CogVideoXVaeOnDisk>(folder);
    return std::make_unique<WanVaeOnDisk>(wan21::openCheckpoint(path));
}

}  // namespace reelgrid::benchmark
