#include <gmock/gmock.h>

#include <fstream>

#include "core/base/result.h"
#include "core/media/resample.h"
#include "core/models/wan/pictures.h"
#include "core/models/wan/transformer.h"
#include "core/vision/clip_image_processor.h"
#include "core/vision/clip_vision_encoder.h"
#include "core/weights/model_config.h"
#include "core/weights/safetensors_folder.h"
#include "tests/models/wan/sdpa_dispatcher.h"
#include "tests/models/wan/variant_model.h"
#include "tests/vae/wan21/vae_fixture.h"

// What models of the variants see, module by module, against diffusers and transformers
// (tests/fixtures/wan/make_wan_variants_fixtures.py).

namespace reelgrid::models::wan {
namespace {

using nlohmann::json;
using vae::relativeError;
using vae::tensorsOf;

media::RgbImage picture(const char* name) {
    return media::readImage(kVariants / name).value();
}

at::Tensor bytesOf(const media::RgbImage& image) {
    return at::from_blob(const_cast<std::uint8_t*>(image.pixels.data()), {image.height, image.width, 3},
                         at::kByte)
        .clone();
}

catalog::RenderSettings settingsOf(const char* picture, int width, int height) {
    catalog::RenderSettings settings;
    settings.imgFilePath = (kVariants / picture).string();
    settings.width = width;
    settings.height = height;
    return settings;
}

class ImageToVideoInputs : public testing::Test {
  protected:
    std::map<std::string, at::Tensor> m_expected = tensorsOf(kVariants / "i2v/inputs.safetensors");
    media::RgbImage m_small = *ClipPictures::read(settingsOf("first.png", 48, 32)).first;
};

TEST_F(ImageToVideoInputs, ThePictureIsResizedAsPillowDoesCodeForCode) {
    EXPECT_EQ(*media::sizeOfArea(picture("first.png").size(), 48 * 48, 16), (media::PictureSize{48, 32}));
    EXPECT_TRUE(at::equal(bytesOf(m_small), m_expected.at("resized")));
}

TEST_F(ImageToVideoInputs, ThePictureIsCutAsTheReferencesToolsDoCodeForCode) {
    catalog::RenderSettings settings = settingsOf("first.png", 48, 48);
    settings.pictureFit = protocol::kCropPicture;
    EXPECT_TRUE(at::equal(bytesOf(*ClipPictures::read(settings).first), m_expected.at("forced")));
}

TEST_F(ImageToVideoInputs, ThePictureIsStretchedAsDiffusersDoes) {
    // VaeImageProcessor.resize: each side by itself, Lanczos, which is held to Pillow's in tests/media.
    catalog::RenderSettings settings = settingsOf("first.png", 48, 48);
    settings.pictureFit = protocol::kStretchPicture;
    settings.lastImgFilePath = settings.imgFilePath;
    const ClipPictures pictures = ClipPictures::read(settings);
    const at::Tensor stretched =
        bytesOf(media::resized(picture("first.png"), {48, 48}, media::Filter::Lanczos));
    EXPECT_TRUE(at::equal(bytesOf(*pictures.first), stretched));
    EXPECT_TRUE(at::equal(bytesOf(*pictures.last), stretched));
    for (const auto& seen : {pictures.seenFirst, pictures.seenLast})
        EXPECT_TRUE(at::equal(bytesOf(*seen), bytesOf(picture("first.png")))) << "by the image encoder";
    settings.pictureFit = protocol::kCropPicture;
    const ClipPictures cut = ClipPictures::read(settings);
    EXPECT_TRUE(at::equal(bytesOf(*cut.seenFirst), bytesOf(*cut.first)));
    EXPECT_FALSE(at::equal(stretched, m_expected.at("forced")));
}

TEST_F(ImageToVideoInputs, ThePictureIsPreparedForClip) {
    const vision::ClipImageProcessor processor(
        weights::ModelConfig::read(kVariants / "i2v/image_processor", "preprocessor_config.json"));
    const at::Tensor pixels = processor.pixels(m_small);
    ASSERT_EQ(pixels.sizes(), m_expected.at("pixels").sizes());
    EXPECT_LE((pixels - m_expected.at("pixels")).abs().max().item<double>(), 1e-6);
}

TEST_F(ImageToVideoInputs, ClipsLastLayerButOne) {
    const auto folder = kVariants / "i2v/image_encoder";
    weights::SafetensorsFolder source(folder);
    const vision::ClipVisionEncoder encoder(
        vision::ClipVisionConfig::from(weights::ModelConfig::read(folder)),
        weights::WeightScope(source, at::kFloat));
    EXPECT_LE(relativeError(encoder.forward(m_expected.at("pixels")), m_expected.at("embedding")), 1e-5);
    EXPECT_THROW((void)encoder.forward(at::zeros({1, 3, 28, 14})), Failure);
}

TEST_F(ImageToVideoInputs, MaskAndLatentsOfTheGivenFrame) {
    const auto folder = kVariants.parent_path() / "tiny-pipeline/vae";
    weights::SafetensorsFolder source(folder);
    const vae::wan21::WanVae vae(weights::WeightScope(source, at::kFloat),
                                 vae::wan21::WanVaeConfig::from(weights::ModelConfig::read(folder)));
    const ClipEncoder encoder(vae, std::nullopt, at::kCPU);
    const at::Tensor given =
        encoder.givenFrames({.first = m_small, .last = {}, .seenFirst = {}, .seenLast = {}}, 9);
    EXPECT_LE(relativeError(given, m_expected.at("condition")), 1e-4);
}

/// One call of a transformer by itself.
class WanVariantCall : public testing::TestWithParam<const char*> {};

TEST_P(WanVariantCall, EqualsTheReference) {
    const auto io = tensorsOf(kVariants / GetParam() / "call.safetensors");
    const auto folder = kVariants / GetParam() / "transformer";
    weights::SafetensorsFolder source(folder);
    WanTransformer model(WanTransformerConfig::from(weights::ModelConfig::read(folder)),
                         weights::WeightScope(source, at::kFloat));
    const at::Tensor zeros = at::zeros({1, 512 - io.at("text").size(1), io.at("text").size(2)});
    const bool hasImage = io.contains("image");
    const PreparedText text =
        model.prepareText(at::cat({io.at("text"), zeros}, 1), hasImage ? io.at("image") : at::Tensor());
    const StepEmbedding step = hasImage ? model.embedTimestep(812) : model.embedTimesteps(6, 0, 812);
    SdpaDispatcher dispatcher;
    const at::Tensor flow = model.forward(io.at("latents"), step, text, dispatcher);
    EXPECT_LE(relativeError(flow, io.at("flow")), 1e-5);
    // Self-attention, the prompt and, by itself, the picture.
    EXPECT_EQ(dispatcher.sites.size(), hasImage ? 6U : 4U);
    EXPECT_TRUE(at::equal(model.forward(io.at("latents"), step, text, dispatcher), flow));
}

INSTANTIATE_TEST_SUITE_P(Variants, WanVariantCall, testing::Values("i2v", "flf2v", "ti2v"));

TEST(WanTransformerOfAPicture, NeedsAsManyPicturesAsItHasPositionsFor) {
    for (const char* variant : {"i2v", "flf2v"}) {
        const auto folder = kVariants / variant / "transformer";
        weights::SafetensorsFolder source(folder);
        const WanTransformer model(WanTransformerConfig::from(weights::ModelConfig::read(folder)),
                                   weights::WeightScope(source, at::kFloat));
        EXPECT_THROW((void)model.prepareText(at::zeros({1, 8, 32})), Failure) << variant;
        if (model.config().posEmbedSeqLen > 0) {
            EXPECT_THROW((void)model.prepareText(at::zeros({1, 8, 32}), at::zeros({1, 5, 24})), Failure);
        }
    }
}

using Parameters = std::map<std::string, std::vector<std::int64_t>>;

json officialList(const std::string& name) {
    std::ifstream file(kVariants / "official_parameters.json");
    return json::parse(file).at(name);
}

Parameters parametersOf(const json& list, const std::string& prefix, std::int64_t layers) {
    Parameters all = list.at("rest").get<Parameters>();
    for (std::int64_t layer = 0; layer < layers; ++layer)
        for (const auto& [name, shape] : list.at("block").items())
            all[prefix + std::to_string(layer) + "." + name] = shape.get<std::vector<std::int64_t>>();
    return all;
}

Parameters asked(const weights::RecordingWeights& recording) {
    Parameters asked(recording.requests().begin(), recording.requests().end());
    EXPECT_EQ(asked.size(), recording.requests().size()) << "a parameter was asked for twice";
    return asked;
}

class OfficialVariants : public testing::TestWithParam<const char*> {};

TEST_P(OfficialVariants, HaveTheReferencesNamesAndShapes) {
    const json reference = officialList(GetParam());
    const auto config = WanTransformerConfig::from(weights::ModelConfig(reference.at("config"), GetParam()));
    const Parameters expected = parametersOf(reference, "blocks.", config.numLayers);
    weights::RecordingWeights recording([&](const std::string& name) { return expected.contains(name); });
    const WanTransformer model(config, weights::WeightScope(recording, at::kBFloat16));
    EXPECT_EQ(asked(recording), expected);
}

INSTANTIATE_TEST_SUITE_P(Sizes, OfficialVariants,
                         testing::Values("I2V-14B", "FLF2V-14B", "T2V-A14B", "I2V-A14B", "TI2V-5B"));

TEST(OfficialImageEncoder, HasTheReferencesNamesAndShapesButForTheLayerThatIsNotUsed) {
    const json reference = officialList("ViT-H");
    const auto config = vision::ClipVisionConfig::from(weights::ModelConfig(reference.at("config"), "ViT-H"));
    Parameters expected = parametersOf(reference, "encoder.layers.", config.numHiddenLayers - 1);
    expected.erase("post_layernorm.weight");
    expected.erase("post_layernorm.bias");
    for (const char* prefix : {"", "vision_model."}) {
        Parameters named;
        for (const auto& [name, shape] : expected) named[prefix + name] = shape;
        weights::RecordingWeights recording([&](const std::string& name) { return named.contains(name); });
        const vision::ClipVisionEncoder encoder(config, weights::WeightScope(recording, at::kFloat));
        EXPECT_EQ(asked(recording), named);
    }
}

}  // namespace
}  // namespace reelgrid::models::wan
