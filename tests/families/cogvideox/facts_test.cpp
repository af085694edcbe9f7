#include "core/families/cogvideox/facts.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "core/base/pending_file.h"

namespace reelgrid::families::cogvideox {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

/// Configs as the published checkpoints have them.
class CogVideoXFolder : public testing::Test {
  protected:
    fs::path m_folder = fs::path(testing::TempDir()) / ("cogvideox_families_" + std::to_string(getpid()));
    json m_index = {{"_class_name", "CogVideoXPipeline"}};
    json m_transformer = {{"num_attention_heads", 30}, {"num_layers", 30},    {"patch_size", 2},
                          {"sample_width", 90},        {"sample_height", 60}, {"sample_frames", 49}};
    json m_vae = {{"block_out_channels", {128, 256, 256, 512}},
                  {"temporal_compression_ratio", 4},
                  {"sample_height", 480}};

    void TearDown() override { fs::remove_all(m_folder); }

    Result<ModelInfo> describe() {
        writeFile(m_folder / "model_index.json", m_index.dump()).value();
        writeFile(m_folder / "transformer" / "config.json", m_transformer.dump()).value();
        writeFile(m_folder / "vae" / "config.json", m_vae.dump()).value();
        const auto index = ModelIndex::read(m_folder);
        if (!index) return index.error();
        if (const Pipeline* pipeline = pipelineOf(*index)) return pipeline->describe(*index);
        return Error{ErrorCode::Unsupported, "nobody knows it"};
    }
    void make5b() {
        m_transformer["num_attention_heads"] = 48;
        m_transformer["num_layers"] = 42;
        m_transformer["use_rotary_positional_embeddings"] = true;
    }
    void make15() {
        make5b();
        m_transformer["patch_size_t"] = 2;
        m_transformer["sample_width"] = m_transformer["sample_height"] = 300;
        m_transformer["sample_frames"] = 81;
    }
    void makeImage() { m_index["_class_name"] = "CogVideoXImageToVideoPipeline"; }
};

TEST_F(CogVideoXFolder, Of2bHasTheDefaultsOfItsTool) {
    const auto model = describe();
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->family, "cogvideox");
    EXPECT_THAT(model->taskNames(), testing::ElementsAre("t2v"));
    EXPECT_EQ(model->defaults.width, 720);
    EXPECT_EQ(model->defaults.height, 480);
    EXPECT_EQ(model->defaults.numFrames, 49);
    EXPECT_EQ(model->defaults.numInferenceSteps, 50);
    EXPECT_EQ(model->defaults.guidanceScale, 6);
    EXPECT_EQ(model->defaults.fps, 8);
    EXPECT_EQ(model->defaults.vaeTilePx, 240);
    EXPECT_EQ(model->gpuDtype, "fp16");
    EXPECT_TRUE(model->gpuVaeFollowsDtype);
    EXPECT_EQ(model->gpuGenerator, "cuda");
    EXPECT_EQ(model->clipPrefix, "cogvideox-2b");
    EXPECT_FALSE(model->usualPrompt.empty());
    EXPECT_EQ(model->layers, 30);
    EXPECT_THAT(model->attentionKinds, testing::ElementsAre(protocol::ModuleKind::Joint));
    EXPECT_TRUE(model->takes("use_dynamic_cfg"));
    EXPECT_FALSE(model->takes("flow_shift"));
    EXPECT_FALSE(model->takes("img_file_path"));
    EXPECT_TRUE(model->frames.allows(33));
    EXPECT_FALSE(model->frames.allows(45)) << "an even number of latent frames has no first frame";
}

TEST_F(CogVideoXFolder, TheOtherFourAreToldByTheirConfigs) {
    make5b();
    EXPECT_EQ(describe()->clipPrefix, "cogvideox-5b");
    EXPECT_EQ(describe()->gpuDtype, "bf16");
    makeImage();
    m_transformer["use_learned_positional_embeddings"] = true;
    const auto image = describe();
    ASSERT_TRUE(image) << image.error().message;
    EXPECT_EQ(image->family, "cogvideox-i2v");
    EXPECT_EQ(image->clipPrefix, "cogvideox-5b-i2v");
    EXPECT_EQ(image->task("i2v")->image, Need::Required);
    EXPECT_TRUE(image->isSizeFixed);
    EXPECT_TRUE(image->takes("img_file_path"));

    m_transformer["use_learned_positional_embeddings"] = false;
    make15();
    const auto image15 = describe();
    EXPECT_EQ(image15->clipPrefix, "cogvideox-1.5-5b-i2v");
    EXPECT_FALSE(image15->isSizeFixed);
    EXPECT_EQ(image15->defaults.width, 1360);
    EXPECT_EQ(image15->defaults.height, 768);
    EXPECT_EQ(image15->defaults.numFrames, 81);
    EXPECT_EQ(image15->defaults.fps, 16);
    m_index["_class_name"] = "CogVideoXPipeline";
    EXPECT_EQ(describe()->clipPrefix, "cogvideox-1.5-5b");
    m_transformer["num_attention_heads"] = 6;
    EXPECT_EQ(describe()->clipPrefix, "cogvideox-t2v");
}

TEST_F(CogVideoXFolder, NamesTheConfigKeyThatIsOutOfRange) {
    for (const char* key : {"num_layers", "patch_size", "sample_width", "sample_frames"}) {
        const json usual = std::exchange(m_transformer[key], 0);
        const auto model = describe();
        ASSERT_FALSE(model) << key;
        EXPECT_THAT(model.error().message, HasSubstr(std::string(key) + " 0"));
        m_transformer[key] = usual;
    }
    m_vae["temporal_compression_ratio"] = 65;
    EXPECT_THAT(describe().error().message, HasSubstr("temporal_compression_ratio 65"));
}

}  // namespace
}  // namespace reelgrid::families::cogvideox
