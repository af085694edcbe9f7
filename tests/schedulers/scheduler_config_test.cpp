#include <gmock/gmock.h>

#include <set>

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/schedulers/scheduler.h"
#include "core/schedulers/scheduler_list.h"
#include "core/weights/model_config.h"

namespace reelgrid::schedulers {
namespace {

using testing::HasSubstr;

nlohmann::json uniPC(const nlohmann::json& changes = nlohmann::json::object()) {
    nlohmann::json config = {{"_class_name", "UniPCMultistepScheduler"},
                             {"prediction_type", "flow_prediction"},
                             {"use_flow_sigmas", true},
                             {"flow_shift", 3.0}};
    config.update(changes);
    return config;
}

nlohmann::json euler(double shift) {
    return {{"_class_name", "FlowMatchEulerDiscreteScheduler"}, {"shift", shift}};
}

std::unique_ptr<Scheduler> make(const nlohmann::json& config, const SchedulerOverrides& overrides = {}) {
    auto scheduler = makeScheduler(weights::ModelConfig(config, "scheduler_config.json"), overrides);
    scheduler->setTimesteps(8);
    return scheduler;
}

Error errorOf(const nlohmann::json& config, const SchedulerOverrides& overrides = {}) {
    try {
        (void)make(config, overrides);
    } catch (const Failure& failure) {
        return failure.error();
    }
    return {ErrorCode::Internal, "accepted"};
}

TEST(SchedulerConfig, AnotherSamplerTakesOverTheShift) {
    EXPECT_EQ(make(uniPC(), {"euler", {}})->sigmas(), make(euler(3.0))->sigmas());
    EXPECT_EQ(make(euler(3.0), {"unipc", {}})->sigmas(), make(uniPC())->sigmas());
}

TEST(SchedulerConfig, ShiftOverridesTheCheckpoints) {
    EXPECT_EQ(make(uniPC(), {{}, 5.0})->sigmas(), make(uniPC({{"flow_shift", 5.0}}))->sigmas());
    EXPECT_NE(make(uniPC(), {{}, 5.0})->sigmas(), make(uniPC())->sigmas());
    EXPECT_EQ(errorOf(uniPC(), {{}, 0.0}).code, ErrorCode::BadUsage);
    EXPECT_EQ(errorOf(uniPC(), {{}, std::nan("")}).code, ErrorCode::BadUsage);
}

TEST(SchedulerConfig, RejectsWhatItCannotDoNamingKeyAndValue) {
    const std::vector<std::pair<std::string, nlohmann::json>> changes{
        {"prediction_type", "epsilon"},
        {"use_flow_sigmas", false},
        {"use_karras_sigmas", true},
        {"use_beta_sigmas", true},
        {"solver_order", 4},
        {"solver_type", "bh3"},
        {"thresholding", true},
        {"predict_x0", false},
        {"lower_order_final", false},
        {"shift_terminal", 1.5},
        {"final_sigmas_type", "one"},
        {"use_dynamic_shifting", true},
        {"_class_name", "HeunDiscreteScheduler"}};
    for (const auto& [key, value] : changes) {
        const Error error = errorOf(uniPC({{key, value}}));
        EXPECT_EQ(error.code, ErrorCode::Unsupported) << key;
        const std::string shown = value.is_string() ? value.get<std::string>() : value.dump();
        EXPECT_THAT(error.message, AllOf(HasSubstr(key), HasSubstr(shown)));
    }
    EXPECT_EQ(errorOf(uniPC(), {"ddim", {}}).message,
              "scheduler ddim: unipc or euler or rcm or rcm-ode was needed, the model's is "
              "UniPCMultistepScheduler");
}

/// A config as diffusers saves it, -Infinity included: the message is about the class.
TEST(SchedulerConfig, NamesAClassThatIsNotHereAndThoseThatAre) {
    const nlohmann::json stored = parseJson(R"({"_class_name": "HeunDiscreteScheduler",
                                                "lambda_min_clipped": -Infinity})",
                                            "scheduler_config.json", JsonDialect::Python)
                                      .value();
    EXPECT_EQ(errorOf(stored).message,
              "scheduler_config.json: _class_name is \"HeunDiscreteScheduler\", this version needs "
              "UniPCMultistepScheduler (unipc) or FlowMatchEulerDiscreteScheduler (euler) or "
              "RCMScheduler (rcm) or RCMOdeScheduler (rcm-ode) or "
              "CogVideoXDDIMScheduler (ddim) or CogVideoXDPMScheduler (dpm) or DDIMScheduler (ddim) or "
              "PNDMScheduler (pndm) or EulerDiscreteScheduler (euler) or EulerAncestralDiscreteScheduler "
              "(euler-ancestral) or DPMSolverMultistepScheduler (dpm++) or LCMScheduler (lcm)");
}

