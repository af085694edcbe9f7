#include "core/vision/clip_original.h"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "core/base/result.h"
#include "core/weights/model_config.h"
#include "core/weights/numbered_layers.h"

namespace reelgrid::vision {
namespace {

using Shape = std::vector<std::int64_t>;

struct Renaming {
    std::string_view transformers, original;
};
constexpr std::array kWhole{
    Renaming{"embeddings.patch_embedding.", "visual.patch_embedding."},
    Renaming{"embeddings.class_embedding", "visual.cls_embedding"},
    Renaming{"embeddings.position_embedding.weight", "visual.pos_embedding"},
    Renaming{"pre_layrnorm.", "visual.pre_norm."},
};
/// Below "encoder.layers.N.".
constexpr std::array kInLayer{
    Renaming{"layer_norm1.", "norm1."},
    Renaming{"layer_norm2.", "norm2."},
    Renaming{"self_attn.out_proj.", "attn.proj."},
    Renaming{"mlp.fc1.", "mlp.0."},
    Renaming{"mlp.fc2.", "mlp.2."},
};
/// One matrix for the three, in this order.
constexpr std::array<std::string_view, 3> kJoined{"self_attn.q_proj.", "self_attn.k_proj.",
                                                  "self_attn.v_proj."};
constexpr std::string_view kLayers = "encoder.layers.";
constexpr const char* kOriginalNorm = "visual.pre_norm.weight";

/// Which tensor of the file it is, and which third of its rows; −1: all.
struct Place {
    std::string name;
    int third = -1;
};

Place placeOf(const std::string& name) {
    for (const auto& [transformers, original] : kWhole)
        if (name.starts_with(transformers)) return {std::string(original) + name.substr(transformers.size())};
    const auto dot = name.starts_with(kLayers) ? name.find('.', kLayers.size()) : std::string::npos;
    if (dot == std::string::npos) return {name};
    const std::string layer = "visual.transformer." + name.substr(kLayers.size(), dot + 1 - kLayers.size());
    const std::string_view inLayer = std::string_view(name).substr(dot + 1);
    for (const auto& [transformers, original] : kInLayer)
        if (inLayer.starts_with(transformers))
            return {layer + std::string(original) + std::string(inLayer.substr(transformers.size()))};
    for (std::size_t third = 0; third < kJoined.size(); ++third)
        if (inLayer.starts_with(kJoined[third]))
            return {layer + "attn.to_qkv." + std::string(inLayer.substr(kJoined[third].size())),
                    static_cast<int>(third)};
    return {name};
}

class OriginalClip final : public weights::WeightSource {
  public:
    explicit OriginalClip(std::unique_ptr<WeightSource> encoder) : m_encoder(std::move(encoder)) {}

    at::Tensor require(const std::string& name, at::IntArrayRef shape) override {
        const Place place = placeOf(name);
        Shape stored = shape.vec();
        // Embeddings have dimensions of a batch there.
        if (name.ends_with("class_embedding")) stored = {1, 1, shape.back()};
        if (name.ends_with("position_embedding.weight")) stored.insert(stored.begin(), 1);
        if (place.third < 0) return m_encoder->require(place.name, stored).reshape(shape);
        stored[0] *= 3;
        return m_encoder->require(place.name, stored).narrow(0, place.third * shape[0], shape[0]);
    }
    [[nodiscard]] bool has(const std::string& name) const override {
        return m_encoder->has(placeOf(name).name);
    }
    [[nodiscard]] std::string whereIs(const std::string& name) const override {
        return m_encoder->whereIs(placeOf(name).name);
    }

  private:
    std::unique_ptr<WeightSource> m_encoder;
};

Shape shapeAt(const weights::ShapeOf& shapeOf, const std::string& name, std::size_t dimensions,
              const std::string& where) {
    auto shape = shapeOf(name);
    if (shape && shape->size() == dimensions) return *std::move(shape);
    throw Failure(ErrorCode::InvalidData, where + ": tensor " + name + " is " +
                                              (shape ? "of other dimensions" : "missing") +
                                              ", CLIP's image encoder was needed");
}

}  // namespace

std::unique_ptr<weights::WeightSource> byTransformersNames(std::unique_ptr<weights::WeightSource> encoder) {
    if (!encoder->has(kOriginalNorm)) return encoder;
    return std::make_unique<OriginalClip>(std::move(encoder));
}

ClipVisionConfig clipConfigOf(const weights::WeightSource& encoder, const weights::ShapeOf& shapeOf,
                              const std::string& where) {
    constexpr std::int64_t kHeads = 16;
    const bool original = encoder.has(kOriginalNorm);
    const bool isBelow = isBelowVisionModel([&](const char* name) { return encoder.has(name); });
    const std::string below = isBelow ? "vision_model." : "";
    const auto stored = [&](const std::string& name) { return original ? placeOf(name).name : below + name; };
    const Shape patch = shapeAt(shapeOf, stored("embeddings.patch_embedding.weight"), 4, where);
    const Shape positions =
        shapeAt(shapeOf, stored("embeddings.position_embedding.weight"), original ? 3 : 2, where);
    const Shape wide = shapeAt(shapeOf, stored("encoder.layers.0.mlp.fc1.weight"), 2, where);
    const std::int64_t layers = weights::layersWithAny(
        {"layer_norm1.weight", "layer_norm2.weight", "self_attn.q_proj.weight", "self_attn.out_proj.weight",
         "mlp.fc1.weight", "mlp.fc2.weight"},
        [&](std::int64_t layer, const std::string& name) {
            return shapeOf(stored(std::string(kLayers) + std::to_string(layer) + "." + name)).has_value();
        });
    weights::requireAllLayers(where, {patch[0], layers}, {{1280, 32}});  // ViT-H/14
    const std::int64_t count = positions[positions.size() - 2] - 1;
    const auto edge = static_cast<std::int64_t>(std::llround(std::sqrt(static_cast<double>(count))));
    if (edge < 1 || edge * edge != count)
        throw Failure(ErrorCode::InvalidData, where + ": " + std::to_string(count) +
                                                  " positions of patches, a square number was needed");
    return ClipVisionConfig::from(weights::ModelConfig({{"hidden_size", patch[0]},
                                                        {"intermediate_size", wide[0]},
                                                        {"num_hidden_layers", layers},
                                                        {"num_attention_heads", kHeads},
                                                        {"image_size", edge * patch[2]},
                                                        {"patch_size", patch[2]},
                                                        {"hidden_act", "gelu"}},
                                                       where));
}

}  // namespace reelgrid::vision
