#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/pending_file.h"
#include "tests/vae/cogvideox/vae_fixture.h"

namespace reelgrid::vae::cogvideox {
namespace {

constexpr double kTolerance = 1e-4;

struct ParityCase {
    std::string fixture;
    ConvEngine engine;
};

std::ostream& operator<<(std::ostream& out, const ParityCase& parityCase) {
    return out << parityCase.fixture;
}

class CogVideoXVaeParity : public testing::TestWithParam<ParityCase> {
  protected:
    CogVideoXVae vae{fixtureVae(GetParam().fixture, {.engine = GetParam().engine})};
    RecordedClips recorded{GetParam().fixture};
};

TEST_P(CogVideoXVaeParity, EncodesAsTheReference) {
    ASSERT_GT(recorded.count(), 0);
    for (int clip = 0; clip < recorded.count(); ++clip) {
        const LatentMoments moments = vae.encode(recorded.of(clip, "x"));
        EXPECT_LT(relativeError(moments.mean_CTHW, recorded.of(clip, "mean")), kTolerance) << "clip " << clip;
        EXPECT_LT(relativeError(moments.logvar_CTHW, recorded.of(clip, "logvar")), kTolerance)
            << "clip " << clip;
    }
}

TEST_P(CogVideoXVaeParity, DecodesAsTheReference) {
    for (int clip = 0; clip < recorded.count(); ++clip) {
        const at::Tensor z = recorded.of(clip, "z"), frames = decoded(vae, z);
        EXPECT_LT(relativeError(frames, recorded.frames(clip)), kTolerance) << "clip " << clip;
        EXPECT_EQ(frames.size(0), vae.config().frameCount(z.size(1))) << "clip " << clip;
    }
}

INSTANTIATE_TEST_SUITE_P(Configs, CogVideoXVaeParity,
                         testing::Values(ParityCase{"four_sizes", ConvEngine::Fastest},
                                         ParityCase{"four_sizes", ConvEngine::Libtorch},
                                         ParityCase{"odd_widths", ConvEngine::Fastest},
                                         ParityCase{"odd_widths", ConvEngine::Libtorch},
                                         ParityCase{"tiles", ConvEngine::Fastest},
                                         ParityCase{"tiles", ConvEngine::Libtorch}),
                         [](const auto& tested) {
                             return tested.param.fixture +
                                    (tested.param.engine == ConvEngine::Fastest ? "" : "_libtorch");
                         });

/// With enable_tiling and diffusers' own tiles: some that lie whole within the overlap, a picture that fits
/// along one axis alone, and one that fits.
TEST(CogVideoXVaeTiledParity, DecodesAndEncodesAsTheReference) {
    const CogVideoXVae vae = fixtureVae("tiles");
    const RecordedClips recorded("tiles_tiled");
    const Tiling tiling = vae.config().tiling();
    ASSERT_EQ(recorded.count(), 3);
    for (int clip = 0; clip < recorded.count(); ++clip) {
        const at::Tensor frames = vae.decodeTiled(recorded.of(clip, "z"), tiling);
        EXPECT_LT(relativeError(frames, recorded.frames(clip)), kTolerance) << "clip " << clip;
        const LatentMoments moments = vae.encodeTiled(recorded.of(clip, "x"), tiling);
        EXPECT_LT(relativeError(moments.mean_CTHW, recorded.of(clip, "mean")), kTolerance) << "clip " << clip;
        EXPECT_LT(relativeError(moments.logvar_CTHW, recorded.of(clip, "logvar")), kTolerance)
            << "clip " << clip;
    }
    EXPECT_GT(relativeError(decoded(vae, recorded.of(0, "z")), recorded.frames(0)), 1e-2)
        << "the whole should differ";
}

TEST(CogVideoXVaeParity, AsksForTheOfficialParametersAndNoOthers) {
    const auto recorded =
        nlohmann::json::parse(readFile(fixtureFolder() / "cogvideox" / "official_parameters.json").value());
    weights::RecordingWeights asked;
    const CogVideoXVae vae(weights::WeightScope(asked, at::kFloat), CogVideoXVaeConfig::official());
    std::map<std::string, std::vector<std::int64_t>> shapes(asked.requests().begin(), asked.requests().end());
    EXPECT_EQ(shapes.size(), recorded.size());
    EXPECT_EQ(asked.requests().size(), recorded.size());
    for (const auto& [name, shape] : recorded.items())
        EXPECT_EQ(shapes[name], shape.get<std::vector<std::int64_t>>()) << name;
}

}  // namespace
}  // namespace reelgrid::vae::cogvideox
