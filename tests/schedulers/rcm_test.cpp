#include "core/schedulers/rcm.h"

#include <gmock/gmock.h>

#include <fstream>

#include "core/base/result.h"
#include "core/schedulers/initial_noise.h"
#include "core/weights/model_config.h"
#include "core/weights/safetensors_folder.h"

namespace reelgrid::schedulers {
namespace {

using testing::HasSubstr;

const std::string kFolder = REELGRID_SOURCE_DIR "/tests/fixtures/schedulers/";
const std::vector<std::int64_t> kShape{1, 2, 2, 2, 3};

std::vector<nlohmann::json> cases() {
    std::ifstream file(kFolder + "rcm.json");
    return nlohmann::json::parse(file).at("cases");
}

class RcmParity : public testing::TestWithParam<nlohmann::json> {};

TEST_P(RcmParity, FollowsThePublishedTrajectory) {
    const std::string name = GetParam().at("name");
    const std::int64_t steps = GetParam().at("steps");
    NoiseStream stream(11);
    const auto scheduler = makeScheduler(weights::ModelConfig(GetParam().at("config"), name), {},
                                         [&] { return stream.draw(kShape); });
    scheduler->setTimesteps(steps);
    weights::SafetensorsFolder lent(kFolder + "trajectories"), fixture(kFolder + "rcm");
    const at::Tensor pattern = lent.require("pattern", kShape);
    const at::Tensor expected = fixture.require(name + ".trajectory", {steps, 1, 2, 2, 2, 3});
    const at::Tensor times = fixture.require(name + ".times", {steps + 1});
    EXPECT_TRUE(at::equal(at::tensor(scheduler->sigmas()), times.to(at::kFloat)));
    EXPECT_EQ(scheduler->initialNoiseSigma(), times[0].item<double>());
    EXPECT_TRUE(at::equal(at::tensor(scheduler->timesteps()).to(at::kDouble),
                          fixture.require(name + ".timesteps", {steps})));

    at::Tensor sample = lent.require("initial", kShape) * scheduler->initialNoiseSigma();
    for (std::int64_t i = 0; i < steps; ++i) {
        const float t = scheduler->timesteps()[static_cast<std::size_t>(i)];
        sample = scheduler->step(0.7 * sample - pattern * (0.3F + t / 1000.0F), i, sample);
        const double scale = expected[i].abs().max().item<double>();
        EXPECT_LE((sample - expected[i]).abs().max().item<double>(), 2e-6 * scale) << "step " << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Reference, RcmParity, testing::ValuesIn(cases()), [](const auto& testCase) {
    return testCase.param.at("name").template get<std::string>();
});

TEST(Rcm, TellsTheModelThePublishedTimesteps) {
    Rcm sampler(Rcm::Walk::Sde, 80, {});
    sampler.setTimesteps(4);
    EXPECT_EQ(sampler.timesteps(), (std::vector<float>{988, 932, 852, 608}));
}

std::string refusalOf(const nlohmann::json& config, const SchedulerOverrides& overrides, std::int64_t steps) {
    try {
        makeScheduler(weights::ModelConfig(config, "scheduler_config.json"), overrides)->setTimesteps(steps);
    } catch (const Failure& failure) {
        return failure.error().message;
    }
    return "accepted";
}

TEST(Rcm, TakesOneToFourStepsFromANoiseLevelAboveZero) {
    const nlohmann::json rcm = {{"_class_name", "RCMScheduler"}, {"sigma_max", 80}};
    EXPECT_EQ(refusalOf(rcm, {}, 4), "accepted");
    EXPECT_THAT(refusalOf(rcm, {}, 5), HasSubstr("num_inference_steps is 5, a whole number from 1 to 4"));
    EXPECT_THAT(refusalOf(rcm, {}, 0), HasSubstr("num_inference_steps is 0"));
    EXPECT_THAT(refusalOf(rcm, {{}, {}, -1.0}, 4), HasSubstr("sigma_max is -1"));
    EXPECT_THAT(refusalOf({{"_class_name", "RCMScheduler"}, {"sigma_max", 0}}, {}, 4),
                HasSubstr("sigma_max"));
}

TEST(Rcm, TakesThePlaceOfOtherSamplersOfFlows) {
    const nlohmann::json unipc = {{"_class_name", "UniPCMultistepScheduler"},
                                  {"prediction_type", "flow_prediction"},
                                  {"use_flow_sigmas", true},
                                  {"flow_shift", 3.0}};
    const auto levels = [&](const nlohmann::json& config, const SchedulerOverrides& overrides) {
        const auto sampler = makeScheduler(weights::ModelConfig(config, "a"), overrides);
        sampler->setTimesteps(4);
        return sampler->sigmas();
    };
    const nlohmann::json rcm = {{"_class_name", "RCMScheduler"},
                                {"sigma_max", 1600},
                                {"flow_shift", 3.0},
                                {"prediction_type", "flow_prediction"},
                                {"use_flow_sigmas", true}};
    EXPECT_EQ(levels(unipc, {"rcm", {}, 1600.0}), levels(rcm, {}));
    EXPECT_EQ(levels(rcm, {"unipc", {}, {}}), levels(unipc, {}));
    EXPECT_EQ(levels(rcm, {"rcm-ode", {}, {}}), levels(rcm, {}));
}

}  // namespace
}  // namespace reelgrid::schedulers
