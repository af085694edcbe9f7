#include "core/vision/clip_original.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/pending_file.h"
#include "core/base/result.h"
#include "core/vision/clip_vision_encoder.h"
#include "core/weights/model_config.h"
#include "core/weights/safetensors_folder.h"
#include "tests/models/wan/variant_model.h"

namespace reelgrid::vision {
namespace {

using Tensors = std::map<std::string, at::Tensor>;

/// A checkpoint in memory.
class KeptWeights final : public weights::WeightSource {
  public:
    explicit KeptWeights(Tensors tensors) : m_tensors(std::move(tensors)) {}
    at::Tensor require(const std::string& name, at::IntArrayRef shape) override {
        const at::Tensor tensor = m_tensors.at(name);
        EXPECT_EQ(tensor.sizes(), shape) << name;
        return tensor;
    }
    [[nodiscard]] bool has(const std::string& name) const override { return m_tensors.contains(name); }

  private:
    Tensors m_tensors;
};

/// The tiny image encoder by the names of Wan's authors, as recorded with the proof of them
/// (make_wan_original_names.py): queries, keys and values joined, embeddings with a batch.
Tensors originalOf(weights::SafetensorsFolder& stored) {
    const std::map<std::string, std::string> names = nlohmann::json::parse(
        readFile(REELGRID_SOURCE_DIR "/tests/fixtures/wan/original_names.json").value())["clip"];
    const std::string below = stored.has("vision_model.pre_layrnorm.weight") ? "vision_model." : "";
    const auto read = [&](const std::string& name) {
        return stored.require(below + name, stored.shapeOf(below + name).value());
    };
    Tensors tensors;
    for (const auto& [original, transformers] : names) {
        const auto joined = transformers.find("qkv_proj");
        if (joined != std::string::npos) {
            std::vector<at::Tensor> parts;
            for (const char* part : {"q_proj", "k_proj", "v_proj"})
                parts.push_back(read(std::string(transformers).replace(joined, 8, part)));
            tensors[original] = at::cat(parts);
        } else {
            tensors[original] = read(transformers);
        }
    }
    tensors["visual.cls_embedding"] = tensors["visual.cls_embedding"].view({1, 1, -1});
    tensors["visual.pos_embedding"] = tensors["visual.pos_embedding"].unsqueeze(0);
    return tensors;
}

TEST(OriginalClip, ComputesWhatTransformersComputes) {
    const auto folder = models::wan::kVariants / "i2v" / "image_encoder";
    weights::SafetensorsFolder stored(folder);
    const auto config = ClipVisionConfig::from(weights::ModelConfig::read(folder));
    const auto original = byTransformersNames(std::make_unique<KeptWeights>(originalOf(stored)));
    at::manual_seed(5);
    const at::Tensor pixels = at::randn({1, 3, config.imageSize, config.imageSize});
    const auto encode = [&](weights::WeightSource& source) {
        return ClipVisionEncoder(config, weights::WeightScope(source, at::kFloat)).forward(pixels);
    };
    EXPECT_TRUE(at::equal(encode(*original), encode(stored)));
}

TEST(OriginalClip, HasItsConfigurationInItsShapes) {
    const std::int64_t c = 32;
    for (const bool original : {true, false}) {
        Tensors tensors;
        const auto add = [&](const char* theirs, const char* transformers, at::IntArrayRef shape) {
            tensors[original ? theirs : "vision_model." + std::string(transformers)] = at::zeros(shape);
        };
        add("visual.patch_embedding.weight", "embeddings.patch_embedding.weight", {c, 3, 14, 14});
        add("visual.pre_norm.weight", "pre_layrnorm.weight", {c});
        add("visual.transformer.0.mlp.0.weight", "encoder.layers.0.mlp.fc1.weight", {4 * c, c});
        for (const char* layer : {"0", "1", "2"})
            add(("visual.transformer." + std::string(layer) + ".norm1.weight").c_str(),
                ("encoder.layers." + std::string(layer) + ".layer_norm1.weight").c_str(), {c});
        tensors[original ? "visual.pos_embedding" : "vision_model.embeddings.position_embedding.weight"] =
            original ? at::zeros({1, 257, c}) : at::zeros({257, c});
        const auto shapeOf = [&](const std::string& name) -> std::optional<std::vector<std::int64_t>> {
            const auto found = tensors.find(name);
            if (found == tensors.end()) return std::nullopt;
            return found->second.sizes().vec();
        };
        const auto config = clipConfigOf(KeptWeights(tensors), shapeOf, "clip.pth");
        EXPECT_EQ(config.hiddenSize, c);
        EXPECT_EQ(config.intermediateSize, 4 * c);
        EXPECT_EQ(config.numHiddenLayers, 3);
        EXPECT_EQ(config.numAttentionHeads, 16);
        EXPECT_EQ(config.imageSize, 224);
        EXPECT_EQ(config.patchSize, 14);
        EXPECT_EQ(config.hiddenAct, ClipVisionConfig::Activation::Gelu);
        // A layer that lacks a tensor is one, so that loading names what is missing.
        tensors.erase(std::find_if(tensors.begin(), tensors.end(), [](const auto& one) {
            return one.first.find("norm1.weight") != std::string::npos &&
                   one.first.find(".1.") != std::string::npos;
        }));
        EXPECT_EQ(clipConfigOf(KeptWeights(tensors), shapeOf, "clip.pth").numHiddenLayers, 3);
    }
}

/// Another picture would be made of what the last layer but one gives, which is another one then.
TEST(ClipVisionConfigs, OfAPublishedWidthWithFewerLayersAreRefused) {
    const auto shapeOf = [](int layers) {
        return [layers](const std::string& name) -> std::optional<std::vector<std::int64_t>> {
            constexpr std::int64_t c = 1280;
            if (name.ends_with("patch_embedding.weight")) return {{c, 3, 14, 14}};
            if (name.ends_with("position_embedding.weight")) return {{257, c}};
            if (name.ends_with("fc1.weight") || name.ends_with("norm1.weight")) {
                const std::string number = name.substr(name.find("layers.") + 7);
                if (std::stoi(number) < layers) return {{4 * c, c}};
            }
            return std::nullopt;
        };
    };
    const KeptWeights encoder({{"vision_model.pre_layrnorm.weight", at::zeros({1280})}});
    EXPECT_EQ(clipConfigOf(encoder, shapeOf(32), "clip.safetensors").numHiddenLayers, 32);
    try {
        (void)clipConfigOf(encoder, shapeOf(31), "clip.safetensors");
        FAIL() << "31 layers were taken";
    } catch (const Failure& failure) {
        EXPECT_STREQ(failure.error().message.c_str(),
                     "clip.safetensors: it has 31 layers of 1280 channels, 32 were needed");
    }
}

/// It would be read as one of the usual sizes: what it says of its image encoder lies deeper.
TEST(ClipVisionConfigs, OfAWholeClipAreRefused) {
    const auto refusal = [](const nlohmann::json& config) -> std::string {
        try {
            (void)ClipVisionConfig::from(weights::ModelConfig(config, "config.json"));
        } catch (const Failure& failure) {
            return failure.error().message;
        }
        return "none";
    };
    EXPECT_EQ(refusal({{"model_type", "clip"}, {"vision_config", {{"hidden_act", "gelu"}}}}),
              "config.json: model_type is \"clip\", this version needs \"clip_vision_model\"");
    EXPECT_EQ(refusal({{"model_type", "clip_vision_model"}}), "none");
    EXPECT_EQ(refusal({{"hidden_act", "gelu"}}), "none");
}

}  // namespace
}  // namespace reelgrid::vision
