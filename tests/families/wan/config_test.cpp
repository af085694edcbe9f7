#include "core/families/wan/config.h"

#include <gmock/gmock.h>

#include "core/base/json.h"
#include "core/families/wan/kind.h"

namespace reelgrid::families::wan {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

/// The shapes of Wan 2.1 I2V 14B's transformer, as far as they are looked at.
safetensors::TensorEntries imageTensors(const std::string& prefix) {
    safetensors::TensorEntries tensors;
    const auto add = [&](const std::string& name, std::vector<std::int64_t> shape) {
        tensors[prefix + name].shape = std::move(shape);
    };
    add("patch_embedding.weight", {5120, 36, 1, 2, 2});
    add("text_embedding.0.weight", {5120, 4096});
    add("time_embedding.0.weight", {5120, 256});
    add("head.head.weight", {64, 5120});
    add("blocks.0.ffn.0.weight", {13824, 5120});
    add("blocks.0.norm3.weight", {5120});
    add("img_emb.proj.1.weight", {1280, 1280});
    for (int block = 0; block < 40; ++block)
        add("blocks." + std::to_string(block) + ".self_attn.q.weight", {5120, 5120});
    return tensors;
}

TEST(WanConfig, IsInTheShapesOfATransformer) {
    for (const char* prefix : {"", "model.diffusion_model.", "diffusion_model."}) {
        const json config = configOfTensors(imageTensors(prefix), "/nowhere/wan.safetensors").value();
        const json expected = {{"_class_name", "WanTransformer3DModel"},
                               {"patch_size", {1, 2, 2}},
                               {"num_attention_heads", 40},
                               {"attention_head_dim", 128},
                               {"in_channels", 36},
                               {"out_channels", 16},
                               {"text_dim", 4096},
                               {"freq_dim", 256},
                               {"ffn_dim", 13824},
                               {"num_layers", 40},
                               {"cross_attn_norm", true},
                               {"image_dim", 1280},
                               {"added_kv_proj_dim", 5120}};
        EXPECT_EQ(config, expected);
        EXPECT_EQ(wanKindOf(config, WanTransformers::One, "").value(), WanKind::Image21);
    }
}

TEST(WanConfig, RefusesDiffusersNamesBelowAPrefixAndMissingBlocks) {
    const auto complaint = [](const safetensors::TensorEntries& tensors) {
        const auto config = configOfTensors(tensors, "/nowhere/wan.safetensors");
        return config ? "none" : config.error().message;
    };
    safetensors::TensorEntries prefixed;
    const fs::path folder = REELGRID_SOURCE_DIR "/tests/fixtures/wan/head-128";
    const auto stored = safetensors::readHeaderOf(folder / "diffusion_pytorch_model.safetensors").value();
    for (const auto& [name, entry] : stored) prefixed["model.diffusion_model." + name] = entry;
    EXPECT_THAT(complaint(prefixed), HasSubstr("\"model.diffusion_model.condition_embedder"));

    safetensors::TensorEntries tensors = imageTensors("");
    std::erase_if(tensors, [](const auto& tensor) { return tensor.first.starts_with("blocks.7."); });
    EXPECT_THAT(complaint(tensors), HasSubstr("but no block 7"));
    tensors = imageTensors("");
    tensors["blocks.0.self_attn.k.weight"] = tensors["blocks.0.self_attn.q.weight"];
    tensors.erase("blocks.0.self_attn.q.weight");
    EXPECT_EQ(configOfTensors(tensors, "wan")->at("num_layers"), 40) << "what is missing is named on loading";
}

TEST(WanConfig, IsThatOfADiffusersFileToo) {
    const fs::path folder = REELGRID_SOURCE_DIR "/tests/fixtures/wan/head-128";
    const auto tensors = safetensors::readHeaderOf(folder / "diffusion_pytorch_model.safetensors").value();
    const json config = configOfTensors(tensors, "/nowhere/wan.safetensors").value();
    const json own = readJsonObject(folder / "config.json").value();
    for (const auto& [key, value] : config.items()) EXPECT_EQ(own.value(key, json()), value) << key;
}

TEST(WanConfig, TellsWhichModelItIs) {
    const auto kindOf = [](int in, int out, WanTransformers count, json more = json::object()) {
        more["in_channels"] = in;
        more["out_channels"] = out;
        return wanKindOf(more, count, "wan");
    };
    using enum WanTransformers;
    EXPECT_EQ(kindOf(16, 16, One).value(), WanKind::Text21);
    EXPECT_EQ(kindOf(16, 16, Two).value(), WanKind::TextExperts22);
    EXPECT_EQ(kindOf(48, 48, One).value(), WanKind::TokenTimes22);
    EXPECT_EQ(kindOf(36, 16, Two).value(), WanKind::ImageExperts22);
    EXPECT_EQ(kindOf(36, 16, One, {{"image_dim", 1280}, {"pos_embed_seq_len", 514}}).value(),
              WanKind::TwoPictures21);
    EXPECT_THAT(kindOf(36, 16, One).error().message, HasSubstr("high_noise"));
    EXPECT_THAT(kindOf(52, 16, One, {{"image_dim", 1280}}).error().message, HasSubstr("52 channels in"));
}

}  // namespace
}  // namespace reelgrid::families::wan
