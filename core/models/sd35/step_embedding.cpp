#include "core/models/sd35/step_embedding.h"

#include <cmath>

namespace reelgrid::models::sd35 {
namespace {

constexpr std::int64_t kTimeChannels = 256;

/// Cosines, then sines of a timestep: fp32 [1, 256].
at::Tensor timeWaves(double timestep) {
    constexpr double kLongest = 10000.0;
    constexpr std::int64_t kHalf = kTimeChannels / 2;
    const at::Tensor exponents = at::arange(kHalf, at::kFloat) * -std::log(kLongest) / double(kHalf);
    const at::Tensor angles = exponents.exp() * timestep;
    return at::cat({angles.cos(), angles.sin()}).unsqueeze(0);
}

}  // namespace

TimeTextEmbedding::Net TimeTextEmbedding::Net::load(const weights::WeightScope& scope, std::int64_t in,
                                                    std::int64_t out, TimeProducts products) {
    return {loadTimeLinear(scope / "linear_1", in, out, products),
            loadTimeLinear(scope / "linear_2", out, out, products)};
}

at::Tensor TimeTextEmbedding::Net::forward(const at::Tensor& x) const {
    return linear2(at::silu(linear1(x.to(linear1.weight.options())))).to(at::kFloat);
}

TimeTextEmbedding::TimeTextEmbedding(const Sd35TransformerConfig& config, const weights::WeightScope& scope,
                                     TimeProducts products)
    : m_time(Net::load(scope / "timestep_embedder", kTimeChannels, config.innerDim(), products)),
      m_text(Net::load(scope / "text_embedder", config.pooledProjectionDim, config.innerDim(), products)) {}

at::Tensor TimeTextEmbedding::ofText(const at::Tensor& pooled_PV) const {
    return m_text.forward(pooled_PV);
}

at::Tensor TimeTextEmbedding::ofTime(double timestep) const {
    return m_time.forward(timeWaves(timestep));
}

}  // namespace reelgrid::models::sd35
