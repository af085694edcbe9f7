#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "core/base/pending_file.h"
#include "core/vae/image/image_vae.h"
#include "core/vae/image/names.h"
#include "tests/vae/fixture_tensors.h"

namespace reelgrid::vae::image {
namespace {

constexpr double kTolerance = 1e-4;
using Parameters = std::map<std::string, std::vector<std::int64_t>>;

ImageVaeConfig recordedConfig(const std::string& name) {
    return ImageVaeConfig::from(weights::ModelConfig::read(fixtureFolder() / "image", name + ".json"));
}

ImageVae recordedVae(const std::string& name, ImageVaeOptions options = {},
                     at::ScalarType dtype = at::kFloat) {
    TensorMap source(readTensors("image/" + name + ".safetensors"));
    return {weights::WeightScope(source, dtype), recordedConfig(name), options};
}

/// All frames of decodeTo().
at::Tensor decoded(const ImageVae& vae, const at::Tensor& z_CTHW) {
    std::vector<at::Tensor> parts;
    vae.decodeTo(z_CTHW, [&](const at::Tensor& frames_THWC) { parts.push_back(frames_THWC.clone()); });
    return at::cat(parts);
}

/// What diffusers made of the pictures of one file.
class RecordedPictures {
  public:
    explicit RecordedPictures(const std::string& name)
        : m_tensors(readTensors("image/" + name + "_io.safetensors")) {}

    [[nodiscard]] int count() const { return int(m_tensors.size() / 5); }
    /// x, mean, logvar, z or y, [C, T, H, W].
    [[nodiscard]] at::Tensor of(int index, const std::string& what) const {
        return m_tensors.at(std::to_string(index) + "." + what).transpose(0, 1);
    }
    /// Decoded frames as the VAE hands them out.
    [[nodiscard]] at::Tensor pictures(int index) const {
        return of(index, "y").clamp(-1, 1).permute({1, 2, 3, 0}).contiguous();
    }

