#include "core/models/wan/image_embedder.h"

#include "core/base/result.h"

namespace reelgrid::models::wan {

namespace {
constexpr double kEps = 1e-5;
}

ImageEmbedder::LayerNorm::LayerNorm(const weights::WeightScope& scope, std::int64_t channels)
    : weight(scope.fp32("weight", {channels})), bias(scope.fp32("bias", {channels})) {}

/// In fp32 whatever comes in.
at::Tensor ImageEmbedder::LayerNorm::operator()(const at::Tensor& x) const {
    return at::layer_norm(x.to(at::kFloat), {x.size(-1)}, weight, bias, kEps);
}

ImageEmbedder::ImageEmbedder(const WanTransformerConfig& config, const weights::WeightScope& scope)
    : m_dtype(scope.dtype()),
      m_norm1(scope / "norm1", config.imageDim),
      m_norm2(scope / "norm2", config.innerDim()),
      m_up(Linear::load(scope / "ff" / "net" / "0" / "proj", config.imageDim, config.imageDim)),
      m_down(Linear::load(scope / "ff" / "net" / "2", config.imageDim, config.innerDim())) {
    if (config.posEmbedSeqLen > 0)
        m_posEmbed_1IE = scope("pos_embed", {1, config.posEmbedSeqLen, config.imageDim});
}

at::Tensor ImageEmbedder::forward(const at::Tensor& image_PIE) const {
    at::Tensor x_1IE = image_PIE.to(m_up.weight.options()).reshape({1, -1, image_PIE.size(-1)});
    if (m_posEmbed_1IE.defined()) {
        if (x_1IE.size(1) != m_posEmbed_1IE.size(1))
            throw Failure(ErrorCode::BadUsage, "the pictures' embeddings have " +
                                                   std::to_string(x_1IE.size(1)) +
                                                   " positions, the model's pos_embed has " +
                                                   std::to_string(m_posEmbed_1IE.size(1)) +
                                                   ": a first and a last picture were needed");
        x_1IE = x_1IE + m_posEmbed_1IE;
    }
    const at::Tensor hidden = m_down(at::gelu(m_up(m_norm1(x_1IE).to(m_dtype))));
    return m_norm2(hidden).to(m_dtype);
}

}  // namespace reelgrid::models::wan
