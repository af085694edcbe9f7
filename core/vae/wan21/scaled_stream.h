#pragma once

#include "core/weights/weight_source.h"

namespace reelgrid::vae::wan21 {

/// The weights of an equal autoencoder whose residual stream is 2⁻⁶ of the checkpoint's, for fp16: a trained
/// stream grows past fp16's 65504 (to 10⁶ in the demo model). Every layer that reads the stream normalises it
/// or is linear, so its pictures stay what they were; a power of two adds no rounding.
class ScaledStream final : public weights::WeightSource {
  public:
    /// `inner` has to outlive this.
    explicit ScaledStream(weights::WeightSource& inner) : m_inner(inner) {}

    at::Tensor require(const std::string& name, at::IntArrayRef shape) override;
    [[nodiscard]] bool has(const std::string& name) const override { return m_inner.has(name); }
    [[nodiscard]] std::string whereIs(const std::string& name) const override {
        return m_inner.whereIs(name);
    }

  private:
    weights::WeightSource& m_inner;
};

}  // namespace reelgrid::vae::wan21
