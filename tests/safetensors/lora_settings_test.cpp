#include "core/safetensors/lora_settings.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/result.h"
#include "core/safetensors/module_pattern.h"

namespace reelgrid::safetensors {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class LoraSettingsTest : public testing::Test {
  protected:
    fs::path m_folder = fs::path(testing::TempDir()) / ("lora_settings_" + std::to_string(getpid()));
    void SetUp() override { fs::create_directories(m_folder); }
    void TearDown() override { fs::remove_all(m_folder); }

    /// A file with this text as its lora_adapter_metadata; none where it is empty.
    [[nodiscard]] fs::path lora(const std::string& settings, const char* name = "lora.safetensors") const {
        nlohmann::json header = {{"t", {{"dtype", "U8"}, {"shape", {1}}, {"data_offsets", {0, 1}}}}};
        if (!settings.empty()) header["__metadata__"] = {{"lora_adapter_metadata", settings}};
        const std::string text = header.dump();
        const std::uint64_t length = text.size();
        std::ofstream file(m_folder / name, std::ios::binary);
        file.write(reinterpret_cast<const char*>(&length), sizeof length) << text << 'x';
        return m_folder / name;
    }
    [[nodiscard]] double strength(const std::string& settings, const std::string& module, int rank) const {
        const std::array names{module};
        return LoraSettings::of(lora(settings)).value().strengthOf(LoraComponent::Denoiser, names, rank);
    }
    [[nodiscard]] std::string refusal(const std::string& settings, int rank = 4) const {
        try {
            (void)strength(settings, "blocks.0.attn1.to_q", rank);
        } catch (const Failure& failure) {
            return failure.error().message;
        }
        return "taken";
    }
};

TEST_F(LoraSettingsTest, AreReadBelowTheTransformersPrefixOrPlain) {
    EXPECT_DOUBLE_EQ(strength(R"({"r": 4, "lora_alpha": 16})", "to_q", 4), 4.0);
    EXPECT_DOUBLE_EQ(
        strength(R"({"transformer.r": 4, "transformer.lora_alpha": 2, "text_encoder.r": 9})", "to_q", 4),
        0.5);
    EXPECT_DOUBLE_EQ(strength(R"({"r": 4, "lora_alpha": 16, "use_rslora": true})", "to_q", 4), 8.0);
    EXPECT_DOUBLE_EQ(strength("{}", "to_q", 8), 1.0) << "peft's own defaults";
    EXPECT_FALSE(LoraSettings::of(lora("")));
}

TEST_F(LoraSettingsTest, AreEachPartsOwn) {
    const std::array<std::string, 1> names{"to_q"};
    const auto both = LoraSettings::of(lora(R"({"unet.r": 8, "unet.lora_alpha": 16, "text_encoder.r": 4,
                                  "text_encoder.lora_alpha": 2, "text_encoder.use_rslora": true})"));
    EXPECT_DOUBLE_EQ(both.value().strengthOf(LoraComponent::Denoiser, names, 8), 2.0);
    EXPECT_DOUBLE_EQ(both->strengthOf(LoraComponent::TextEncoder, names, 4), 1.0);
    const auto one = LoraSettings::of(lora(R"({"unet.r": 4, "unet.lora_alpha": 16})"));
    EXPECT_DOUBLE_EQ(one.value().strengthOf(LoraComponent::TextEncoder, names, 8), 1.0)
        << "peft's own defaults";
    EXPECT_THAT(refusal(R"({"unet.r": 4, "text_encoder.use_dora": true})"), HasSubstr("use_dora"));
}

TEST_F(LoraSettingsTest, OfAnotherNetworkDoNotCount) {
    const std::array<std::string, 1> names{"blocks.0.to_q"};
    const char* transformer = R"({"transformer.r": 4, "transformer.lora_alpha": 4)";
    const char* unet = R"("unet.r": 4, "unet.lora_alpha": 8})";
    for (const std::string& text :
         {std::string(transformer) + ", " + unet,
          R"({"unet.r": 4, "unet.lora_alpha": 8, )" + std::string(transformer + 1) + "}"}) {
        const LoraSettings both = LoraSettings::of(lora(text)).value();
        EXPECT_DOUBLE_EQ(both.strengthOf(LoraComponent::Transformer, names, 4), 1.0) << text;
        EXPECT_DOUBLE_EQ(both.strengthOf(LoraComponent::Unet, names, 4), 2.0) << text;
        EXPECT_THAT(refusal(text), AllOf(HasSubstr("lora.safetensors: lora_adapter_metadata has settings of"),
                                         HasSubstr("a transformer and of a UNet")));
    }
    const LoraSettings other = LoraSettings::of(lora(R"({"unet.r": 4, "unet.lora_alpha": 16})")).value();
    EXPECT_DOUBLE_EQ(other.strengthOf(LoraComponent::Denoiser, names, 4), 4.0) << "either network";
    EXPECT_DOUBLE_EQ(other.strengthOf(LoraComponent::Transformer, names, 8), 1.0) << "peft's own defaults";
    try {
        (void)other.strengthOf(LoraComponent::Transformer, names, 4);
        FAIL() << "another rank was taken";
    } catch (const Failure& failure) {
        EXPECT_THAT(failure.error().message,
                    HasSubstr("lora_adapter_metadata says nothing of the network of \"blocks.0.to_q\", which "
                              "leaves it peft's own rank 8, its matrices have 4"));
    }
    const LoraSettings plain = LoraSettings::of(lora(R"({"r": 4, "lora_alpha": 8})")).value();
    for (const LoraComponent each : {LoraComponent::Denoiser, LoraComponent::Transformer, LoraComponent::Unet,
                                     LoraComponent::TextEncoder})
        EXPECT_DOUBLE_EQ(plain.strengthOf(each, names, 4), 2.0);
}

TEST_F(LoraSettingsTest, RefusesAKeyThatIsThereTwice) {
    EXPECT_THAT(
        refusal(R"({"transformer.r": 4, "transformer.lora_alpha": 4, "transformer.lora_alpha": 400})"),
        HasSubstr("lora.safetensors: lora_adapter_metadata: \"transformer.lora_alpha\" is there twice"));
    EXPECT_THAT(refusal(R"({"r": 4, "alpha_pattern": {"to_q": 1, "to_q": 2}})"), HasSubstr("twice"));
    std::ofstream(m_folder / "adapter_config.json") << R"({"r": 4, "r": 2, "lora_alpha": 3})";
    EXPECT_THROW((void)LoraSettings::of(lora("", "adapter_model.safetensors")), Failure);
}

TEST_F(LoraSettingsTest, OfPeftLieBesideItsFile) {
    std::ofstream(m_folder / "adapter_config.json") << R"({"r": 2, "lora_alpha": 3, "bias": "none"})";
    const std::array<std::string, 1> names{"to_q"};
    const auto settings = LoraSettings::of(lora("", "adapter_model.safetensors"));
    EXPECT_DOUBLE_EQ(settings.value().strengthOf(LoraComponent::Denoiser, names, 2), 1.5);
    EXPECT_THAT(settings->where(), HasSubstr("adapter_config.json"));
    EXPECT_FALSE(LoraSettings::of(lora(""))) << "another file's";
    const auto own = LoraSettings::of(lora(R"({"r": 2, "lora_alpha": 8})", "adapter_model.safetensors"));
    EXPECT_DOUBLE_EQ(own.value().strengthOf(LoraComponent::Denoiser, names, 2), 4.0)
        << "a file's own come first";
}

TEST_F(LoraSettingsTest, TheFirstPatternThatMatchesCounts) {
    const std::string settings = R"json({"r": 4, "lora_alpha": 4, "alpha_pattern":
        {"z.to_q": 1, "^blocks.1.attn1.to_q": 8, "attn1.to_q": 12, "attn\\d\\.to_(k|v)": 20, "to_q": 99},
        "rank_pattern": {"ffn.net.2": 2}})json";
    EXPECT_DOUBLE_EQ(strength(settings, "blocks.1.attn1.to_q", 4), 2.0);
    EXPECT_DOUBLE_EQ(strength(settings, "blocks.0.attn1.to_q", 4), 3.0);
    EXPECT_DOUBLE_EQ(strength(settings, "blocks.0.attn2.to_v", 4), 5.0);
    EXPECT_DOUBLE_EQ(strength(settings, "blocks.0.attn2.to_out.0", 4), 1.0);
    EXPECT_DOUBLE_EQ(strength(settings, "blocks.0.ffn.net.2", 2), 2.0);
}

