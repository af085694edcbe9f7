#include "core/text/encoders/umt5_original.h"

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/result.h"
#include "core/weights/numbered_layers.h"

namespace reelgrid::text {
namespace {

struct Renaming {
    std::string_view transformers, original;
};

/// Below "encoder.block.N.layer.".
constexpr std::array kInBlock{
    Renaming{"0.layer_norm.", "norm1."},
    Renaming{"0.SelfAttention.relative_attention_bias.", "pos_embedding.embedding."},
    Renaming{"0.SelfAttention.", "attn."},
    Renaming{"1.layer_norm.", "norm2."},
    Renaming{"1.DenseReluDense.wi_0.", "ffn.gate.0."},
    Renaming{"1.DenseReluDense.wi_1.", "ffn.fc1."},
    Renaming{"1.DenseReluDense.wo.", "ffn.fc2."},
};

constexpr std::string_view kBlock = "encoder.block.", kLayer = "layer.";

using Shape = std::vector<std::int64_t>;

Shape matrixOf(const weights::ShapeOf& shapeOf, const std::string& name, const std::string& where) {
    auto shape = shapeOf(name);
    if (shape && shape->size() == 2 && (*shape)[0] > 0 && (*shape)[1] > 0) return *std::move(shape);
    throw Failure(ErrorCode::InvalidData, where + ": tensor " + name + " is " +
                                              (shape ? "no matrix" : "missing") +
                                              ", a umT5 encoder was needed");
}

}  // namespace

std::string originalUmt5Name(const std::string& name) {
    if (name == "shared.weight" || name == "encoder.embed_tokens.weight") return "token_embedding.weight";
    if (name == "encoder.final_layer_norm.weight") return "norm.weight";
    if (!name.starts_with(kBlock)) return name;
    const auto dot = name.find('.', kBlock.size());
    const std::string_view rest = std::string_view(name).substr(dot == name.npos ? name.size() : dot + 1);
    if (!rest.starts_with(kLayer)) return name;
    const std::string_view inBlock = rest.substr(kLayer.size());
    const std::string block = "blocks." + name.substr(kBlock.size(), dot + 1 - kBlock.size());
    for (const auto& [transformers, original] : kInBlock)
        if (inBlock.starts_with(transformers))
            return block + std::string(original) + std::string(inBlock.substr(transformers.size()));
    return name;
}

Umt5Names umt5NamesOf(const weights::WeightSource& encoder) {
    const bool isOriginal = encoder.has("token_embedding.weight") || encoder.has("blocks.0.attn.q.weight");
    return isOriginal ? Umt5Names::Original : Umt5Names::Transformers;
}

Umt5Config umt5ConfigOf(const weights::ShapeOf& shapeOf, Umt5Names names, const std::string& where) {
    const auto stored = [&](const std::string& name) {
        return names == Umt5Names::Original ? originalUmt5Name(name) : name;
    };
    const auto inBlock = [&](std::int64_t block, const std::string& name) {
        return stored("encoder.block." + std::to_string(block) + ".layer." + name);
    };
    constexpr const char* kQuery = "0.SelfAttention.q.weight";
    const Shape embedding = matrixOf(shapeOf, stored("shared.weight"), where);
    const Shape query = matrixOf(shapeOf, inBlock(0, kQuery), where);
    const Shape bias = matrixOf(shapeOf, inBlock(0, "0.SelfAttention.relative_attention_bias.weight"), where);
    const Shape gate = matrixOf(shapeOf, inBlock(0, "1.DenseReluDense.wi_0.weight"), where);
    const std::int64_t layers = weights::layersWithAny(
        {kQuery, "0.SelfAttention.k.weight", "0.SelfAttention.v.weight", "0.SelfAttention.o.weight",
         "0.layer_norm.weight", "1.layer_norm.weight", "1.DenseReluDense.wi_0.weight",
         "1.DenseReluDense.wi_1.weight", "1.DenseReluDense.wo.weight"},
        [&](std::int64_t block, const std::string& name) {
            return shapeOf(inBlock(block, name)).has_value();
        });
    weights::requireAllLayers(where, {embedding[1], layers}, {{4096, 24}});  // umT5-XXL
    if (query[0] % bias[1] != 0)
        throw Failure(ErrorCode::InvalidData, where + ": " + std::to_string(query[0]) +
                                                  " channels of q and " + std::to_string(bias[1]) +
                                                  " heads, a multiple of the heads was needed");
    return Umt5Config::read(weights::ModelConfig({{"vocab_size", embedding[0]},
                                                  {"d_model", embedding[1]},
                                                  {"d_kv", query[0] / bias[1]},
                                                  {"d_ff", gate[0]},
                                                  {"num_layers", layers},
                                                  {"num_heads", bias[1]},
                                                  {"relative_attention_num_buckets", bias[0]}},
                                                 where));
}

}  // namespace reelgrid::text
