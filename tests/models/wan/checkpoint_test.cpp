#include "core/models/wan/checkpoint.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "core/base/pending_file.h"
#include "core/catalog/model_folder.h"
#include "core/models/wan/config.h"
#include "core/models/wan/original_names.h"
#include "core/pt/pt_file.h"
#include "core/text/encoders/umt5_encoder.h"
#include "core/text/encoders/umt5_original.h"
#include "core/weights/pt_tensors.h"
#include "core/weights/safetensors_folder.h"
#include "core/weights/safetensors_writer.h"

namespace reelgrid::models::wan {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path kDiffusers = fs::path(REELGRID_SOURCE_DIR) / "tests/fixtures/wan/tiny-pipeline";

/// The tiny pipeline converted to the layout of Wan's authors; its VAE is not looked at.
class CheckpointTest : public testing::Test {
  protected:
    fs::path m_folder = fs::path(testing::TempDir()) / ("wan_layout_" + std::to_string(getpid()));

    void SetUp() override {
        writeTextEncoder();
        fs::create_directories(m_folder / "google");
        fs::copy(kDiffusers / "tokenizer", m_folder / "google/umt5-xxl");
        pt::writePt(m_folder / "Wan2.1_VAE.pth", pt::Dict{}).value();
    }
    void TearDown() override { fs::remove_all(m_folder); }

    void writeTransformer(const fs::path& folder, int inDim = 0) const {
        writeTransformer(folder, kDiffusers / "transformer", "t2v", inDim);
    }
    static void writeTransformer(const fs::path& folder, const fs::path& diffusers, const char* type,
                                 int inDim = 0) {
        const auto config = weights::ModelConfig::read(diffusers);
        const auto heads = config.positive("num_attention_heads");
        nlohmann::json own = {{"_class_name", "WanModel"},
                              {"model_type", type},
                              {"num_heads", heads},
                              {"dim", heads * config.positive("attention_head_dim")},
                              {"in_dim", inDim > 0 ? inDim : config.positive("in_channels")},
                              {"out_dim", config.positive("out_channels")}};
        for (const char* key : {"ffn_dim", "freq_dim", "text_dim", "num_layers"})
            own[key] = config.positive(key);
        writeFile(folder / "config.json", own.dump()).value();
        std::map<std::string, at::Tensor> tensors;
        weights::SafetensorsFolder stored(diffusers);
        for (const std::string& name : stored.names())
            tensors[originalTransformerName(name)] = stored.require(name, *stored.shapeOf(name));
        weights::writeSafetensors(folder / "diffusion_pytorch_model.safetensors", tensors).value();
    }
    void writeTextEncoder() const {
        fs::create_directories(m_folder);
        weights::SafetensorsFolder stored(kDiffusers / "text_encoder");
        pt::Dict dict;
        for (const std::string& name : stored.names())
            dict.add(text::originalUmt5Name(name),
                     weights::ptTensorOf(stored.require(name, *stored.shapeOf(name)).contiguous()));
        pt::writePt(m_folder / "models_t5_umt5-xxl-enc-bf16.pth", dict).value();
    }
    void expectSameTransformer(const std::string& component) const {
        const Checkpoint own(m_folder);
        const auto weights = own.transformer(component);
        weights::SafetensorsFolder stored(kDiffusers / "transformer");
        for (const std::string& name : stored.names())
            EXPECT_TRUE(at::equal(weights->require(name, *stored.shapeOf(name)),
                                  stored.require(name, *stored.shapeOf(name))))
                << name;
        const auto config = WanTransformerConfig::from(own.config(component));
        const auto reference =
            WanTransformerConfig::from(weights::ModelConfig::read(kDiffusers / "transformer"));
        EXPECT_EQ(config.innerDim(), reference.innerDim());
        EXPECT_EQ(config.numLayers, reference.numLayers);
        EXPECT_EQ(config.outChannels, reference.outChannels);
    }
};

TEST_F(CheckpointTest, OfWansAuthorsHasTheSameTransformerAndTextEncoder) {
    writeTransformer(m_folder);
    expectSameTransformer("transformer");
    const std::vector<std::int64_t> ids{5, 7, 11, 1};
    const auto embeddingOf = [&](const fs::path& folder) {
        const Checkpoint::TextEncoder encoder = Checkpoint(folder).textEncoder();
        return text::Umt5Encoder(encoder.config, weights::WeightScope(*encoder.weights, at::kFloat))
            .forward(ids);
    };
    EXPECT_TRUE(at::equal(embeddingOf(m_folder), embeddingOf(kDiffusers)));
}

TEST_F(CheckpointTest, IsAModelLikeDiffusers) {
    writeTransformer(m_folder);
    const auto model = catalog::readModelFolder(m_folder);
    const auto reference = catalog::readModelFolder(kDiffusers);
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->family, reference->family);
    EXPECT_EQ(model->layers, reference->layers);
    EXPECT_EQ(model->components.size(), reference->components.size());
    EXPECT_EQ(model->components[0].files.size(), 2U);
    EXPECT_EQ(model->components[0].parameters, reference->components[0].parameters);
    EXPECT_EQ(Checkpoint(m_folder).config("scheduler", "scheduler_config.json").number("flow_shift"), 5);
}

