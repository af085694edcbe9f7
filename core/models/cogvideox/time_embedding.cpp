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
                                            std::int64_t out) {
    return {channels, Linear::loadFp32(scope / "linear_1", channels, out),
            Linear::loadFp32(scope / "linear_2", out, out)};
}

at::Tensor TimeEmbedding::Net::forward(double value) const {
    return linear2(at::silu(linear1(waves(value, channels, linear1.weight.device()))));
}

TimeEmbedding::TimeEmbedding(const CogVideoXTransformerConfig& config, const weights::WeightScope& scope)
    : m_time(Net::load(scope / "time_embedding", config.innerDim(), config.timeEmbedDim)) {
    if (config.ofsEmbedDim > 0)
        m_ofs = Net::load(scope / "ofs_embedding", config.ofsEmbedDim, config.ofsEmbedDim);
}

at::Tensor TimeEmbedding::forward(double timestep) const {
    const at::Tensor ofTime = m_time.forward(timestep);
    return m_ofs ? ofTime + m_ofs->forward(kOffset) : ofTime;
}

}  // namespace reelgrid::models::cogvideox
