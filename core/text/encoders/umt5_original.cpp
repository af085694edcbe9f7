#include "core/text/encoders/umt5_original.h"

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/result.h"

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

Shape matrixOf(const ShapeOf& shapeOf, const std::string& name, const std::string& where) {
    auto shape = shapeOf(name);
    if (shape && shape->size() == 2 && (*shape)[0] > 0 && (*shape)[1] > 0) return *std::move(shape);
    throw Failure(ErrorCode::InvalidData, where + ": tensor " + name + " is " +
                                              (shape ? "no matrix" : "missing") +
                                              ", Wan's umT5 encoder was needed");
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

Umt5Config originalUmt5Config(const ShapeOf& shapeOf, const std::string& where) {
    const Shape embedding = matrixOf(shapeOf, "token_embedding.weight", where);
    const Shape query = matrixOf(shapeOf, "blocks.0.attn.q.weight", where);
    const Shape bias = matrixOf(shapeOf, "blocks.0.pos_embedding.embedding.weight", where);
    const Shape gate = matrixOf(shapeOf, "blocks.0.ffn.gate.0.weight", where);
    std::int64_t layers = 1;
    while (shapeOf("blocks." + std::to_string(layers) + ".attn.q.weight")) ++layers;
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
