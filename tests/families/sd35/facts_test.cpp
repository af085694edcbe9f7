#include "core/families/sd35/facts.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "core/base/pending_file.h"

namespace reelgrid::families::sd35 {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using protocol::ModuleKind;
using testing::ElementsAre;

/// Configs as the published checkpoints have them.
class Sd35Folder : public testing::Test {
  protected:
    fs::path m_folder = fs::path(testing::TempDir()) / ("sd35_families_" + std::to_string(getpid()));
    json m_index = {{"_class_name", "StableDiffusion3Pipeline"},
                    {"text_encoder_3", {"transformers", "T5EncoderModel"}}};
    json m_transformer = {
        {"num_attention_heads", 24}, {"num_layers", 24},
        {"patch_size", 2},           {"sample_size", 128},
        {"pos_embed_max_size", 384}, {"dual_attention_layers", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}};
    json m_vae = {{"block_out_channels", {128, 256, 512, 512}}};

    void TearDown() override { fs::remove_all(m_folder); }

    Result<ModelInfo> describe(const fs::path& module = {}) {
        writeFile(m_folder / "model_index.json", m_index.dump()).value();
        writeFile(m_folder / "transformer" / "config.json", m_transformer.dump()).value();
        writeFile(m_folder / "vae" / "config.json", m_vae.dump()).value();
        ModelSource source{.base = m_folder};
        if (!module.empty()) source.parts.push_back({"temporal_module", module});
        const auto index = ModelIndex::read(source);
        if (!index) return index.error();
        if (const Pipeline* pipeline = pipelineOf(*index)) return pipeline->describe(*index);
        return Error{ErrorCode::Unsupported, "nobody knows it"};
    }
    fs::path writeModule(const json& config) {
        writeFile(m_folder / "module" / "config.json", config.dump()).value();
        return m_folder / "module";
    }
};

TEST_F(Sd35Folder, OfMediumHasTheDefaultsOfTheReference) {
    const auto model = describe();
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->family, "sd3.5");
    EXPECT_EQ(model->defaults.width, 1024);
    EXPECT_EQ(model->defaults.height, 1024);
    EXPECT_EQ(model->defaults.numFrames, 16);
    EXPECT_EQ(model->defaults.fps, 8);
    EXPECT_EQ(model->defaults.numInferenceSteps, 28);
    EXPECT_EQ(model->defaults.guidanceScale, 3.5);
    EXPECT_EQ(model->defaults.maxSequenceLength, 256);
    EXPECT_EQ(model->defaults.temporalAlpha, 0.35);
    EXPECT_EQ(model->clipPrefix, "sd3.5-medium");
    EXPECT_EQ(model->layers, 24);
    EXPECT_THAT(model->attentionKinds,
                ElementsAre(ModuleKind::Joint, ModuleKind::Self, ModuleKind::Temporal));
    EXPECT_TRUE(model->sizes.allows(512));
    EXPECT_TRUE(model->sizes.allows(6144));
    EXPECT_FALSE(model->sizes.allows(6160)) << "there are positions for 384 tokens";
    EXPECT_FALSE(model->sizes.allows(520));
    for (const int frames : {1, 2, 8, 16, 100}) EXPECT_TRUE(model->frames.allows(frames)) << frames;
    EXPECT_TRUE(model->takes("prompt_3"));
    EXPECT_FALSE(model->takes("img_file_path"));
}

TEST_F(Sd35Folder, OfLargeHasJointAttentionAlone) {
    m_transformer["num_layers"] = m_transformer["num_attention_heads"] = 38;
    m_transformer["pos_embed_max_size"] = 192;
    m_transformer.erase("dual_attention_layers");
    const auto model = describe();
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->clipPrefix, "sd3.5-large");
    EXPECT_EQ(model->layers, 38);
    EXPECT_THAT(model->attentionKinds, ElementsAre(ModuleKind::Joint, ModuleKind::Temporal));
}

TEST_F(Sd35Folder, WithoutT5HasNoThirdPrompt) {
    m_index["text_encoder_3"] = {nullptr, nullptr};
    const auto model = describe();
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_TRUE(model->takes("prompt_2"));
    EXPECT_FALSE(model->takes("prompt_3"));
    EXPECT_FALSE(model->takes("negative_prompt_3"));
}

TEST_F(Sd35Folder, WithATemporalModuleHasItsFramesAndStrength) {
    const auto model = describe(writeModule({{"_class_name", "SD3TemporalModule"}, {"max_seq_length", 12}}));
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->defaults.temporalAlpha, 1);
    EXPECT_EQ(model->defaults.numFrames, 12);
    EXPECT_TRUE(model->frames.allows(12));
    EXPECT_FALSE(model->frames.allows(13));
}

TEST_F(Sd35Folder, RefusesAModuleOfAnotherClassNamingIt) {
    const auto model = describe(writeModule({{"_class_name", "MotionAdapter"}}));
    ASSERT_FALSE(model);
    EXPECT_THAT(model.error().message,
                testing::AllOf(testing::HasSubstr("module"), testing::HasSubstr("MotionAdapter")));
}

TEST_F(Sd35Folder, RefusesConfigsOutOfBoundsNamingKeyAndValue) {
    m_transformer["pos_embed_max_size"] = 100000;
    const auto model = describe();
    ASSERT_FALSE(model);
    EXPECT_THAT(model.error().message, testing::HasSubstr("pos_embed_max_size 100000"));
}

}  // namespace
}  // namespace reelgrid::families::sd35