TEST_F(LoraSettingsTest, RefusesByNameWhatCannotBeMerged) {
    EXPECT_THAT(
        refusal(R"({"r": 4, "use_dora": true})"),
        AllOf(HasSubstr("lora.safetensors: lora_adapter_metadata"), HasSubstr(R"("use_dora" is true)")));
    EXPECT_THAT(refusal(R"({"r": 4, "bias": "all"})"), HasSubstr(R"("bias" is "all")"));
    EXPECT_THAT(refusal(R"({"r": 4, "peft_type": "LOHA"})"), HasSubstr(R"("peft_type" is "LOHA")"));
    EXPECT_THAT(refusal(R"({"r": 4, "init_lora_weights": "pissa_niter_4"})"), HasSubstr("pissa_niter_4"));
    EXPECT_THAT(refusal(R"({"r": 4, "strength_of_next_year": 3})"), HasSubstr("strength_of_next_year"));
    EXPECT_THAT(refusal(R"({"r": 4, "modules_to_save": ["proj_out"]})"), HasSubstr("modules_to_save"));
    EXPECT_EQ(refusal(R"({"r": 4, "use_dora": false, "init_lora_weights": "gaussian", "lora_dropout": 0.1,
                          "target_modules": ["to_q"], "kasa_config": null, "modules_to_save": []})"),
              "taken");
}