TEST_F(CheckpointTest, MayHaveTwoExperts) {
    for (const char* expert : {"high_noise_model", "low_noise_model"}) writeTransformer(m_folder / expert);
    expectSameTransformer("transformer_2");
    const auto model = catalog::readModelFolder(m_folder);
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->family, "wan2.2");
    EXPECT_EQ(Checkpoint(m_folder).index().number("boundary_ratio"), 0.875);
}

TEST_F(CheckpointTest, OfImageToVideoHasItsImageEncoder) {
    const auto variant = [](const char* name) {
        return fs::path(REELGRID_SOURCE_DIR) / "tests/fixtures/wan/variants" / name / "transformer";
    };
    for (const char* name : {"i2v", "flf2v"}) {
        writeTransformer(m_folder, variant(name), "i2v");
        fs::remove(m_folder / "models_clip_tiny.pth");
        const auto without = catalog::readModelFolder(m_folder);
        ASSERT_FALSE(without);
        EXPECT_THAT(without.error().message, HasSubstr("it has no models_clip_*.pth"));
        pt::writePt(m_folder / "models_clip_tiny.pth", pt::Dict{}).value();
        const auto model = catalog::readModelFolder(m_folder);
        ASSERT_TRUE(model) << model.error().message;
        EXPECT_EQ(model->family, "wan2.1-i2v");
        EXPECT_EQ(model->task("i2v")->lastImage == families::Need::Required, name == std::string("flf2v"));
        const auto config = WanTransformerConfig::from(Checkpoint(m_folder).config("transformer"));
        EXPECT_EQ(config.imageDim, 24);
        EXPECT_EQ(config.posEmbedSeqLen, name == std::string("flf2v") ? 10 : 0);
    }
}

TEST_F(CheckpointTest, OfTextAndPictureHasTheOtherVae) {
    writeTransformer(m_folder, kDiffusers / "transformer", "ti2v");
    const auto without = catalog::readModelFolder(m_folder);
    ASSERT_FALSE(without);
    EXPECT_THAT(without.error().message, HasSubstr("it has no Wan2.2_VAE.pth"));
    pt::writePt(m_folder / "Wan2.2_VAE.pth", pt::Dict{}).value();
    const auto model = catalog::readModelFolder(m_folder);
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->family, "wan2.2-ti2v");
    EXPECT_EQ(model->sizes.sizeMultiple, 32);
    EXPECT_EQ(Checkpoint(m_folder).path("vae").filename(), "Wan2.2_VAE.pth");
}

TEST_F(CheckpointTest, SaysWhatIsMissingOrNotRead) {
    const auto message = [&] {
        const auto model = catalog::readModelFolder(m_folder);
        return model ? "was read" : model.error().message;
    };
    writeTransformer(m_folder, 64);
    EXPECT_THAT(message(), HasSubstr("64 channels in, 4 out is of none of Wan's"));
    writeTransformer(m_folder);
    fs::remove(m_folder / "models_t5_umt5-xxl-enc-bf16.pth");
    EXPECT_THAT(message(), HasSubstr("it has no models_t5_*.pth"));
    writeTextEncoder();
    fs::remove_all(m_folder / "google");
    EXPECT_THAT(message(), HasSubstr("google/umt5-xxl"));
    writeFile(m_folder / "config.json", R"({"_class_name": "WanModel", "dim": 7, "num_heads": 2})").value();
    EXPECT_THAT(message(), HasSubstr("dim is 7, a multiple of num_heads"));
}

}  // namespace
}  // namespace reelgrid::models::wan
