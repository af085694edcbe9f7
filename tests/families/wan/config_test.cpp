#include "core/families/wan/config.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "core/base/json.h"
#include "core/base/pending_file.h"
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

TEST(WanConfig, NamesFewerBlocksThanThePublishedModelsHave) {
    safetensors::TensorEntries tensors = imageTensors("");
    EXPECT_FALSE(configOfTensors(tensors, "wan")->contains(kFewBlocksKey));
    std::erase_if(tensors, [](const auto& tensor) { return tensor.first.starts_with("blocks.39."); });
    EXPECT_EQ(configOfTensors(tensors, "wan")->value(kFewBlocksKey, ""),
              "wan: it has 39 blocks; the published models of 5120 channels have 40");
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
    tensors["blocks.1.norm3.weight"] = tensors["blocks.0.norm3.weight"];
    tensors.erase("blocks.0.norm3.weight");
    EXPECT_EQ(configOfTensors(tensors, "wan")->at("cross_attn_norm"), true) << "one block has lost its own";
}

TEST(WanConfig, IsThatOfADiffusersFileToo) {
    const fs::path folder = REELGRID_SOURCE_DIR "/tests/fixtures/wan/head-128";
    const auto tensors = safetensors::readHeaderOf(folder / "diffusion_pytorch_model.safetensors").value();
    const json config = configOfTensors(tensors, "/nowhere/wan.safetensors").value();
    const json own = readJsonObject(folder / "config.json").value();
    for (const auto& [key, value] : config.items()) EXPECT_EQ(own.value(key, json()), value) << key;
}

/// A folder of its own with a config.json beside where a transformer would be.
class WanConfigBeside : public testing::Test {
  protected:
    fs::path m_folder = fs::path(testing::TempDir()) / ("wan_config_" + std::to_string(getpid()));
    void SetUp() override { fs::create_directories(m_folder); }
    void TearDown() override { fs::remove_all(m_folder); }

    [[nodiscard]] json with(const json& beside) const {
        writeFile(m_folder / "config.json", beside.dump()).value();
        return configOfTensors(imageTensors(""), m_folder / "wan.safetensors").value();
    }
    [[nodiscard]] std::string passedOver(const json& beside) const {
        const json config = with(beside);
        EXPECT_EQ(config["attention_head_dim"], 128) << "nothing of it counts";
        EXPECT_FALSE(config.contains("eps"));
        EXPECT_FALSE(config.contains("model_type"));
        return config.value(kPassedOverKey, "used");
    }
};

TEST_F(WanConfigBeside, SaysWhatNoShapeTells) {
    const json diffusers = {{"_class_name", "WanTransformer3DModel"},
                            {"num_attention_heads", 80},
                            {"attention_head_dim", 64},
                            {"in_channels", 36},
                            {"out_channels", 16},
                            {"ffn_dim", 13824},
                            {"freq_dim", 256},
                            {"text_dim", 4096},
                            {"num_layers", 40},
                            {"patch_size", {1, 2, 2}},
                            {"cross_attn_norm", true},
                            {"image_dim", 1280},
                            {"eps", 0.01}};
    const json original = {{"_class_name", "WanModel"},
                           {"dim", 5120},
                           {"num_heads", 80},
                           {"in_dim", 36},
                           {"out_dim", 16},
                           {"ffn_dim", 13824},
                           {"freq_dim", 256},
                           {"num_layers", 40},
                           {"model_type", "i2v"},
                           {"eps", 0.01},
                           {"text_len", 512}};
    for (const json& beside : {diffusers, original}) {
        const json config = with(beside);
        EXPECT_EQ(config["eps"], 0.01);
        EXPECT_EQ(config["attention_head_dim"], 64);
        EXPECT_EQ(config["num_attention_heads"], 80);
        EXPECT_FALSE(config.contains(kPassedOverKey)) << config[kPassedOverKey];
    }
    EXPECT_EQ(with(original)["model_type"], "i2v");
    const json other = with({{"_class_name", "UNet2DConditionModel"}, {"num_layers", 3}, {"eps", 0.01}});
    EXPECT_FALSE(other.contains(kPassedOverKey)) << "of no Wan transformer";
    EXPECT_FALSE(other.contains("eps"));
}

TEST(WanModelsConfig, IsRefusedWhereWanModelWouldComputeAnotherModel) {
    const json published = {{"num_heads", 2},          {"dim", 8},        {"text_len", 512},
                            {"window_size", {-1, -1}}, {"qk_norm", true}, {"cross_attn_norm", true}};
    EXPECT_TRUE(configOfWanModel(published, "config.json"));
    for (const auto& [key, value] : std::map<std::string, json>{
             {"text_len", 226}, {"window_size", {4, 4}}, {"qk_norm", false}, {"cross_attn_norm", false}}) {
        json other = published;
        other[key] = value;
        const auto config = configOfWanModel(other, "config.json");
        ASSERT_FALSE(config) << key;
        EXPECT_THAT(config.error().message,
                    testing::HasSubstr("config.json: " + key + " is " + value.dump()));
    }
}

TEST_F(WanConfigBeside, OfAnotherModelIsNotUsedAndSaid) {
    const auto ofDiffusers = [&](const char* key, const json& value) {
        json beside = {{"_class_name", "WanTransformer3DModel"}, {"eps", 0.01}};
        beside[key] = value;
        return passedOver(beside);
    };
    EXPECT_EQ(ofDiffusers("num_layers", 30),
              (m_folder / "config.json").string() +
                  " had no effect, it is of another model than wan.safetensors: it says num_layers 30, the "
                  "tensors have 40");
    EXPECT_THAT(ofDiffusers("in_channels", 16), HasSubstr("it says in_channels 16, the tensors have 36"));
    EXPECT_THAT(ofDiffusers("ffn_dim", 8960), HasSubstr("it says ffn_dim 8960, the tensors have 13824"));
    EXPECT_THAT(ofDiffusers("num_attention_heads", 12),
                HasSubstr("it says num_attention_heads 12 of 128 channels, the tensors have 5120 channels"));
    EXPECT_THAT(ofDiffusers("attention_head_dim", 96), HasSubstr("it says attention_head_dim 96"));
    EXPECT_THAT(ofDiffusers("eps", "small"), HasSubstr("it says eps \"small\", a number above 0"));
    EXPECT_THAT(passedOver({{"_class_name", "WanModel"},
                            {"dim", 5120},
                            {"num_heads", 80},
                            {"in_dim", 16},
                            {"model_type", "ti2v"},
                            {"eps", 0.01}}),
                HasSubstr("it says in_dim 16, the tensors have 36"));
    EXPECT_THAT(passedOver({{"_class_name", "WanModel"}, {"dim", 7}, {"num_heads", 2}}),
                HasSubstr("dim is 7, a multiple of num_heads was needed"));
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
