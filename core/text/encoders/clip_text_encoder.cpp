#include "core/text/encoders/clip_text_encoder.h"

#include <algorithm>
#include <string>

#include "core/base/result.h"
#include "core/execution/linear_product.h"
#include "core/weights/finite_check.h"

namespace reelgrid::text {

ClipTextEncoder::ClipTextEncoder(const ClipTextConfig& config, const weights::WeightScope& scope,
                                 Pooled pooled)
    : m_config(config),
      m_options(at::TensorOptions().dtype(scope.dtype()).device(scope.device())),
      m_pooled(pooled) {
    const bool nested = scope.has("text_model.embeddings.token_embedding.weight");
    const weights::WeightScope model = nested ? scope / "text_model" : scope,
                               embeddings = model / "embeddings";
    const auto c = config.hiddenSize, wide = config.intermediateSize;
    const auto product = [](const weights::WeightScope& at, std::int64_t in, std::int64_t out) {
        return Affine{at("weight", {out, in}), at("bias", {out})};
    };
    const auto norm = [c](const weights::WeightScope& at) {
        return Affine{at("weight", {c}), at("bias", {c})};
    };
    m_token_embedding = embeddings.stored("token_embedding.weight", {config.vocabSize, c});
    m_embeddingPlace = embeddings.whereIs("token_embedding.weight");
    m_position_embedding = embeddings("position_embedding.weight", {config.maxPositionEmbeddings, c});
    for (std::int64_t i = 0; i < config.numHiddenLayers; ++i) {
        const weights::WeightScope layer = model / "encoder" / "layers" / i, self = layer / "self_attn";
        m_layers.push_back(
            {norm(layer / "layer_norm1"), product(self / "q_proj", c, c), product(self / "k_proj", c, c),
             product(self / "v_proj", c, c), product(self / "out_proj", c, c), norm(layer / "layer_norm2"),
             product(layer / "mlp" / "fc1", c, wide), product(layer / "mlp" / "fc2", wide, c)});
    }
    m_final_layer_norm = norm(model / "final_layer_norm");
    if (pooled == Pooled::Unread || !scope.has("text_projection.weight")) return;
    m_config.projection = ClipTextConfig::Projection::Learned;
    m_text_projection_PC = scope("text_projection.weight", {config.projectionDim, c});
}

std::uint64_t clipTextWeightBytes(const ClipTextConfig& config, at::ScalarType dtype) {
    const bool isProjected = config.projection == ClipTextConfig::Projection::Learned;
    weights::RecordingWeights counted(
        [isProjected](const std::string& name) { return isProjected && name == "text_projection.weight"; });
    const ClipTextEncoder encoder(config, weights::WeightScope(counted, at::kFloat));
    std::int64_t values = 0;
    for (const auto& [name, shape] : counted.requests())
        if (!name.ends_with("token_embedding.weight")) values += c10::multiply_integers(shape);
    return static_cast<std::uint64_t>(values) * c10::elementSize(dtype);
}

at::Tensor ClipTextEncoder::embed(std::span<const std::int64_t> ids) const {
    const auto count = static_cast<std::int64_t>(ids.size());
    if (count < 1 || count > m_config.maxPositionEmbeddings)
        throw Failure(ErrorCode::InvalidData, std::to_string(count) + " tokens, 1 to " +
                                                  std::to_string(m_config.maxPositionEmbeddings) +
                                                  " were needed");
    for (const std::int64_t id : ids)
        if (id < 0 || id >= m_config.vocabSize)
            throw Failure(ErrorCode::InvalidData, "token id " + std::to_string(id) +
                                                      " is outside the text encoder's vocabulary of " +
                                                      std::to_string(m_config.vocabSize));
    const at::Tensor index = at::empty({count}, at::kLong);
    std::copy(ids.begin(), ids.end(), index.mutable_data_ptr<std::int64_t>());
    return weights::finiteRows(m_token_embedding, index, m_embeddingPlace).to(m_options) +
           m_position_embedding.narrow(0, 0, count);
}

std::int64_t ClipTextEncoder::endOf(std::span<const std::int64_t> ids) const {
    constexpr std::int64_t kLargestId = 2;
    const auto end = m_config.eosTokenId == kLargestId ? std::ranges::max_element(ids)
                                                       : std::ranges::find(ids, m_config.eosTokenId);
    return end == ids.end() ? 0 : end - ids.begin();
}

at::Tensor ClipTextEncoder::normed(const at::Tensor& x_NC, const Affine& norm) const {
    return at::layer_norm(x_NC, {x_NC.size(-1)}, norm.weight, norm.bias, m_config.layerNormEps);
}

at::Tensor ClipTextEncoder::attend(const at::Tensor& x_NC, const Layer& layer) const {
    const auto heads_1HND = [&](const Affine& map) {
        return execution::linear(x_NC, map.weight, map.bias)
            .unflatten(-1, {m_config.numAttentionHeads, -1})
            .transpose(0, 1)
            .unsqueeze(0);
    };
    constexpr double kNoDropout = 0;
    constexpr bool kCausal = true;
    const at::Tensor mixed_1HND = at::scaled_dot_product_attention(
        heads_1HND(layer.q), heads_1HND(layer.k), heads_1HND(layer.v), {}, kNoDropout, kCausal);
    return execution::linear(mixed_1HND.squeeze(0).transpose(0, 1).flatten(1), layer.out.weight,
                             layer.out.bias);
}

at::Tensor ClipTextEncoder::feedForward(const at::Tensor& x_NC, const Layer& layer) const {
    const at::Tensor wide = execution::linear(x_NC, layer.fc1.weight, layer.fc1.bias);
    const at::Tensor active = m_config.hiddenAct == ClipTextConfig::Activation::Gelu
                                  ? at::gelu(wide)
                                  : wide * at::sigmoid(1.702 * wide);
    return execution::linear(active, layer.fc2.weight, layer.fc2.bias);
}

ClipTextEncoder::Output ClipTextEncoder::forward(std::span<const std::int64_t> ids) const {
    Output output;
    at::Tensor x_NC = embed(ids);
    for (const Layer& layer : m_layers) {
        if (&layer != &m_layers.front()) output.layers_NC.push_back(x_NC);
        x_NC = x_NC + attend(normed(x_NC, layer.norm1), layer);
        x_NC = x_NC + feedForward(normed(x_NC, layer.norm2), layer);
    }
    output.last_NC = normed(x_NC, m_final_layer_norm);
    if (m_pooled == Pooled::Unread) return output;
    output.pooled_P = output.last_NC[endOf(ids)];
    if (m_text_projection_PC.defined())
        output.pooled_P = execution::linear(output.pooled_P.unsqueeze(0), m_text_projection_PC)[0];
    return output;
}

at::Tensor ClipTextEncoder::skipping(const Output& output, std::int64_t clipSkip) const {
    if (clipSkip < 0 || clipSkip >= m_config.numHiddenLayers)
        throw Failure(ErrorCode::BadUsage, "clip_skip is " + std::to_string(clipSkip) + ", 0 to " +
                                               std::to_string(m_config.numHiddenLayers - 1) + " is needed");
    if (clipSkip == 0) return output.last_NC;
    return normed(output.layers_NC[output.layers_NC.size() - static_cast<std::size_t>(clipSkip)],
                  m_final_layer_norm);
}

}  // namespace reelgrid::text
