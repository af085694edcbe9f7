#include "core/models/sd35/block.h"

#include <algorithm>
#include <vector>

namespace reelgrid::models::sd35 {

using execution::Part;

namespace {

constexpr double kBlockNormEps = 1e-6;

/// Rows of a stream's modulation: of AdaLayerNormZero shift, scale and gate of attention and of the
/// feed-forward net; of SD35AdaLayerNormZeroX then those of the second attention; of AdaLayerNormContinuous
/// scale and shift.
constexpr std::int64_t kZeroRows = 6, kDualRows = 9, kLastRows = 2;

/// layerNorm(x) (1 + scale) + shift.
NormAffine affineOf(const at::Tensor& modulation_RC, std::int64_t scale, std::int64_t shift) {
    return {modulation_RC[scale], modulation_RC[shift], kBlockNormEps};
}

std::int64_t pictureRows(bool isDual) {
    return isDual ? kDualRows : kZeroRows;
}

}  // namespace

Block::FeedForward Block::FeedForward::load(const Sd35TransformerConfig& config,
                                            const weights::WeightScope& scope) {
    const auto c = config.innerDim(), f = config.feedForwardDim();
    return {Linear::load(scope / "net" / "0" / "proj", c, f), Linear::load(scope / "net" / "2", f, c)};
}

Block::Block(const Sd35TransformerConfig& config, const weights::WeightScope& scope, std::int64_t layer)
    : m_dtype(scope.dtype()),
      m_layer(static_cast<int>(layer)),
      m_norm1(Linear::load(scope / "norm1" / "linear", config.innerDim(),
                           pictureRows(config.hasDualAttention(layer)) * config.innerDim())),
      m_norm1Context(Linear::load(scope / "norm1_context" / "linear", config.innerDim(),
                                  (config.isLast(layer) ? kLastRows : kZeroRows) * config.innerDim())),
      m_attn(config, scope / "attn", layer),
      m_picture(FeedForward::load(config, scope / "ff")) {
    if (config.hasDualAttention(layer)) m_attn2.emplace(config, scope / "attn2");
    if (!config.isLast(layer)) m_text = FeedForward::load(config, scope / "ff_context");
}

at::Tensor Block::modulation(const at::Tensor& embedding_PT) const {
    const auto rowsOf = [&](const Linear& linear) {
        return linear(embedding_PT).to(at::kFloat).unflatten(-1, {-1, embedding_PT.size(-1)});
    };
    const at::Tensor picture = rowsOf(m_norm1), text = rowsOf(m_norm1Context);
    // Norms multiply by 1 + scale.
    for (const std::int64_t scale : {1, 4, 7})
        if (scale < picture.size(1)) picture.select(1, scale).add_(1);
    if (isLast())
        text.select(1, 0).add_(1);
    else
        for (const std::int64_t scale : {1, 4}) text.select(1, scale).add_(1);
    return at::cat({picture, text}, 1);
}

void Block::forward(Streams& streams, const at::Tensor& modulation_RC, const TemporalPart& temporal,
                    const attention::LayerContext& context) const {
    const std::int64_t rows = pictureRows(m_attn2.has_value());
    const at::Tensor ofPicture = modulation_RC.narrow(0, 0, rows);
    const at::Tensor ofText = modulation_RC.narrow(0, rows, modulation_RC.size(0) - rows);
    const auto normed = [&](ResidualStream& stream, const NormAffine& affine) {
        const auto running = context.during(Part::Norms);
        return stream.normed({affine}, m_dtype);
    };
    const at::Tensor picture_BNC = normed(streams.picture, affineOf(ofPicture, 1, 0));
    at::Tensor again_BNC;
    if (m_attn2) again_BNC = normed(streams.picture, affineOf(ofPicture, 7, 6));
    const at::Tensor text_BMC =
        normed(streams.text, isLast() ? affineOf(ofText, 0, 1) : affineOf(ofText, 1, 0));

    const JointAttention::Output seen = m_attn.forward(picture_BNC, text_BMC, m_layer, context);
    streams.picture.add(seen.picture_BNC, {ofPicture[2]});
    if (m_attn2) streams.picture.add(m_attn2->forward(again_BNC, m_layer, context), {ofPicture[8]});
    if (temporal.module != nullptr)
        temporal.module->add(streams.picture, m_layer, temporal.strength, context);

    const auto feed = [&](ResidualStream& stream, const FeedForward& net, const at::Tensor& rows_RC) {
        const at::Tensor x = normed(stream, affineOf(rows_RC, 4, 3));
        const auto running = context.during(Part::FeedForward);
        stream.add(feedForward(x, net.up, net.down), {rows_RC[5]});
    };
    feed(streams.picture, m_picture, ofPicture);
    if (isLast()) return;
    streams.text.add(seen.text_BMC, {ofText[2]});
    feed(streams.text, m_text, ofText);
}

std::int64_t Block::bytesPerToken(const Sd35TransformerConfig& config, at::ScalarType dtype) {
    const std::int64_t c = config.innerDim(), f = config.feedForwardDim();
    const std::int64_t stream = static_cast<std::int64_t>(sizeof(float)) * c;
    const auto size = static_cast<std::int64_t>(c10::elementSize(dtype));
    // What comes in, the wide layer, what comes out; beside them what the second attention will read.
    const std::int64_t wide = (c + f + c) * size;
    const std::int64_t dual = config.dualAttentionLayers.empty() ? 0 : c * size;
    return stream + std::max(JointAttention::bytesPerToken(config, dtype) + dual, wide);
}

}  // namespace reelgrid::models::sd35
