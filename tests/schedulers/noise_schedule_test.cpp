#include "core/schedulers/noise_schedule.h"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/weights/safetensors_folder.h"

namespace reelgrid::schedulers {
namespace {

const std::string kFolder = REELGRID_SOURCE_DIR "/tests/fixtures/schedulers/";

nlohmann::json cases() {
    std::ifstream file(kFolder + "noise_schedules.json");
    return nlohmann::json::parse(file);
}

NoiseScheduleOptions optionsOf(const nlohmann::json& config) {
    const std::string spacing = config.at("beta_schedule");
    return {.trainTimesteps = config.at("num_train_timesteps"),
            .betaStart = config.at("beta_start"),
            .betaEnd = config.at("beta_end"),
            .spacing = spacing == "linear"          ? BetaSpacing::Linear
                       : spacing == "scaled_linear" ? BetaSpacing::ScaledLinear
                                                    : BetaSpacing::SquaredCosine,
            .terminalSnr =
                config.at("rescale_betas_zero_snr").get<bool>() ? TerminalSnr::Zero : TerminalSnr::AsTrained};
}

class NoiseScheduleParity : public testing::TestWithParam<nlohmann::json> {};

TEST_P(NoiseScheduleParity, HoldsTheReferencesBetasAndAlphas) {
    const NoiseScheduleOptions options = optionsOf(GetParam());
    const NoiseSchedule schedule(options);
    weights::SafetensorsFolder fixture(kFolder + "noise_schedules");
    const std::string name = GetParam().at("name");
    // float32 roundings add up over 1000 products, twice where the schedule is rescaled.
    const auto expectNear = [&](const std::vector<float>& values, const std::string& what) {
        const at::Tensor expected = fixture.require(name + "." + what, {options.trainTimesteps});
        EXPECT_LE((at::tensor(values) - expected).abs().max().item<double>(), 5e-6) << what;
    };
    expectNear(schedule.betas, "betas");
    expectNear(schedule.alphasCumprod, "alphas_cumprod");
    if (options.terminalSnr == TerminalSnr::Zero) {
        EXPECT_EQ(schedule.alphasCumprod.back(), 0.0F);
    } else {
        EXPECT_GT(schedule.alphasCumprod.back(), 0.0F);
    }
}

INSTANTIATE_TEST_SUITE_P(Reference, NoiseScheduleParity, testing::ValuesIn(cases()),
                         [](const auto& testCase) {
                             return testCase.param.at("name").template get<std::string>();
                         });

}  // namespace
}  // namespace reelgrid::schedulers
