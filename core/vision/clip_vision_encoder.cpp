#include "core/vision/clip_vision_encoder.h"

#include "core/base/result.h"
#include "core/execution/linear_product.h"

namespace reelgrid::vision {
namespace {

weights::WeightScope below(const weights::WeightScope& scope) {
    return isBelowVisionModel([&](const char* name) { return scope.has(name); }) ? scope / "vision_model"
                                                                                 : scope;
}

}  // namespace

ClipVisionEncoder::ClipVisionEncoder(const ClipVisionConfig& config, const weights::WeightScope& scope,
                                     ClipOutput output)
    : m_config(config) {
    const weights::WeightScope model = below(scope), embeddings = model / "embeddings";
    const auto c = config.hiddenSize, wide = config.intermediateSize;
    const auto product = [](const weights::WeightScope& at, std::int64_t in, std::int64_t out) {
        return Affine{at("weight", {out, in}), at("bias", {out})};
    };
    const auto norm = [c](const weights::WeightScope& at) {
        return Affine{at("weight", {c}), at("bias", {c})};
    };
    m_classEmbedding_C = embeddings("class_embedding", {c});
    m_patchEmbedding = embeddings("patch_embedding.weight", {c, 3, config.patchSize, config.patchSize});
    m_positionEmbedding_NC = embeddings("position_embedding.weight", {config.positions(), c});
    m_preNorm = norm(model / "pre_layrnorm");
    const std::int64_t layers = config.numHiddenLayers - (output == ClipOutput::LayerBeforeLast ? 1 : 0);
    for (std::int64_t i = 0; i < layers; ++i) {
        const weights::WeightScope layer = model / "encoder" / "layers" / i, self = layer / "self_attn";
        m_layers.push_back(
            {norm(layer / "layer_norm1"), product(self / "q_proj", c, c), product(self / "k_proj", c, c),
             product(self / "v_proj", c, c), product(self / "out_proj", c, c), norm(layer / "layer_norm2"),
             product(layer / "mlp" / "fc1", c, wide), product(layer / "mlp" / "fc2", wide, c)});
    }
    if (output != ClipOutput::Embedding) return;
    m_postNorm = norm(model / "post_layernorm");
    m_projection_PC = scope("visual_projection.weight", {config.projectionDim, c});
}

at::Tensor ClipVisionEncoder::forward(const at::Tensor& pixels_P3YX) const {
    const auto size = m_config.imageSize;
    if (pixels_P3YX.dim() != 4 || pixels_P3YX.size(1) != 3 || pixels_P3YX.size(2) != size ||
        pixels_P3YX.size(3) != size)
        throw Failure(ErrorCode::BadUsage, "pictures for the image encoder are " +
                                               c10::str(pixels_P3YX.sizes()) + ", [pictures, 3, " +
                                               std::to_string(size) + ", " + std::to_string(size) +
                                               "] is needed");
    const auto count = pixels_P3YX.size(0);
    const at::Tensor patches_PNC =
        at::conv2d(pixels_P3YX.to(m_patchEmbedding.options()), m_patchEmbedding, {}, m_config.patchSize)
            .flatten(2)
            .transpose(1, 2);
    const at::Tensor whole_P1C = m_classEmbedding_C.expand({count, 1, -1});
    at::Tensor x_PNC = normed(at::cat({whole_P1C, patches_PNC}, 1) + m_positionEmbedding_NC, m_preNorm);
    for (const Layer& layer : m_layers) {
        x_PNC = x_PNC + attend(normed(x_PNC, layer.norm1), layer);
        const at::Tensor wide = execution::linear(normed(x_PNC, layer.norm2), layer.up.weight, layer.up.bias);
        x_PNC = x_PNC + execution::linear(activated(wide), layer.down.weight, layer.down.bias);
    }
    if (!m_projection_PC.defined()) return x_PNC;
    // The position that stands for the whole picture.
    return execution::linear(normed(x_PNC.select(1, 0), m_postNorm), m_projection_PC);
}

at::Tensor ClipVisionEncoder::normed(const at::Tensor& x, const Affine& norm) const {
    return at::layer_norm(x, {x.size(-1)}, norm.weight, norm.bias, m_config.layerNormEps);
}

at::Tensor ClipVisionEncoder::attend(const at::Tensor& x_PNC, const Layer& layer) const {
    const auto heads = [&](const Affine& map) {
        return execution::linear(x_PNC, map.weight, map.bias)
            .unflatten(-1, {m_config.numAttentionHeads, -1})
            .transpose(1, 2);
    };
    const at::Tensor mixed = at::scaled_dot_product_attention(heads(layer.q), heads(layer.k), heads(layer.v));
    return execution::linear(mixed.transpose(1, 2).flatten(2), layer.out.weight, layer.out.bias);
}

at::Tensor ClipVisionEncoder::activated(const at::Tensor& x) const {
    return m_config.hiddenAct == ClipVisionConfig::Activation::Gelu ? at::gelu(x)
                                                                    : x * at::sigmoid(1.702 * x);
}

std::uint64_t ClipVisionEncoder::weightBytes(const ClipVisionConfig& config) {
    const std::int64_t layer =
        4 * config.hiddenSize * config.hiddenSize + 2 * config.hiddenSize * config.intermediateSize;
    return static_cast<std::uint64_t>((config.numHiddenLayers - 1) * layer) * sizeof(float);
}

}  // namespace reelgrid::vision
