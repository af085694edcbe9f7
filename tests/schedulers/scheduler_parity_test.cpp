#include <gmock/gmock.h>

#include <fstream>

#include "core/schedulers/scheduler.h"
#include "core/weights/model_config.h"
#include "core/weights/safetensors_folder.h"

namespace reelgrid::schedulers {
namespace {

const std::string kFolder = REELGRID_SOURCE_DIR "/tests/fixtures/schedulers/";
constexpr double kRelative = 2e-6;

nlohmann::json cases() {
    std::ifstream file(kFolder + "cases.json");
    return nlohmann::json::parse(file).at("cases");
}

class SchedulerParity : public testing::TestWithParam<nlohmann::json> {};

TEST_P(SchedulerParity, FollowsTheReferenceTrajectory) {
    const std::string name = GetParam().at("name");
    const std::int64_t steps = GetParam().at("steps");
    const auto scheduler = makeScheduler(weights::ModelConfig(GetParam().at("config"), name));
    weights::SafetensorsFolder fixture(kFolder + "trajectories");
    const std::vector<std::int64_t> shape{1, 2, 2, 2, 3};
    const at::Tensor pattern = fixture.require("pattern", shape);
    const at::Tensor expected = fixture.require(name + ".trajectory", {steps, 1, 2, 2, 2, 3});

    // Twice, so that nothing is left over from the trajectory before.
    for (int repetition = 0; repetition < 2; ++repetition) {
        scheduler->setTimesteps(steps);
        EXPECT_TRUE(
            at::equal(at::tensor(scheduler->sigmas()), fixture.require(name + ".sigmas", {steps + 1})));
        const at::Tensor timesteps = at::tensor(scheduler->timesteps()).to(at::kDouble);
        EXPECT_TRUE(at::equal(timesteps, fixture.require(name + ".timesteps", {steps})));

        at::Tensor sample = fixture.require("initial", shape);
        for (std::int64_t i = 0; i < steps; ++i) {
            const float t = scheduler->timesteps()[static_cast<std::size_t>(i)];
            const at::Tensor velocity = 0.7 * sample - pattern * (0.3F + t / 1000.0F);
            sample = scheduler->step(velocity, i, sample);
            const double scale = expected[i].abs().max().item<double>();
            EXPECT_LE((sample - expected[i]).abs().max().item<double>(), kRelative * scale) << "step " << i;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Reference, SchedulerParity, testing::ValuesIn(cases()), [](const auto& testCase) {
    const nlohmann::json& config = testCase.param.at("config");
    return testCase.param.at("name").template get<std::string>() + "_" +
           config.at("_class_name").template get<std::string>() + "_" +
           std::to_string(testCase.param.at("steps").template get<int>());
});

}  // namespace
}  // namespace reelgrid::schedulers
