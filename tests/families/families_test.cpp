#include "core/families/family.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <set>

#include "core/base/pending_file.h"

namespace reelgrid::families {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

class FamilyFolder : public testing::Test {
  protected:
    fs::path m_folder = fs::path(testing::TempDir()) / ("families_" + std::to_string(getpid()));
    json m_index = {{"_class_name", "WanPipeline"}, {"transformer", {"diffusers", "WanTransformer3DModel"}}};
    json m_transformer = {{"patch_size", {1, 2, 2}}, {"num_layers", 3}, {"rope_max_seq_len", 64}};
    json m_vae = json::object();

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
    std::string complaint() {
        const auto model = describe();
        return model ? "none" : model.error().message;
    }
};

TEST_F(FamilyFolder, WanTakesItsRulesFromTheConfigs) {
    const auto model = describe();
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->family, "wan2.1");
    EXPECT_EQ(model->layers, 3);
    EXPECT_TRUE(model->sizes.allows(48));
    EXPECT_FALSE(model->sizes.allows(40));
    EXPECT_FALSE(model->sizes.allows(16 * 64 + 16));
    EXPECT_TRUE(model->frames.allows(1));
    EXPECT_TRUE(model->frames.allows(4 * 63 + 1));
    EXPECT_FALSE(model->frames.allows(4 * 64 + 1));
    EXPECT_FALSE(model->frames.allows(16));
    EXPECT_EQ(model->frames.words(), "4·k + 1 from 1 to 253");
    EXPECT_EQ(model->defaults.numFrames, 81);
    ASSERT_NE(model->task("t2v"), nullptr);
    EXPECT_EQ(model->task("t2v")->image, Need::No);
    EXPECT_EQ(model->task("i2v"), nullptr);
}

TEST_F(FamilyFolder, AComponentsClassIsTheIndexsAsDiffusersLoadsIt) {
    m_index["scheduler"] = {"diffusers", "UniPCMultistepScheduler"};
    m_index["vae"] = {nullptr, nullptr};
    m_vae = {{"_class_name", "Own"}};
    ASSERT_TRUE(describe());
    writeFile(m_folder / "scheduler/scheduler_config.json",
              R"({"_class_name": "FlowMatchEulerDiscreteScheduler", "shift": 3})")
        .value();
    const auto index = ModelIndex::read(m_folder).value();
    const auto scheduler = index.config("scheduler", "scheduler_config.json").value();
    EXPECT_EQ(scheduler["_class_name"], "UniPCMultistepScheduler");
    EXPECT_EQ(scheduler["shift"], 3);
    EXPECT_EQ(index.config("transformer").value()["_class_name"], "WanTransformer3DModel");
    EXPECT_EQ(index.config("vae").value()["_class_name"], "Own");
}

TEST_F(FamilyFolder, WanWithRcmsSamplerGoesWithoutGuidance) {
    EXPECT_EQ(describe()->defaults.guidanceScale, 5);
    writeFile(m_folder / "scheduler/scheduler_config.json", R"({"_class_name": "RCMScheduler"})").value();
    EXPECT_EQ(describe()->defaults.guidanceScale, 1);
}

TEST_F(FamilyFolder, ATextEncodersClassIsThePipelines) {
    for (const char* name : {"T5EncoderModel", "T5ForConditionalGeneration"}) {
        m_index["text_encoder"] = {"transformers", name};
        EXPECT_THAT(complaint(),
                    HasSubstr(std::string("text_encoder ") + name + ": UMT5EncoderModel was needed"));
    }
    m_index["text_encoder"] = {"transformers", "UMT5EncoderModel"};
    EXPECT_EQ(complaint(), "none");
    // What this program's own layouts call theirs.
    m_index["text_encoder"] = {"wan", "T5EncoderModel"};
    EXPECT_EQ(complaint(), "none");
}

TEST_F(FamilyFolder, NamesTheOneConfigKeyThatIsOutOfRange) {
    m_transformer["patch_size"] = {1, 2, 4};
    EXPECT_THAT(complaint(),
                testing::AllOf(HasSubstr("patch_size [1,2,4]"), testing::Not(HasSubstr("num_layers"))));
    m_transformer["patch_size"] = {1, 2, 2};
    m_transformer["num_layers"] = 0;
    EXPECT_THAT(complaint(),
                testing::AllOf(HasSubstr("num_layers 0"), testing::Not(HasSubstr("patch_size"))));
    m_transformer["num_layers"] = "many";
    EXPECT_THAT(complaint(), HasSubstr("num_layers \"many\""));
    m_transformer["num_layers"] = 2;
    m_vae["scale_factor_temporal"] = 65;
    EXPECT_THAT(complaint(), HasSubstr("scale_factor_temporal 65"));
}

TEST_F(FamilyFolder, WanCountsPixelsAndFramesAsItsVaeDoes) {
    m_vae = {
        {"dim_mult", {1, 2, 4, 4}}, {"temperal_downsample", {false, true, true}}, {"patch_size", nullptr}};
    EXPECT_EQ(complaint(), "none");
    m_vae["scale_factor_spatial"] = 4;
    EXPECT_THAT(complaint(), HasSubstr("scale_factor_spatial 4: 8 (of dim_mult and patch_size) was needed"));
    m_vae["scale_factor_spatial"] = 16;
    m_vae["patch_size"] = 2;
    EXPECT_EQ(complaint(), "none");
    m_vae["scale_factor_temporal"] = 2;
    EXPECT_THAT(complaint(), HasSubstr("scale_factor_temporal 2: 4 (of temperal_downsample) was needed"));
}

