#include <gtest/gtest.h>

#include <map>

#include "core/base/pending_file.h"
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
        const LatentMoments moments = vae.encode(of(clip, "x"));
        EXPECT_LT(relativeError(moments.mean_BCTHW, of(clip, "mean")), kTolerance) << "clip " << clip;
        EXPECT_LT(relativeError(moments.logvar_BCTHW, of(clip, "logvar")), kTolerance) << "clip " << clip;
    }
}

TEST_P(WanVaeParity, DecodesAsTheReference) {
    ASSERT_GT(clips(), 0);
    for (int clip = 0; clip < clips(); ++clip) {
        EXPECT_LT(relativeError(vae.decode(of(clip, "z")), of(clip, "y")), kTolerance) << "clip " << clip;
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
                                         ParityCase{"odd_widths", ConvEngine::Libtorch}),
                         nameOfCase);

TEST(WanVaeParameters, AreTheReferencesAtTheOfficialConfiguration) {
    const nlohmann::json document =
        nlohmann::json::parse(readFile(fixtureFolder() / "wan21_parameters.json").value());
    const WanVaeConfig config =
        WanVaeConfig::from(weights::ModelConfig(document.at("config"), "wan21_parameters.json"));
    weights::RecordingWeights recording;
    const WanVae vae(weights::WeightScope(recording, at::kFloat), config);

    using Shapes = std::map<std::string, std::vector<std::int64_t>>;
    Shapes asked;
    for (const auto& [name, shape] : recording.requests()) {
        EXPECT_TRUE(asked.emplace(name, shape).second) << name << " was asked for twice";
    }
    EXPECT_EQ(asked, document.at("parameters").get<Shapes>());
}

TEST(WanVaeParameters, OfACheckpointAreAllUsed) {
    TensorMap source(readTensors("two_blocks.safetensors"));
    const WanVae vae(weights::WeightScope(source, at::kFloat), fixtureConfig("two_blocks"));
    EXPECT_EQ(source.unused(), 0u);
}

}  // namespace
}  // namespace reelgrid::vae::wan21
