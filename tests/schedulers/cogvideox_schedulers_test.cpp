#include <gmock/gmock.h>

#include <fstream>

#include "core/base/result.h"
#include "core/schedulers/initial_noise.h"
#include "core/schedulers/scheduler.h"
#include "core/weights/model_config.h"
#include "core/weights/safetensors_folder.h"

namespace reelgrid::schedulers {
namespace {

const std::string kFolder = REELGRID_SOURCE_DIR "/tests/fixtures/schedulers/";
const std::vector<std::int64_t> kShape{1, 2, 2, 2, 3};
constexpr double kRelative = 2e-6;

nlohmann::json cases() {
    std::ifstream file(kFolder + "cogvideox.json");
    return nlohmann::json::parse(file);
}

class CogVideoXSchedulerParity : public testing::TestWithParam<nlohmann::json> {};

TEST_P(CogVideoXSchedulerParity, FollowsTheReferenceTrajectory) {
    const std::string name = GetParam().at("name");
    const std::int64_t steps = GetParam().at("steps");
    weights::SafetensorsFolder fixture(kFolder + "cogvideox"), shared(kFolder + "trajectories");
    const at::Tensor pattern = shared.require("pattern", kShape);
    const at::Tensor expected = fixture.require(name + ".trajectory", {steps, 1, 2, 2, 2, 3});
    const at::Tensor timesteps = fixture.require(name + ".timesteps", {steps});

    std::optional<NoiseStream> noise;
    const auto scheduler = makeScheduler(weights::ModelConfig(GetParam().at("config"), name), {},
                                         [&] { return noise->draw(kShape); });
    // Twice, so that nothing is left over from the trajectory before.
    for (int repetition = 0; repetition < 2; ++repetition) {
        noise.emplace(11);
        scheduler->setTimesteps(steps);
        EXPECT_TRUE(at::equal(at::tensor(scheduler->timesteps()).to(at::kDouble), timesteps));
        EXPECT_EQ(scheduler->sigmas().size(), static_cast<std::size_t>(steps) + 1);
        at::Tensor sample = shared.require("initial", kShape);
        for (std::int64_t i = 0; i < steps; ++i) {
            const float t = scheduler->timesteps()[static_cast<std::size_t>(i)];
            const at::Tensor velocity = 0.7 * sample - pattern * (0.3F + t / 1000.0F);
            sample = scheduler->step(velocity, i, sample);
            const double scale = expected[i].abs().max().item<double>();
            EXPECT_LE((sample - expected[i]).abs().max().item<double>(), kRelative * scale) << "step " << i;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Reference, CogVideoXSchedulerParity, testing::ValuesIn(cases()),
                         [](const auto& testCase) {
                             return testCase.param.at("name").template get<std::string>() + "_" +
                                    testCase.param.at("config").at("_class_name").template get<std::string>();
                         });

nlohmann::json ddim(const nlohmann::json& changes = nlohmann::json::object()) {
    nlohmann::json config = {{"_class_name", "CogVideoXDDIMScheduler"},
                             {"prediction_type", "v_prediction"},
                             {"timestep_spacing", "trailing"}};
    config.update(changes);
    return config;
}

Error errorOf(const nlohmann::json& config, const SchedulerOverrides& overrides = {}) {
    try {
        (void)makeScheduler(weights::ModelConfig(config, "scheduler_config.json"), overrides);
    } catch (const Failure& failure) {
        return failure.error();
    }
    return {ErrorCode::Internal, "accepted"};
}

TEST(CogVideoXSchedulerConfig, EitherSamplerTakesTheOthersSchedule) {
    const weights::ModelConfig stored(ddim({{"snr_shift_scale", 1.0}}), "scheduler_config.json");
    const auto own = makeScheduler(stored), other = makeScheduler(stored, {"dpm", {}});
    own->setTimesteps(7);
    other->setTimesteps(7);
    EXPECT_EQ(own->sigmas(), other->sigmas());
    EXPECT_EQ(own->timesteps(), other->timesteps());
}

TEST(CogVideoXSchedulerConfig, RejectsWhatItCannotDoNamingKeyAndValue) {
    for (const nlohmann::json& change :
         {nlohmann::json{{"prediction_type", "epsilon"}}, nlohmann::json{{"beta_schedule", "linear"}},
          nlohmann::json{{"timestep_spacing", "karras"}}, nlohmann::json{{"snr_shift_scale", 0}},
          nlohmann::json{{"beta_end", 1}}, nlohmann::json{{"steps_offset", -1}}}) {
        const Error error = errorOf(ddim(change));
        EXPECT_THAT(error.message, testing::HasSubstr(change.begin().key()));
    }
}

TEST(CogVideoXSchedulerConfig, FlowMatchingTakesNoneOfItAndItNothingOfFlowMatching) {
    EXPECT_THAT(errorOf(ddim(), {"euler", {}}).message, testing::HasSubstr("scheduler euler"));
    EXPECT_THAT(errorOf({{"_class_name", "FlowMatchEulerDiscreteScheduler"}}, {"dpm", {}}).message,
                testing::HasSubstr("scheduler dpm"));
}

}  // namespace
}  // namespace reelgrid::schedulers
