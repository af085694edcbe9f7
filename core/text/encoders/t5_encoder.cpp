#include "core/text/encoders/t5_encoder.h"

#include <cmath>
#include <string>

#include "core/base/result.h"
#include "core/execution/linear_product.h"
#include "core/weights/finite_check.h"

namespace reelgrid::text {

using weights::WeightScope;

at::ScalarType t5Dtype(at::ScalarType dtype) {
    return dtype == at::kHalf ? at::kBFloat16 : dtype;
}

std::uint64_t t5WeightBytes(const T5Config& config, at::ScalarType dtype) {
    const std::int64_t attention = 4 * config.innerSize() * config.modelSize;
    const std::int64_t wide = 3 * config.feedForwardSize * config.modelSize;
    return static_cast<std::uint64_t>(config.layers * (attention + wide)) * c10::elementSize(t5Dtype(dtype));
}

T5Encoder::T5Encoder(const T5Config& config, const WeightScope& scope)
    : m_config(config), m_options(at::TensorOptions().dtype(scope.dtype()).device(scope.device())) {
    const std::vector<std::int64_t> table{config.vocabSize, config.modelSize};
    constexpr const char *kShared = "shared.weight", *kEncoders = "encoder.embed_tokens.weight";
    const char* embedding = scope.has(kShared) ? kShared : kEncoders;
    m_embedding = scope.stored(embedding, table);
    m_embeddingPlace = scope.whereIs(embedding);
    if (scope.has(kShared) && scope.has(kEncoders)) m_secondEmbedding = scope.stored(kEncoders, table);
    const WeightScope encoder = scope / "encoder";
    for (std::int64_t i = 0; i < config.layers; ++i)
        m_blocks.push_back(loadBlock(config, encoder / "block" / i / "layer", i));
    m_final_layer_norm = encoder("final_layer_norm.weight", {config.modelSize});
}

T5Encoder::Block T5Encoder::loadBlock(const T5Config& config, const WeightScope& scope, std::int64_t layer) {
    const std::int64_t model = config.modelSize;
    const std::int64_t inner = config.innerSize();
    const std::int64_t wide = config.feedForwardSize;
    const WeightScope attention = scope / 0 / "SelfAttention";
    const WeightScope dense = scope / 1 / "DenseReluDense";
    const bool hasBias = layer == 0 || config.positionBias == PositionBias::EveryLayer;
    return {.q = attention("q.weight", {inner, model}),
            .k = attention("k.weight", {inner, model}),
            .v = attention("v.weight", {inner, model}),
            .o = attention("o.weight", {model, inner}),
            .relative_attention_bias =
                hasBias ? attention("relative_attention_bias.weight", {config.relativeBuckets, config.heads})
                        : at::Tensor(),
            .attention_norm = (scope / 0)("layer_norm.weight", {model}),
            .wi_0 = dense("wi_0.weight", {wide, model}),
            .wi_1 = dense("wi_1.weight", {wide, model}),
            .wo = dense("wo.weight", {model, wide}),
            .feed_forward_norm = (scope / 1)("layer_norm.weight", {model})};
}

at::Tensor T5Encoder::embed(std::span<const std::int64_t> ids) const {
    for (const std::int64_t id : ids)
        if (id < 0 || id >= m_config.vocabSize)
            throw Failure(ErrorCode::InvalidData, "token id " + std::to_string(id) +
                                                      " is outside the text encoder's vocabulary of " +
                                                      std::to_string(m_config.vocabSize));
    const at::Tensor index = at::empty({static_cast<std::int64_t>(ids.size())}, at::kLong);
    std::copy(ids.begin(), ids.end(), index.mutable_data_ptr<std::int64_t>());
    // Rows first: the whole table of an xxl encoder in another dtype would be gigabytes.
    const at::Tensor rows_NC = weights::finiteRows(m_embedding, index, m_embeddingPlace);
    // transformers 5 takes one of two tables that differ, transformers 4 the other.
    if (m_secondEmbedding.defined() && !at::equal(at::index_select(m_secondEmbedding, 0, index), rows_NC))
        throw Failure(
            ErrorCode::InvalidData,
            m_embeddingPlace + " and encoder.embed_tokens.weight differ, one table of embeddings was needed");
    return rows_NC.to(m_options);
}

/// [N, N] bucket numbers of key position minus query position: single steps up to a quarter of the buckets,
/// then logarithmic up to the largest distance; the upper half is for keys behind the query.
at::Tensor T5Encoder::positionBuckets(std::int64_t count) const {
    const std::int64_t half = m_config.relativeBuckets / 2;
    const std::int64_t exact = half / 2;
    const at::Tensor position = at::arange(count, at::kLong);
    const at::Tensor relative = position.unsqueeze(0) - position.unsqueeze(1);
    const at::Tensor distance = relative.abs();
    const double range =
        std::log(static_cast<double>(m_config.relativeMaxDistance) / static_cast<double>(exact));
    // In fp32, on the CPU and in this order, so that the roundings at bucket borders are the reference's.
    const at::Tensor ratio = at::log(distance.to(at::kFloat) / static_cast<double>(exact)) / range;
    const at::Tensor far =
        (exact + (ratio * static_cast<double>(half - exact)).to(at::kLong)).clamp_max(half - 1);
    const at::Tensor buckets = at::where(relative > 0, half, 0) + at::where(distance < exact, distance, far);
    return buckets.to(m_options.device());
}

at::Tensor T5Encoder::norm(const at::Tensor& x_NC, const at::Tensor& weight) const {
    const at::Tensor wide = x_NC.to(at::kFloat);
    const at::Tensor scale = at::rsqrt(wide.pow(2).mean(-1, true) + m_config.normEpsilon);
    return weight * (wide * scale).to(weight.scalar_type());
}

at::Tensor T5Encoder::positionBias(const Block& block, const at::Tensor& buckets_NN) {
    return at::embedding(block.relative_attention_bias, buckets_NN)
        .permute({2, 0, 1})
        .contiguous()
        .unsqueeze(0);
}

at::Tensor T5Encoder::selfAttention(const Block& block, const at::Tensor& x_NC,
                                    const at::Tensor& bias_1HNN) const {
    const std::int64_t count = x_NC.size(0);
    const auto heads_1HND = [&](const at::Tensor& weight) {
        return execution::linear(x_NC, weight)
            .view({1, count, m_config.heads, m_config.headSize})
            .transpose(1, 2);
    };
    constexpr double kNoDropout = 0.0;
    constexpr double kNoScaling = 1.0;
    const at::Tensor mixed_1HND =
        at::scaled_dot_product_attention(heads_1HND(block.q), heads_1HND(block.k), heads_1HND(block.v),
                                         bias_1HNN, kNoDropout, /*is_causal=*/false, kNoScaling);
    return execution::linear(mixed_1HND.transpose(1, 2).reshape({count, m_config.innerSize()}), block.o);
}

at::Tensor T5Encoder::feedForward(const Block& block, const at::Tensor& x_NC) {
    return execution::linear(
        at::gelu(execution::linear(x_NC, block.wi_0), "tanh") * execution::linear(x_NC, block.wi_1),
        block.wo);
}

at::Tensor T5Encoder::forward(std::span<const std::int64_t> ids) const {
    const at::Tensor buckets = positionBuckets(static_cast<std::int64_t>(ids.size()));
    at::Tensor x_NC = embed(ids), bias_1HNN;
    for (const Block& block : m_blocks) {
        if (block.relative_attention_bias.defined()) bias_1HNN = positionBias(block, buckets);
        x_NC = x_NC + selfAttention(block, norm(x_NC, block.attention_norm), bias_1HNN);
        x_NC = x_NC + feedForward(block, norm(x_NC, block.feed_forward_norm));
    }
    return norm(x_NC, m_final_layer_norm);
}

}  // namespace reelgrid::text