  private:
    std::map<std::string, at::Tensor> m_tensors;
};

struct ImageParityCase {
    std::string fixture;
    ImageVaeOptions options;
    std::string name;
};

void PrintTo(const ImageParityCase& tested, std::ostream* out) {
    *out << tested.name;
}

class ImageVaeParity : public testing::TestWithParam<ImageParityCase> {
  protected:
    ImageVae vae{recordedVae(GetParam().fixture, GetParam().options)};
    RecordedPictures recorded{GetParam().fixture};
};

TEST_P(ImageVaeParity, EncodesAndDecodesAsTheReference) {
    ASSERT_GT(recorded.count(), 1);
    for (int i = 0; i < recorded.count(); ++i) {
        const LatentMoments moments = vae.encode(recorded.of(i, "x"));
        EXPECT_LT(relativeError(moments.mean_CTHW, recorded.of(i, "mean")), kTolerance) << i;
        EXPECT_LT(relativeError(moments.logvar_CTHW, recorded.of(i, "logvar")), kTolerance) << i;
        EXPECT_LT(relativeError(decoded(vae, recorded.of(i, "z")), recorded.pictures(i)), kTolerance) << i;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Configs, ImageVaeParity,
    testing::Values(ImageParityCase{"with_quant_convs", {}, "WithQuantConvs"},
                    ImageParityCase{
                        "with_quant_convs", {.engine = ConvEngine::Libtorch}, "WithQuantConvsLibtorch"},
                    ImageParityCase{"with_quant_convs", {.framesTogether = 8}, "WithQuantConvsTogether"},
                    ImageParityCase{"shifted", {}, "Shifted"},
                    ImageParityCase{"shifted", {.engine = ConvEngine::Libtorch}, "ShiftedLibtorch"}),
    [](const auto& tested) { return tested.param.name; });

/// With enable_tiling and diffusers' own tiles.
TEST(ImageVaeTiledParity, DecodesAndEncodesAsTheReference) {
    const ImageVae vae = recordedVae("with_quant_convs");
    const RecordedPictures recorded("with_quant_convs_tiled");
    const Tiling tiling = vae.config().tiling();
    ASSERT_EQ(recorded.count(), 3);
    for (int i = 0; i < recorded.count(); ++i) {
        EXPECT_LT(relativeError(vae.decodeTiled(recorded.of(i, "z"), tiling), recorded.pictures(i)),
                  kTolerance)
            << i;
        const LatentMoments moments = vae.encodeTiled(recorded.of(i, "x"), tiling);
        EXPECT_LT(relativeError(moments.mean_CTHW, recorded.of(i, "mean")), kTolerance) << i;
        EXPECT_LT(relativeError(moments.logvar_CTHW, recorded.of(i, "logvar")), kTolerance) << i;
    }
    EXPECT_GT(relativeError(decoded(vae, recorded.of(0, "z")), recorded.pictures(0)), 1e-2)
        << "the whole should differ";
}

TEST(ImageVaeParity16Bit, StaysCloseInBf16AndFp16) {
    const RecordedPictures recorded("with_quant_convs");
    for (const auto& [dtype, most] : {std::pair{at::kBFloat16, 0.1}, {at::kHalf, 0.02}}) {
        const ImageVae vae = recordedVae("with_quant_convs", {}, dtype);
        const double error = relativeError(decoded(vae, recorded.of(0, "z")), recorded.pictures(0));
        EXPECT_LT(error, most) << dtype;
        EXPECT_GT(error, 1e-5) << dtype << " was not used";
    }
}

class OfficialImageVae : public testing::TestWithParam<std::string> {
  protected:
    nlohmann::json official =
        nlohmann::json::parse(readFile(fixtureFolder() / "image" / "official_parameters.json").value())
            .at(GetParam());
    ImageVaeConfig config = ImageVaeConfig::from(weights::ModelConfig(official.at("config"), GetParam()));
    Parameters expected = official.at("parameters").get<Parameters>();
};

TEST_P(OfficialImageVae, HasTheReferencesNamesAndShapes) {
    const auto fixed =
        GetParam() == "sd15" ? ImageVaeConfig::stableDiffusion15() : ImageVaeConfig::stableDiffusion35();
    EXPECT_EQ(fixed.latentChannels, config.latentChannels);
    EXPECT_EQ(fixed.scalingFactor, config.scalingFactor);
    EXPECT_EQ(fixed.shiftFactor, config.shiftFactor);
    EXPECT_EQ(fixed.quantConvs, config.quantConvs);
    EXPECT_EQ(fixed.blockChannels, config.blockChannels);
    EXPECT_EQ(fixed.tiling(), config.tiling());
    weights::RecordingWeights asked;
    const ImageVae vae(weights::WeightScope(asked, at::kHalf), fixed);
    EXPECT_EQ(asked.requests().size(), expected.size());
    EXPECT_EQ(Parameters(asked.requests().begin(), asked.requests().end()), expected);
}

TEST_P(OfficialImageVae, FindsThemInASingleFile) {
    const auto names = official.at("single_file").get<std::map<std::string, std::string>>();
    for (const auto& [name, stored] : names) EXPECT_EQ("first_stage_model." + ldmVaeName(name, 4), stored);
    Parameters inFile;
    for (const auto& [name, stored] : names) {
        inFile[stored] = expected.at(name);
        if (name.find("attentions.0.to_") != std::string::npos && inFile[stored].size() == 2)
            inFile[stored].insert(inFile[stored].end(), {1, 1});
    }
    auto recording = std::make_unique<weights::RecordingWeights>(
        [&](const std::string& name) { return inFile.contains(name); });
    const auto& requests = recording->requests();
    const auto source = imageVaeNames(std::move(recording), 4);
    const ImageVae vae(weights::WeightScope(*source, at::kHalf), config);
    EXPECT_EQ(Parameters(requests.begin(), requests.end()), inFile);
}

INSTANTIATE_TEST_SUITE_P(Published, OfficialImageVae, testing::Values("sd15", "sd35"),
                         [](const auto& tested) { return tested.param; });

TEST(ImageVaeNames, KnowTheAttentionOfOldCheckpoints) {
    auto tensors = readTensors("image/with_quant_convs.safetensors");
    std::map<std::string, at::Tensor> old;
    for (const auto& [name, tensor] : tensors) {
        std::string then = name;
        for (const auto& [now, before] : std::map<std::string, std::string>{{".to_q.", ".query."},
                                                                            {".to_k.", ".key."},
                                                                            {".to_v.", ".value."},
                                                                            {".to_out.0.", ".proj_attn."}})
            if (const auto at = then.find(now); at != std::string::npos) then.replace(at, now.size(), before);
        old[then] = tensor;
    }
    const RecordedPictures recorded("with_quant_convs");
    const auto source = imageVaeNames(std::make_unique<TensorMap>(old), 3);
    const ImageVae vae(weights::WeightScope(*source, at::kFloat), recordedConfig("with_quant_convs"));
    EXPECT_LT(relativeError(decoded(vae, recorded.of(0, "z")), recorded.pictures(0)), kTolerance);
}

std::string failureText(const std::function<void()>& run) {
    try {
        run();
    } catch (const Failure& failure) {
        return failure.error().message;
    }
    return "no failure";
}

TEST(ImageVae, RefusesWhatItCannotTakeNamingIt) {
    const ImageVae vae = recordedVae("with_quant_convs", {.parts = VaeParts::Decoder});
    const auto decode = [&](at::IntArrayRef shape) {
        return failureText([&] { (void)decoded(vae, at::zeros(shape)); });
    };
    EXPECT_THAT(decode({5, 1, 4, 4}), testing::HasSubstr("[5, 1, 4, 4], needed [4, T, H, W]"));
    EXPECT_THAT(decode({4, 4, 4}), testing::HasSubstr("[4, 4, 4]"));
    EXPECT_THAT(failureText([&] {
                    (void)vae.encode(at::zeros({3, 1, 8, 8}));
                }),
                testing::HasSubstr("without its encoder"));
    const ImageVae whole = recordedVae("with_quant_convs");
    EXPECT_THAT(failureText([&] {
                    (void)whole.encode(at::zeros({3, 1, 8, 6}));
                }),
                testing::HasSubstr("multiples of 4"));
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THAT(failureText([&] {
                    whole.decodeTo(
                        at::zeros({4, 1, 4, 4}), [](const at::Tensor&) {}, stop.get_token());
                }),
                testing::HasSubstr("cancelled"));
    nlohmann::json usual = {{"block_out_channels", {32, 64}}};
    for (const nlohmann::json& change : {nlohmann::json{{"act_fn", "relu"}},
                                         {{"mid_block_add_attention", false}},
                                         {{"latents_mean", {0}}},
                                         {{"block_out_channels", {33}}},
                                         {{"scaling_factor", 0}},
                                         {{"use_quant_conv", false}},
                                         {{"in_channels", 4}},
                                         {{"down_block_types", {"AttnDownEncoderBlock2D"}}},
                                         {{"up_block_types", {"UpDecoderBlock2D", "AttnUpDecoderBlock2D"}}},
                                         {{"_class_name", "AutoencoderTiny"}}}) {
        nlohmann::json config = usual;
        config.update(change);
        EXPECT_THAT(
            failureText([&] { (void)ImageVaeConfig::from(weights::ModelConfig(config, "config.json")); }),
            testing::HasSubstr("config.json: " + change.begin().key()));
    }
}

}  // namespace
}  // namespace reelgrid::vae::image
