#include "core/families/animatediff/facts.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "core/base/pending_file.h"

namespace reelgrid::families::animatediff {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

/// A file of safetensors with a motion module's norm.
std::string unetWithModules() {
    const std::string header =
        R"({"down_blocks.0.motion_modules.0.norm.weight":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
    std::string bytes{static_cast<char>(header.size())};
    bytes.resize(8);
    return bytes + header + std::string(4, '\0');
}

class AnimateDiffFolder : public testing::Test {
  protected:
    fs::path m_folder = fs::path(testing::TempDir()) / ("animatediff_facts_" + std::to_string(getpid()));
    json m_index = {{"_class_name", "AnimateDiffPipeline"},
                    {"motion_adapter", {"diffusers", "MotionAdapter"}}};
    json m_unet = {{"sample_size", 64}, {"block_out_channels", {320, 640, 1280, 1280}}};
    json m_vae = {{"block_out_channels", {128, 256, 512, 512}}};
    json m_motion = {{"motion_max_seq_length", 24}};

    void TearDown() override { fs::remove_all(m_folder); }

    Result<ModelInfo> describe(const std::vector<ModelPart>& parts = {}) {
        writeFile(m_folder / "model_index.json", m_index.dump()).value();
        for (const auto& [part, config] :
             {std::pair{"unet", &m_unet}, {"vae", &m_vae}, {"motion_adapter", &m_motion}})
            writeFile(m_folder / part / "config.json", config->dump()).value();
        const auto index = ModelIndex::read({.base = m_folder, .parts = parts});
        if (!index) return index.error();
        if (const Pipeline* pipeline = pipelineOf(*index)) return pipeline->describe(*index);
        return Error{ErrorCode::Unsupported, "nobody knows it"};
    }
};

TEST_F(AnimateDiffFolder, IsDescribedByItsConfigurations) {
    const auto model = describe();
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->family, "animatediff");
    EXPECT_EQ(model->defaults.width, 512);
    EXPECT_EQ(model->defaults.numFrames, 16);
    EXPECT_EQ(model->defaults.guidanceScale, 7.5);
    EXPECT_EQ(model->layers, 21);
    EXPECT_EQ(model->attentionKinds.size(), 3u);
    EXPECT_FALSE(model->frames.allows(1));
    EXPECT_TRUE(model->frames.allows(2));
    EXPECT_TRUE(model->frames.allows(48)) << "in windows";
    EXPECT_TRUE(model->takes("motion_adapter"));
    EXPECT_FALSE(model->takes("step_cache"));
    m_motion["motion_max_seq_length"] = 8;
    EXPECT_EQ(describe()->defaults.numFrames, 8);
    m_unet["sample_size"] = 0;
    EXPECT_THAT(describe().error().message, HasSubstr("sample_size 0"));
}

TEST_F(AnimateDiffFolder, HasTheFramesOfTheModulesThatMoveIt) {
    m_motion["motion_max_seq_length"] = 8;
    m_unet["motion_max_seq_length"] = 12;
    m_unet["_class_name"] = "UNetMotionModel";
    EXPECT_EQ(describe()->defaults.numFrames, 8) << "it has none itself";
    writeFile(m_folder / "unet/diffusion_pytorch_model.safetensors", unetWithModules()).value();
    EXPECT_EQ(describe()->defaults.numFrames, 12);
    m_unet["_class_name"] = "UNet2DConditionModel";
    EXPECT_EQ(describe()->defaults.numFrames, 8) << "diffusers takes the adapter's then";
    m_unet["_class_name"] = "UNetMotionModel";
    writeFile(m_folder / "other/config.json", R"({"motion_max_seq_length": 10})").value();
    EXPECT_EQ(describe({{"motion_adapter", m_folder / "other"}})->defaults.numFrames, 10) << "asked for";
}

/// As diffusers saves a pipeline whose UNet has taken the modules over.
TEST_F(AnimateDiffFolder, MayHaveNoAdapterWhereTheUnetHasModules) {
    m_index["unet"] = {"diffusers", "UNetMotionModel"};
    m_index["motion_adapter"] = {nullptr, nullptr};
    m_unet["motion_max_seq_length"] = 12;
    const std::string file = (m_folder / "model_index.json").string();
    EXPECT_THAT(describe().error().message, HasSubstr(file + ": motion_adapter is [null,null], and "));
    EXPECT_EQ(describe({{"motion_adapter", m_folder / "motion_adapter"}})->defaults.numFrames, 16)
        << "asked for, with 24 positions";
    writeFile(m_folder / "unet/diffusion_pytorch_model.safetensors", unetWithModules()).value();
    EXPECT_EQ(describe()->defaults.numFrames, 12);
    const auto index = ModelIndex::read(m_folder);
    ASSERT_TRUE(index);
    const Pipeline* pipeline = pipelineOf(*index);
    ASSERT_NE(pipeline, nullptr);
    EXPECT_TRUE(pipeline->goesWithout(*index, "motion_adapter"));
    EXPECT_FALSE(pipeline->goesWithout(*index, "vae"));
    m_index["unet"] = {"diffusers", "UNet2DConditionModel"};
    EXPECT_THAT(describe().error().message, HasSubstr("motion_adapter is [null,null]"));
}

TEST_F(AnimateDiffFolder, IsAnImageModelWithAnAdapterBesideIt) {
    m_index = {{"_class_name", "StableDiffusionPipeline"}};
    const fs::path adapter = m_folder / "animatediff_lightning_4step_diffusers.safetensors";
    writeFile(adapter, "not looked at here").value();
    const auto model = describe({{"motion_adapter", adapter}});
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->defaults.numInferenceSteps, 4);
    EXPECT_EQ(model->defaults.guidanceScale, 1) << "distilled";
    EXPECT_EQ(model->defaults.numFrames, 16);
    const auto other = describe({{"motion_adapter", m_folder / "motion_adapter"}});
    EXPECT_EQ(other->defaults.numInferenceSteps, 50);
}

}  // namespace
}  // namespace reelgrid::families::animatediff
