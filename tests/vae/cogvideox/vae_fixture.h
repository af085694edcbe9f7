#pragma once

#include "core/vae/cogvideox/cogvideox_vae.h"
#include "tests/vae/fixture_tensors.h"

namespace reelgrid::vae::cogvideox {

inline CogVideoXVaeConfig fixtureConfig(const std::string& name) {
    return CogVideoXVaeConfig::from(
        weights::ModelConfig::read(fixtureFolder() / "cogvideox", name + ".json"));
}

inline CogVideoXVae fixtureVae(const std::string& name, CogVideoXVaeOptions options = {},
                               at::ScalarType dtype = at::kFloat) {
    TensorMap source(readTensors("cogvideox/" + name + ".safetensors"));
    return {weights::WeightScope(source, dtype), fixtureConfig(name), options};
}

/// What diffusers made of the clips of one file.
class RecordedClips {
  public:
    explicit RecordedClips(const std::string& name)
        : m_tensors(readTensors("cogvideox/" + name + "_io.safetensors")) {}

    [[nodiscard]] int count() const { return int(m_tensors.size() / 5); }
    /// x, mean, logvar, z or y, [C, T, H, W].
    [[nodiscard]] at::Tensor of(int clip, const std::string& what) const {
        return m_tensors.at(std::to_string(clip) + "." + what);
    }
    /// Decoded frames as the VAE hands them out.
    [[nodiscard]] at::Tensor frames(int clip) const {
        return of(clip, "y").clamp(-1, 1).permute({1, 2, 3, 0}).contiguous();
    }

  private:
    std::map<std::string, at::Tensor> m_tensors;
};

/// All frames of decodeTo().
inline at::Tensor decoded(const CogVideoXVae& vae, const at::Tensor& z_CTHW) {
    std::vector<at::Tensor> batches;
    vae.decodeTo(z_CTHW, [&](const at::Tensor& frames_THWC) { batches.push_back(frames_THWC.clone()); });
    return at::cat(batches, 0);
}

}  // namespace reelgrid::vae::cogvideox
