#include "core/models/wan/condition_embedder.h"

#include <cmath>

#include "core/base/result.h"

namespace reelgrid::models::wan {

std::vector<at::Tensor*> StepEmbedding::tensors() {
    std::vector<at::Tensor*> tensors;
    for (Run& run : runs) {
        tensors.push_back(&run.temb_1C);
        tensors.push_back(&run.modulation_16C);
    }
    return tensors;
}

ConditionEmbedder::ConditionEmbedder(const WanTransformerConfig& config, const weights::WeightScope& scope,
                                     TimeProducts timeProducts)
    : m_freqDim(config.freqDim),
      m_frequencies_1F(config.isDistilled ? at::Tensor()
                                          : sinusoidalFrequencies(config.freqDim, scope.device())),
      m_device(scope.device()),
      m_timeDtype(config.isDistilled ? at::kFloat : scope.dtype()),
      m_timeLinear1(loadTimeLinear(scope / "time_embedder" / "linear_1", config.freqDim, config.innerDim(),
                                   timeProducts)),
      m_timeLinear2(loadTimeLinear(scope / "time_embedder" / "linear_2", config.innerDim(), config.innerDim(),
                                   timeProducts)),
      m_timeProj(config.isDistilled
                     ? Linear::loadFp32(scope / "time_proj", config.innerDim(), 6 * config.innerDim())
                     : Linear::load(scope / "time_proj", config.innerDim(), 6 * config.innerDim())),
      m_textLinear1(Linear::load(scope / "text_embedder" / "linear_1", config.textDim, config.innerDim())),
      m_textLinear2(
          Linear::load(scope / "text_embedder" / "linear_2", config.innerDim(), config.innerDim())) {
    if (config.imageDim > 0) m_image.emplace(config, scope / "image_embedder");
}

StepEmbedding::Run ConditionEmbedder::embedTimestep(double timestep) const {
    const at::Tensor frequencies = sinusoids(timestep).to(m_timeLinear1.weight.scalar_type());
    const at::Tensor temb = m_timeLinear2(at::silu(m_timeLinear1(frequencies))).to(m_timeDtype);
    const at::Tensor modulation = m_timeProj(at::silu(temb));
    return {temb.to(at::kFloat), modulation.to(at::kFloat).view({1, 6, -1}), 0};
}

at::Tensor ConditionEmbedder::sinusoids(double timestep) const {
    return m_frequencies_1F.defined() ? sinusoidalEmbedding(timestep, m_frequencies_1F)
                                      : preciseSinusoidalEmbedding(timestep, m_freqDim).to(m_device);
}

at::Tensor ConditionEmbedder::embedText(const at::Tensor& text_BMT) const {
    return m_textLinear2(at::gelu(m_textLinear1(text_BMT.to(m_textLinear1.weight.options())), "tanh"));
}

at::Tensor ConditionEmbedder::embedImage(const at::Tensor& image) const {
    if (!image.defined()) return {};
    if (!m_image) throw Failure(ErrorCode::Internal, "the transformer takes no picture's embedding");
    return m_image->forward(image);
}

at::Tensor sinusoidalFrequencies(std::int64_t dim, at::Device device) {
    const auto half = dim / 2;
    const at::Tensor exponents = -std::log(10000.0) * at::arange(half, at::kFloat) / half;
    return at::exp(exponents).unsqueeze(0).to(device);
}

at::Tensor sinusoidalEmbedding(double timestep, const at::Tensor& frequencies_1F) {
    const at::Tensor angles = frequencies_1F * timestep;
    return at::cat({angles.cos(), angles.sin()}, -1);
}

at::Tensor preciseSinusoidalEmbedding(double timestep, std::int64_t dim) {
    const auto half = dim / 2;
    const at::Tensor angles_1F =
        at::pow(10000.0, -at::arange(half, at::kDouble) / half).unsqueeze(0) * timestep;
    return at::cat({angles_1F.cos(), angles_1F.sin()}, -1).to(at::kFloat);
}

}  // namespace reelgrid::models::wan