TEST_F(LoraSettingsTest, RefusesWhatIsNoNumberOrAnotherRank) {
    EXPECT_THAT(refusal(R"({"r": 0})"), HasSubstr(R"("r" is 0)"));
    EXPECT_THAT(refusal(R"({"r": 4, "lora_alpha": "16"})"), HasSubstr("a number was needed"));
    EXPECT_THAT(refusal(R"({"r": 4, "lora_alpha": 1e999})"), HasSubstr("lora_adapter_metadata"));
    EXPECT_THAT(refusal(R"({"r": 4, "use_rslora": 1})"), HasSubstr("true or false"));
    EXPECT_THAT(refusal(R"({"r": 4, "alpha_pattern": [1]})"), HasSubstr("alpha_pattern"));
    EXPECT_THAT(refusal(R"({"r": 4, "alpha_pattern": {"(": 1}})"), HasSubstr("pattern"));
    EXPECT_THAT(refusal("[4]"), HasSubstr("an object was needed"));
    EXPECT_THAT(refusal("{"), HasSubstr("not JSON"));
    EXPECT_THAT(refusal(R"({"r": 4})", 6), AllOf(HasSubstr("the rank 4"), HasSubstr("have 6")));
}

TEST(ModulePattern, MatchesAsPeftDoes) {
    const auto matches = [](const std::string& pattern, const std::string& module) {
        return ModulePattern(pattern, "test").matches(module);
    };
    EXPECT_TRUE(matches("to_q", "blocks.0.to_q"));
    EXPECT_TRUE(matches("to_q", "to_q"));
    EXPECT_FALSE(matches("to_q", "blocks.0.into_q"));
    EXPECT_FALSE(matches("blocks.0", "blocks.0.to_q"));
    EXPECT_TRUE(matches("attn1.to_q", "attn1_to_q")) << "a dot is any letter";
    EXPECT_FALSE(matches("^attn1.to_q", "blocks.0.attn1.to_q"));
    EXPECT_TRUE(matches("^attn1.to_q", "attn1.to_q"));
    EXPECT_TRUE(matches("blocks.*to_k", "blocks.7.attn2.to_k"));
    EXPECT_TRUE(matches("(to_k|to_v)", "blocks.7.attn2.to_v"));
    EXPECT_FALSE(matches("to_k|to_v", "blocks.7.attn2.to_vx"));
    // In time that doesn't explode.
    EXPECT_FALSE(matches("(([a-z0-9_.])+)+!", "transformer_blocks.29.attn1.to_out.transformer_blocks.0"));
}

}  // namespace
}  // namespace reelgrid::safetensors
