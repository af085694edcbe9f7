#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "core/base/pending_file.h"
#include "core/vae/wan21/vae_checkpoint.h"
#include "tests/vae/wan21/vae_fixture.h"

namespace reelgrid::vae::wan21 {
namespace {

constexpr double kTolerance = 1e-4;

struct ParityCase {
    std::string fixture;
    ConvEngine engine;
};

std::ostream& operator<<(std::ostream& out, const ParityCase& parityCase) {
    return out << parityCase.fixture;
}

class WanVaeParity : public testing::TestWithParam<ParityCase> {
  protected:
    WanVae vae{fixtureVae(GetParam().fixture, {.engine = GetParam().engine})};
    std::map<std::string, at::Tensor> recorded = readTensors(GetParam().fixture + "_io.safetensors");

    [[nodiscard]] int clips() const { return int(recorded.size() / 5); }
    at::Tensor of(int clip, const std::string& what) {
        return recorded.at(std::to_string(clip) + "." + what);
    }
};

TEST_P(WanVaeParity, EncodesAsTheReference) {
    ASSERT_GT(clips(), 0);
    for (int clip = 0; clip < clips(); ++clip) {
        const MomentsOfClips moments = encodeClips(vae, of(clip, "x"));
        EXPECT_LT(relativeError(moments.mean_BCTHW, of(clip, "mean")), kTolerance) << "clip " << clip;
        EXPECT_LT(relativeError(moments.logvar_BCTHW, of(clip, "logvar")), kTolerance) << "clip " << clip;
    }
}

TEST_P(WanVaeParity, DecodesAsTheReference) {
    ASSERT_GT(clips(), 0);
    for (int clip = 0; clip < clips(); ++clip) {
        EXPECT_LT(relativeError(decodeClips(vae, of(clip, "z")), of(clip, "y")), kTolerance)
            << "clip " << clip;
    }
}

/// Clips that diffusers encoded and decoded with enable_tiling: with last tiles that are short, that lie
/// whole within the overlap, and of a picture that fits into one.
class WanVaeTiledParity : public testing::TestWithParam<ConvEngine> {
  protected:
    static constexpr TileAxis kEdge{.tilePixels = 32, .stridePixels = 24};
    static constexpr Tiling kTiling{kEdge, kEdge};
    WanVae vae{fixtureVae("two_levels_in_time", {.engine = GetParam()})};
    std::map<std::string, at::Tensor> recorded = readTensors("two_levels_in_time_tiled_io.safetensors");

