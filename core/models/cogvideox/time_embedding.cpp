#include "core/models/cogvideox/time_embedding.h"

#include <cmath>

namespace reelgrid::models::cogvideox {
namespace {

/// What the reference's pipeline tells every time.
constexpr double kOffset = 2.0;

/// Cosines, then sines, of `channels` values: [1, channels].
at::Tensor waves(double value, std::int64_t channels, at::Device device) {
    constexpr double kLongest = 10000.0;
    const std::int64_t half = channels / 2;
    const at::Tensor exponents =
        at::arange(half, at::kFloat) * (-std::log(kLongest)) / static_cast<double>(half);
    const at::Tensor angles = exponents.exp() * value;
    return at::cat({angles.cos(), angles.sin()}).unsqueeze(0).to(device);
}

}  // namespace

TimeEmbedding::Net TimeEmbedding::Net::load(const weights::WeightScope& scope, std::int64_t channels,
                                            std::int64_t out, TimeProducts products) {
    return {channels, loadTimeLinear(scope / "linear_1", channels, out, products),
            loadTimeLinear(scope / "linear_2", out, out, products)};
}

at::Tensor TimeEmbedding::Net::forward(double value) const {
    const at::Tensor waves_1F = waves(value, channels, linear1.weight.device());
    return linear2(at::silu(linear1(waves_1F.to(linear1.weight.scalar_type())))).to(at::kFloat);
}

TimeEmbedding::TimeEmbedding(const CogVideoXTransformerConfig& config, const weights::WeightScope& scope,
                             TimeProducts products)
    : m_time(Net::load(scope / "time_embedding", config.innerDim(), config.timeEmbedDim, products)) {
    if (config.ofsEmbedDim > 0)
        m_ofs = Net::load(scope / "ofs_embedding", config.ofsEmbedDim, config.ofsEmbedDim, products);
}

at::Tensor TimeEmbedding::forward(double timestep) const {
    const at::Tensor ofTime = m_time.forward(timestep);
    return m_ofs ? ofTime + m_ofs->forward(kOffset) : ofTime;
}

}  // namespace reelgrid::models::cogvideox
