#include <gmock/gmock.h>

#include "core/base/sha256.h"
#include "core/catalog/model_folder.h"
#include "core/models/svd/checkpoint.h"
#include "core/models/svd/names.h"
#include "core/pipeline/family_registry.h"
#include "tests/models/svd/tiny_svd.h"
#include "tests/weights/hidden_tensors.h"

namespace reelgrid::models::svd {
namespace {

namespace fs = std::filesystem;

/// What the file calls a parameter, and the shape that it has there.
std::pair<std::string, std::vector<std::int64_t>> inFile(const std::string& part, const std::string& name,
                                                         std::vector<std::int64_t> shape) {
    if (part == "unet") return {"model.diffusion_model." + sgmUnetName(name, 2, 4), shape};
    if (shape.size() == 2 && name.find("attentions.0.to_") != std::string::npos)
        shape.insert(shape.end(), {1, 1});
    return {sgmVaeName(name, 4), shape};
}

/// Names and shapes of svd.safetensors are those of the code that made it.
TEST(OfficialSvdFile, HasEveryParameterOfUnetAndVae) {
    std::set<std::string> lines;
    for (const std::string part : {"unet", "vae"})
        for (const auto& [name, shape] : OfficialPart(part).parameters) {
            const auto [stored, storedShape] = inFile(part, name, shape);
            std::string sides;
            for (const std::int64_t side : storedShape)
                sides += (sides.empty() ? "" : ", ") + std::to_string(side);
            EXPECT_TRUE(lines.insert(stored + " [" + sides + "]\n").second) << stored << " twice";
        }
    std::string text;
    for (const std::string& line : lines) text += line;
    const auto recorded = nlohmann::json::parse(readFile(kSvdFixtures / "single_file.json").value());
    EXPECT_EQ(lines.size(), recorded.at("parameters").get<std::size_t>());
    EXPECT_EQ(sha256Hex(text), recorded.at("sha256").get<std::string>());
}

/// A tiny model in one file, with heads as wide as the published models'.
class SvdFile : public testing::Test {
  protected:
    void write(const std::string& name) {
        path = fs::path(testing::TempDir()) / (std::to_string(getpid()) + name);
        std::map<std::string, at::Tensor> tensors;
        add(
            tensors,
            [&](weights::WeightSource& source) {
                (void)VideoUnet(unetConfig(), weights::WeightScope(source, at::kFloat));
            },
            [&](std::unique_ptr<weights::WeightSource> file) { return unetInFile(std::move(file), 1, 2); });
        add(
            tensors,
            [&](weights::WeightSource& source) {
                (void)vae::svd::SvdVae(weights::WeightScope(source, at::kFloat),
                                       vae::svd::SvdVaeConfig::from(svdConfig("vae")));
            },
            [&](std::unique_ptr<weights::WeightSource> file) { return vaeInFile(std::move(file), 3); });
        add(
            tensors,
            [&](weights::WeightSource& source) {
                (void)vision::ClipVisionEncoder(imageConfig(), weights::WeightScope(source, at::kFloat),
                                                vision::ClipOutput::Embedding);
            },
            [&](std::unique_ptr<weights::WeightSource> file) { return imageEncoderInFile(std::move(file)); });
        weights::writeSafetensors(path, tensors).value();
    }
    void TearDown() override { fs::remove(path); }

    static VideoUnetConfig unetConfig() {
        VideoUnetConfig config = VideoUnetConfig::from(svdConfig("unet_small"));
        config.blockChannels = {64, 128};
        config.heads = {1, 2};
        return config;
    }
    static vision::ClipVisionConfig imageConfig() {
        vision::ClipVisionConfig config = vision::ClipVisionConfig::from(svdConfig("image_encoder"));
        config.hiddenSize = 160;
        config.numAttentionHeads = 2;
        return config;
    }
    fs::path path;

  private:
    /// What is asked of the file, made up.
    class Asked final : public weights::WeightSource {
      public:
        explicit Asked(std::map<std::string, at::Tensor>& tensors) : m_tensors(tensors) {}
        at::Tensor require(const std::string& name, at::IntArrayRef shape) override {
            return m_tensors.try_emplace(name, weights::madeUp(name, shape)).first->second;
        }
        [[nodiscard]] bool has(const std::string& name) const override { return weights::isPlain(name); }