TEST_F(FamilyFolder, AnIndexWhoseSettingsDecideThePictureIsReadOrRefused) {
    for (const json& value : {json(1), json("yes"), json::object()}) {
        m_index["expand_timesteps"] = value;
        EXPECT_THAT(complaint(), HasSubstr("expand_timesteps")) << value;
    }
    m_index["expand_timesteps"] = nullptr;
    m_index["boundary_ratio"] = 0.875;
    EXPECT_THAT(complaint(), HasSubstr("boundary_ratio 0.875: null, or a transformer_2"));
    m_index["transformer_2"] = "WanTransformer3DModel";
    EXPECT_THAT(complaint(),
                HasSubstr(R"(transformer_2 is "WanTransformer3DModel", ["library", "class"] was needed)"));
    m_index["transformer_2"] = {"diffusers", "WanTransformer3DModel"};
    EXPECT_EQ(describe()->family, "wan2.2");
    m_index["text_encoder_3"] = 5;
    EXPECT_THAT(complaint(), HasSubstr("model_index.json: text_encoder_3 is 5"));
}

TEST_F(FamilyFolder, TheOtherKindsOfWanAreToldByTheirPipeline) {
    m_index["transformer_2"] = {nullptr, nullptr};
    EXPECT_EQ(describe()->family, "wan2.1");
    m_index["transformer_2"] = {"diffusers", "WanTransformer3DModel"};
    const auto experts = describe();
    ASSERT_TRUE(experts) << experts.error().message;
    EXPECT_EQ(experts->family, "wan2.2");
    EXPECT_EQ(experts->defaults.guidanceScale, 4);
    EXPECT_EQ(experts->defaults.guidanceScale2, 3);
    EXPECT_EQ(experts->defaults.flowShift, 12);
    EXPECT_TRUE(experts->takes("guidance_scale_2"));
    EXPECT_FALSE(experts->takes("img_file_path"));

    m_index["_class_name"] = "WanImageToVideoPipeline";
    const auto imageExperts = describe();
    ASSERT_TRUE(imageExperts) << imageExperts.error().message;
    EXPECT_EQ(imageExperts->family, "wan2.2-i2v");
    EXPECT_EQ(imageExperts->defaults.flowShift, 5);
    EXPECT_EQ(imageExperts->task("i2v")->image, Need::Required);
    EXPECT_EQ(imageExperts->task("i2v")->lastImage, Need::Optional);

    m_index.erase("transformer_2");
    writeFile(m_folder / "scheduler/scheduler_config.json", R"({"flow_shift": 3.0})").value();
    const auto image = describe();
    ASSERT_TRUE(image) << image.error().message;
    EXPECT_EQ(image->family, "wan2.1-i2v");
    EXPECT_EQ(image->defaults.width, 832);
    EXPECT_FALSE(image->defaults.flowShift) << "the checkpoint's";
    EXPECT_TRUE(image->takes("force_output_size"));
    EXPECT_TRUE(image->takes("picture_fit"));
    EXPECT_FALSE(image->takes("last_img_file_path"));
    m_transformer["pos_embed_seq_len"] = 514;
    writeFile(m_folder / "scheduler/scheduler_config.json", R"({"flow_shift": 5.0})").value();
    const auto firstAndLast = describe();
    EXPECT_EQ(firstAndLast->defaults.width, 1280);
    EXPECT_EQ(firstAndLast->task("i2v")->lastImage, Need::Required);

    for (const char* pipeline : {"WanPipeline", "WanImageToVideoPipeline"}) {
        m_index["_class_name"] = pipeline;
        m_index["expand_timesteps"] = true;
        m_vae["scale_factor_spatial"] = 16;
        const auto tokenTimes = describe();
        ASSERT_TRUE(tokenTimes) << tokenTimes.error().message;
        EXPECT_EQ(tokenTimes->family, "wan2.2-ti2v");
        EXPECT_EQ(tokenTimes->sizes.sizeMultiple, 32);
        EXPECT_EQ(tokenTimes->defaults.fps, 24);
        EXPECT_EQ(tokenTimes->defaults.numFrames, 121);
        EXPECT_TRUE(tokenTimes->sizes.allows(tokenTimes->defaults.height));
        EXPECT_THAT(tokenTimes->taskNames(), testing::ElementsAre("ti2v", "t2v", "i2v"));
    }
}

TEST(Families, HaveNamesOfTheirOwnAndNameTheirComponents) {
    std::set<std::string_view> names, pipelines, models;
    for (const Family& family : families()) {
        EXPECT_TRUE(names.insert(family.name).second) << family.name;
        EXPECT_FALSE(family.title.empty()) << family.name;
        EXPECT_FALSE(family.pipelines.empty()) << family.name;
        for (const Pipeline& pipeline : family.pipelines) {
            EXPECT_TRUE(pipelines.insert(pipeline.name).second) << pipeline.name;
            EXPECT_FALSE(pipeline.components.empty()) << pipeline.name;
            EXPECT_FALSE(pipeline.title.empty()) << pipeline.name;
        }
        for (const KnownModel& model : family.knownModels)
            EXPECT_TRUE(models.insert(model.id).second) << model.id;
        for (const Miniature& model : family.miniatures)
            EXPECT_TRUE(models.insert(model.name).second) << model.name;
    }
    EXPECT_FALSE(names.empty());
}

TEST(FrameRule, OfAModelThatTakesAnyCount) {
    const FrameRule rule{.stride = 1, .first = 1, .most = 25};
    EXPECT_TRUE(rule.allows(14));
    EXPECT_TRUE(rule.allows(25));
    EXPECT_FALSE(rule.allows(26));
    EXPECT_FALSE(rule.allows(0));
    EXPECT_EQ(rule.words(), "a number from 1 to 25");
}

}  // namespace
}  // namespace reelgrid::families
