#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "core/catalog/render_settings.h"
#include "core/denoising/named_tensors.h"
#include "core/schedulers/initial_noise.h"

namespace reelgrid::denoising {

/// Unit noise of a render's seed, drawn piece by piece with whose random numbers --generator says.
class LatentNoise {
  public:
    LatentNoise(const catalog::RenderSettings& settings, at::Device device);

    /// fp32 on the render's device.
    [[nodiscard]] at::Tensor draw(at::IntArrayRef shape);

    /// 0 to count − 1 in another order.
    [[nodiscard]] std::vector<std::int64_t> permutation(std::int64_t count) {
        return m_stream.permutation(count);
    }

    /// For a render that draws later than at the start: what the next pieces depend on.
    void save(NamedTensors& into) const;
    /// Throws Failure(InvalidData) when it isn't there.
    void restore(const NamedTensors& from);

  private:
    at::Device m_device;
    schedulers::NoiseStream m_stream;
};

}  // namespace reelgrid::denoising