      private:
        std::map<std::string, at::Tensor>& m_tensors;
    };
    template <class Make, class Name>
    static void add(std::map<std::string, at::Tensor>& tensors, const Make& make, const Name& name) {
        const auto source = name(std::make_unique<Asked>(tensors));
        make(*source);
    }
};

TEST_F(SvdFile, IsAModelByItself) {
    for (const auto& [name, frames] : {std::pair{"svd.safetensors", 14}, {"SVD_XT.safetensors", 25}}) {
        write(name);
        const families::ModelInfo model = catalog::readModelFolder(path).value();
        EXPECT_EQ(model.family, "svd");
        EXPECT_EQ(model.defaults.numFrames, frames);
        EXPECT_EQ(model.layers, 7);
        const auto index = families::ModelIndex::read(model.source()).value();
        const auto told = VideoUnetConfig::from(configOf(index, "unet")), made = unetConfig();
        EXPECT_EQ(told.blockChannels, made.blockChannels);
        EXPECT_EQ(told.heads, made.heads);
        EXPECT_EQ(told.blockKinds, made.blockKinds);
        EXPECT_EQ(told.layersPerBlock, made.layersPerBlock);
        EXPECT_EQ(told.crossAttentionDim, made.crossAttentionDim);
        EXPECT_EQ(told.additionTimeEmbedDim, made.additionTimeEmbedDim);
        const auto image = vision::ClipVisionConfig::from(configOf(index, "image_encoder"));
        EXPECT_EQ(image.hiddenSize, 160);
        EXPECT_EQ(image.imageSize, 224);
        EXPECT_EQ(image.numHiddenLayers, 3);
        EXPECT_EQ(image.projectionDim, 24);
        const auto vae = vae::svd::SvdVaeConfig::from(configOf(index, "vae"));
        EXPECT_EQ(vae.image.blockChannels, (std::vector<std::int64_t>{32, 32, 64}));
        EXPECT_EQ(vae.image.layersPerBlock, 2);
        // All of its parts load, each with its own tensors.
        EXPECT_EQ(pipeline::loadModel(model, {}, {})->vae().shape().spatialFactor, 4);
        fs::remove(path);
    }
}

/// Queries, keys and values are one matrix there, and the projection stands on its side.
TEST_F(SvdFile, HasTheImageEncodersMatricesInOtherForms) {
    write("svd.safetensors");
    const std::string clip = "conditioner.embedders.0.open_clip.model.visual.";
    const auto encoder = imageEncoderInFile(std::make_unique<weights::SafetensorsFolder>(path));
    weights::SafetensorsFolder file(path);
    const at::Tensor joined = file.require(clip + "transformer.resblocks.1.attn.in_proj_weight", {480, 160});
    EXPECT_TRUE(
        at::equal(encoder->require("vision_model.encoder.layers.1.self_attn.k_proj.weight", {160, 160}),
                  joined.narrow(0, 160, 160)));
    EXPECT_TRUE(at::equal(encoder->require("visual_projection.weight", {24, 160}),
                          file.require(clip + "proj", {160, 24}).t()));
    EXPECT_THAT(encoder->whereIs("vision_model.post_layernorm.weight"),
                testing::HasSubstr(clip + "ln_post.weight"));
}

TEST_F(SvdFile, NamesWhatIsMissing) {
    write("svd.safetensors");
    weights::SafetensorsFolder file(path);
    std::map<std::string, at::Tensor> fewer;
    for (const std::string& name : file.names())
        if (name.find("label_emb") == std::string::npos)
            fewer[name] = file.require(name, *file.shapeOf(name)).clone();
    weights::writeSafetensors(path, fewer).value();
    const auto model = catalog::readModelFolder(path);
    ASSERT_FALSE(model);
    EXPECT_THAT(model.error().message,
                testing::HasSubstr("model.diffusion_model.label_emb.0.0.weight is missing"));
}

/// Its configuration is made of shapes: a file that lacks a tensor must not be one of a smaller model.
TEST_F(SvdFile, WhicheverTensorOfEachKindIsMissingIsNamed) {
    write("svd.safetensors");
    const auto said = [&]() -> std::string {
        const auto model = catalog::readModelFolder(path);
        if (!model) return model.error().message;
        const auto found = pipeline::findFaults(*model);
        return found.faults.empty() ? "" : found.faults.front();
    };
    ASSERT_EQ(said(), "");
    const weights::HiddenTensors file(path);
    for (const std::string& tensor : weights::lastOfEachKind(weights::SafetensorsFolder(path).names())) {
        ASSERT_TRUE(file.hide(tensor)) << tensor;
        // By one of them OpenCLIP's encoder is told from others.
        EXPECT_THAT(said(), testing::AnyOf(testing::HasSubstr(tensor.substr(0, tensor.size() - 1)),
                                           testing::HasSubstr("is missing")))
            << tensor;
        file.show(tensor);
    }
}

TEST_F(SvdFile, TensorsOfNoLayerAreNamed) {
    write("svd.safetensors");
    std::map<std::string, at::Tensor> more;
    {
        weights::SafetensorsFolder file(path);
        for (const std::string& name : file.names())
            more[name] = file.require(name, *file.shapeOf(name)).clone();
    }
    more["model.diffusion_model.input_blocks.1.0.extra.weight"] = at::ones({2});
    // What the published file has beside what is read.
    more["conditioner.embedders.3.encoder.decoder.conv_in.weight"] = at::ones({2});
    more["first_stage_model.encoder.conv_in.weight"] = at::ones({2});
    more["conditioner.embedders.0.open_clip.model.logit_scale"] = at::ones({});
    weights::writeSafetensors(path, more).value();
    const auto model = catalog::readModelFolder(path).value();
    EXPECT_THAT(pipeline::untakenTensors(model),
                testing::ElementsAre(
                    testing::HasSubstr("1 tensor belongs to no layer of this model and had no effect "
                                       "(model.diffusion_model.input_blocks.1.0.extra.weight)")));
}

}  // namespace
}  // namespace reelgrid::models::svd