    [[nodiscard]] int clips() const { return int(recorded.size() / 5); }
    at::Tensor of(int clip, const std::string& what) {
        return recorded.at(std::to_string(clip) + "." + what);
    }
};

TEST_P(WanVaeTiledParity, EncodesAsTheReference) {
    ASSERT_EQ(clips(), 3);
    for (int clip = 0; clip < clips(); ++clip) {
        const MomentsOfClips moments = encodeClips(vae, of(clip, "x"), kTiling);
        EXPECT_LT(relativeError(moments.mean_BCTHW, of(clip, "mean")), kTolerance) << "clip " << clip;
        EXPECT_LT(relativeError(moments.logvar_BCTHW, of(clip, "logvar")), kTolerance) << "clip " << clip;
    }
}

TEST_P(WanVaeTiledParity, DecodesAsTheReference) {
    for (int clip = 0; clip < clips(); ++clip) {
        const at::Tensor z = of(clip, "z"), y = of(clip, "y");
        for (std::int64_t n = 0; n < z.size(0); ++n) {
            const at::Tensor frames_THWC = vae.decodeTiled(z[n], kTiling);
            EXPECT_LT(relativeError(frames_THWC.permute({3, 0, 1, 2}), y[n]), kTolerance) << "clip " << clip;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Engines, WanVaeTiledParity,
                         testing::Values(ConvEngine::Fastest, ConvEngine::Libtorch), [](const auto& engine) {
                             return engine.param == ConvEngine::Fastest ? "fastest" : "libtorch";
                         });

/// What tiles of the demo model's clips differ by from the whole, dB.
double seamPsnr(std::int64_t tilePixels) {
    const std::filesystem::path folder =
        std::filesystem::path(REELGRID_SOURCE_DIR) / "resources" / "models" / "wan-demo" / "vae";
    VaeCheckpoint checkpoint = openCheckpoint(folder);
    const WanVae vae(weights::WeightScope(*checkpoint.weights, at::kFloat), checkpoint.config);
    const at::Tensor z =
        vae.denormalised(readTensors("demo_latents.safetensors").at("latents").to(at::kFloat))[0];
    const at::Tensor whole = decodeClips(vae, z.unsqueeze(0))[0];
    const at::Tensor tiled = vae.decodeTiled(z, Tiling::ofEdge(tilePixels, 8)).permute({3, 0, 1, 2});
    return 10 * std::log10(4 / (tiled - whole).pow(2).mean().item<double>());
}

TEST(WanVaeSeams, AreFaintInTheDemosClips) {
    for (const std::int64_t tilePixels : {192, 128}) {
        const double psnr = seamPsnr(tilePixels);
        EXPECT_GE(psnr, 45) << tilePixels << " pixels";
        EXPECT_LT(psnr, 100) << tilePixels << " pixels: it was cut";
    }
}

std::string nameOfCase(const testing::TestParamInfo<ParityCase>& info) {
    return info.param.fixture + (info.param.engine == ConvEngine::Fastest ? "_fastest" : "_libtorch");
}

INSTANTIATE_TEST_SUITE_P(Fixtures, WanVaeParity,
                         testing::Values(ParityCase{"two_levels_in_time", ConvEngine::Fastest},
                                         ParityCase{"two_levels_in_time", ConvEngine::Libtorch},
                                         ParityCase{"two_blocks", ConvEngine::Fastest},
                                         ParityCase{"two_blocks", ConvEngine::Libtorch},
                                         ParityCase{"odd_widths", ConvEngine::Fastest},
                                         ParityCase{"odd_halves", ConvEngine::Fastest},
                                         ParityCase{"odd_halves", ConvEngine::Libtorch},
                                         ParityCase{"odd_widths", ConvEngine::Libtorch},
                                         ParityCase{"residual", ConvEngine::Fastest},
                                         ParityCase{"residual", ConvEngine::Libtorch}),
                         nameOfCase);

class WanVaeParameters : public testing::TestWithParam<const char*> {};

TEST_P(WanVaeParameters, AreTheReferencesAtTheOfficialConfiguration) {
    const nlohmann::json document = nlohmann::json::parse(readFile(fixtureFolder() / GetParam()).value());
    const WanVaeConfig config = WanVaeConfig::from(weights::ModelConfig(document.at("config"), GetParam()));
    weights::RecordingWeights recording;
    const WanVae vae(weights::WeightScope(recording, at::kFloat), config);

    using Shapes = std::map<std::string, std::vector<std::int64_t>>;
    Shapes asked;
    for (const auto& [name, shape] : recording.requests()) {
        EXPECT_TRUE(asked.emplace(name, shape).second) << name << " was asked for twice";
    }
    EXPECT_EQ(asked, document.at("parameters").get<Shapes>());
}

INSTANTIATE_TEST_SUITE_P(Official, WanVaeParameters,
                         testing::Values("wan21_parameters.json", "wan22_parameters.json"));

TEST(WanVaeCheckpoint, IsUsedWhole) {
    for (const char* name : {"two_blocks", "residual"}) {
        TensorMap source(readTensors(std::string(name) + ".safetensors"));
        const WanVae vae(weights::WeightScope(source, at::kFloat), fixtureConfig(name));
        EXPECT_EQ(source.unused(), 0u) << name;
    }
}

}  // namespace
}  // namespace reelgrid::vae::wan21