TEST(SchedulerConfig, OnlyThoseThatStartFromALevelTakeOne) {
    EXPECT_EQ(errorOf(uniPC(), {.name = {}, .flowShift = {}, .sigmaMax = 80.0}).message,
              "sigma_max is 80.000000, which unipc doesn't start from: rcm or rcm-ode was needed");
    EXPECT_NO_THROW((void)makeScheduler(weights::ModelConfig(uniPC(), "scheduler_config.json"),
                                        {.name = "rcm-ode", .flowShift = {}, .sigmaMax = 80.0}));
}

TEST(SchedulerConfig, OfAnotherKindOfPredictionIsRefused) {
    const auto refusal = [](const char* className, Prediction prediction,
                            std::vector<std::string_view> options) -> std::string {
        try {
            (void)samplerConfig(weights::ModelConfig({{"_class_name", className}}, "scheduler_config.json"),
                                prediction, options);
        } catch (const Failure& failure) {
            return failure.error().message;
        }
        return "taken";
    };
    using enum Prediction;
    EXPECT_EQ(refusal("DDIMScheduler", SnrShiftedVelocity, {}),
              "scheduler_config.json: _class_name is \"DDIMScheduler\", this version needs "
              "CogVideoXDDIMScheduler (ddim) or CogVideoXDPMScheduler (dpm)");
    EXPECT_EQ(refusal("RCMScheduler", Flow, {"unipc", "euler"}),
              "scheduler_config.json: _class_name is \"RCMScheduler\", this version needs "
              "UniPCMultistepScheduler (unipc) or FlowMatchEulerDiscreteScheduler (euler)");
    EXPECT_EQ(refusal("RCMScheduler", Flow, {}), "taken");
    EXPECT_EQ(refusal("EulerDiscreteScheduler", VariancePreserving, {"euler"}), "taken");
}

TEST(SchedulerConfig, TakesEulersOwnSpacingsOnly) {
    nlohmann::json karras = euler(3.0);
    karras["use_karras_sigmas"] = true;
    EXPECT_NE(make(karras)->sigmas(), make(euler(3.0))->sigmas());
    EXPECT_THAT(errorOf(karras, {"unipc", {}}).message, HasSubstr("use_karras_sigmas is true"));
    EXPECT_THAT(errorOf(uniPC({{"use_karras_sigmas", true}}), {"euler", {}}).message,
                HasSubstr("use_karras_sigmas is true"));
    karras["use_exponential_sigmas"] = true;
    EXPECT_THAT(errorOf(karras).message, HasSubstr("false beside use_karras_sigmas"));
    nlohmann::json beta = euler(3.0);
    beta["use_beta_sigmas"] = true;
    EXPECT_THAT(errorOf(beta).message, HasSubstr("use_beta_sigmas is true"));
}

TEST(SchedulerConfig, SamplersHaveClassesOfTheirOwnAndOptionsThatAreUniqueForAPrediction) {
    std::set<std::string_view> classes;
    std::set<std::pair<Prediction, std::string_view>> options;
    for (const SchedulerRow& row : schedulerList()) {
        EXPECT_TRUE(classes.insert(row.className).second) << row.className;
        EXPECT_TRUE(options.emplace(row.prediction, row.option).second) << row.option;
        EXPECT_NE(row.make, nullptr) << row.option;
    }
}

/// Flow matching adds unit noise and shows the model the sample as it is.
TEST(SchedulerConfig, FlowSamplersLeaveTheModelsInputAlone) {
    const at::Tensor sample = at::arange(6, at::kFloat);
    for (const nlohmann::json& config : {uniPC(), euler(3.0)}) {
        const auto scheduler = make(config);
        EXPECT_TRUE(at::equal(scheduler->scaleModelInput(sample, 3), sample));
        EXPECT_EQ(scheduler->initialNoiseSigma(), 1.0);
    }
}

TEST(SchedulerConfig, RejectsImpossibleStepCounts) {
    const auto scheduler = make(uniPC());
    EXPECT_THROW(scheduler->setTimesteps(0), Failure);
    EXPECT_THROW(scheduler->setTimesteps(1001), Failure);
}

TEST(SchedulerConfig, UniPCRefusesStepsOutOfOrder) {
    const auto scheduler = make(uniPC());
    const at::Tensor sample = at::ones({1, 1});
    EXPECT_THROW((void)scheduler->step(sample, 1, sample), Failure);
}

}  // namespace
}  // namespace reelgrid::schedulers
