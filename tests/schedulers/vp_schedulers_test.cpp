#include <gmock/gmock.h>

#include <fstream>

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/schedulers/dpm_multistep.h"
#include "core/schedulers/euler.h"
#include "core/schedulers/initial_noise.h"
#include "core/schedulers/lcm.h"
#include "core/schedulers/pndm.h"
#include "core/schedulers/scheduler_list.h"
#include "core/schedulers/vp_ddim.h"
#include "core/weights/model_config.h"
#include "core/weights/safetensors_folder.h"

namespace reelgrid::schedulers {
namespace {

const std::string kVpFolder = REELGRID_SOURCE_DIR "/tests/fixtures/schedulers/";
const std::vector<std::int64_t> kVpShape{1, 2, 2, 2, 3};

nlohmann::json vpCases() {
    std::ifstream file(kVpFolder + "vp.json");
    return nlohmann::json::parse(file).at("cases");
}

std::unique_ptr<Scheduler> vpScheduler(const weights::ModelConfig& config, NoiseSource noise = {}) {
    const std::string name = config.text("_class_name");
    if (name == "DDIMScheduler") return std::make_unique<VpDdim>(config);
    if (name == "PNDMScheduler") return std::make_unique<Pndm>(config);
    if (name == "EulerDiscreteScheduler") return std::make_unique<EulerDiscrete>(config);
    if (name == "EulerAncestralDiscreteScheduler")
        return std::make_unique<EulerAncestral>(config, std::move(noise));
    if (name == "DPMSolverMultistepScheduler")
        return std::make_unique<DpmMultistep>(config, std::move(noise));
    return std::make_unique<Lcm>(config, std::move(noise));
}

class VpSchedulerParity : public testing::TestWithParam<nlohmann::json> {
  protected:
    at::Tensor walk(Scheduler& scheduler, at::Tensor sample, std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) {
            const float t = scheduler.timesteps()[std::size_t(i)];
            const at::Tensor seen = scheduler.scaleModelInput(sample, i);
            sample = scheduler.step(0.7 * seen - pattern * (0.3F + t / 1000.0F), i, sample);
            m_walked.push_back(sample);
        }
        return sample;
    }

    std::string name = GetParam().at("name");
    std::int64_t steps = GetParam().at("steps");
    weights::ModelConfig config{GetParam().at("config"), name};
    weights::SafetensorsFolder fixture{kVpFolder + "vp"};
    at::Tensor pattern = fixture.require("pattern", kVpShape);
    at::Tensor initial = fixture.require("initial", kVpShape);
    std::vector<at::Tensor> m_walked;
};

TEST_P(VpSchedulerParity, FollowsTheReferenceTrajectory) {
    NoiseStream stream(11);
    const auto scheduler = vpScheduler(config, [&] { return stream.draw(kVpShape); });
    const at::Tensor start = stream.state();
    // Twice, so that nothing is left over from the trajectory before.
    for (int repetition = 0; repetition < 2; ++repetition) {
        stream.restore(start);
        m_walked.clear();
        scheduler->setTimesteps(steps);
        const auto count = std::int64_t(scheduler->timesteps().size());
        const at::Tensor timesteps = fixture.require(name + ".timesteps", {count});
        EXPECT_LE((at::tensor(scheduler->timesteps()).to(at::kDouble) - timesteps).abs().max().item<double>(),
                  1e-3);
        ASSERT_EQ(std::int64_t(scheduler->sigmas().size()), count + 1);
        if (fixture.has(name + ".sigmas")) {
            const at::Tensor sigmas = fixture.require(name + ".sigmas", {count + 1});
            EXPECT_TRUE(at::allclose(at::tensor(scheduler->sigmas()), sigmas, 1e-5, 1e-7));
        }
        const double unit = GetParam().at("init_noise_sigma");
        EXPECT_NEAR(scheduler->initialNoiseSigma(), unit, 1e-5 * unit);
        const at::Tensor expected = fixture.require(name + ".trajectory", {count, 1, 2, 2, 2, 3});
        (void)walk(*scheduler, initial * unit, 0, count);
        // From the first levels little is left of much noise, and so of its roundings.
        const double rounding = 1e-7 * unit * initial.abs().max().item<double>();
        for (std::int64_t i = 0; i < count; ++i) {
            const double scale = expected[i].abs().max().item<double>();
            EXPECT_LE((m_walked[std::size_t(i)] - expected[i]).abs().max().item<double>(),
                      5e-6 * scale + rounding)
                << "step " << i;
        }
    }
}

TEST_P(VpSchedulerParity, GoesOnFromWhatItRemembered) {
    NoiseStream stream(11);
    const auto draw = [&] { return stream.draw(kVpShape); };
    const auto whole = vpScheduler(config, draw);
    whole->setTimesteps(steps);
    const auto count = std::int64_t(whole->timesteps().size());
    for (std::int64_t next = 0; next <= std::min<std::int64_t>(count, 6); ++next) {
        stream = NoiseStream(11);
        whole->setTimesteps(steps);
        const at::Tensor half = walk(*whole, initial, 0, next);
        const auto remembered = whole->state();
        ASSERT_TRUE(remembered);
        const at::Tensor drawn = stream.state();
        const at::Tensor end = walk(*whole, half, next, count);

        const auto again = vpScheduler(config, draw);
        again->setTimesteps(steps);
        again->restore(next, *remembered);
        stream.restore(drawn);
        EXPECT_TRUE(at::equal(walk(*again, half, next, count), end)) << "from step " << next;
    }
}

INSTANTIATE_TEST_SUITE_P(Reference, VpSchedulerParity, testing::ValuesIn(vpCases()), [](const auto& tested) {
    return tested.param.at("name").template get<std::string>() + "_" +
           tested.param.at("config").at("_class_name").template get<std::string>() + "_" +
           std::to_string(tested.param.at("steps").template get<int>());
});

std::string failureOfVp(const nlohmann::json& config, std::int64_t steps = 4) {
    try {
        vpScheduler(weights::ModelConfig(config, "scheduler_config.json"))->setTimesteps(steps);
    } catch (const Failure& failure) {
        return failure.error().message;
    }
    return "no failure";
}

TEST(VpSchedulers, RefuseWhatTheyCannotDoNamingTheKey) {
    using nlohmann::json;
    const std::vector<std::pair<std::string, json>> changes{
        {"DDIMScheduler", {{"thresholding", true}}},
        {"DDIMScheduler", {{"trained_betas", {0.1}}}},
        {"DDIMScheduler", {{"prediction_type", "flow"}}},
        {"DDIMScheduler", {{"beta_schedule", "sigmoid"}}},
        {"DDIMScheduler", {{"beta_start", 1.5}}},
        {"DDIMScheduler", {{"steps_offset", -1}}},
        {"DDIMScheduler", {{"timestep_spacing", "odd"}}},
        {"DDIMScheduler", {{"rescale_betas_zero_snr", true}}},
        {"DDIMScheduler", {{"clip_sample_range", 0}}},
        {"PNDMScheduler", {{"skip_prk_steps", false}}},
        {"PNDMScheduler", {{"rescale_betas_zero_snr", true}, {"skip_prk_steps", true}}},
        {"EulerDiscreteScheduler", {{"use_beta_sigmas", true}}},
        {"EulerDiscreteScheduler", {{"interpolation_type", "log_linear"}}},
        {"EulerDiscreteScheduler", {{"timestep_type", "odd"}}},
        {"EulerDiscreteScheduler", {{"sigma_min", -1}}},
        {"EulerDiscreteScheduler", {{"final_sigmas_type", "odd"}}},
        {"EulerAncestralDiscreteScheduler", {{"prediction_type", "sample"}}},
        {"DPMSolverMultistepScheduler", {{"solver_order", 3}}},
        {"DPMSolverMultistepScheduler", {{"solver_type", "bh2"}}},
        {"DPMSolverMultistepScheduler", {{"algorithm_type", "dpmsolver"}}},
        {"DPMSolverMultistepScheduler", {{"use_lu_lambdas", true}}},
        {"LCMScheduler", {{"original_inference_steps", 2000}}},
        {"LCMScheduler", {{"timestep_scaling", 0}}},
    };
    for (const auto& [name, change] : changes) {
        json config = change;
        config["_class_name"] = name;
        EXPECT_THAT(failureOfVp(config),
                    testing::HasSubstr("scheduler_config.json: " + change.begin().key()));
    }
    for (const std::int64_t steps : {0, 1001})
        for (const char* name : {"DDIMScheduler", "EulerDiscreteScheduler", "DPMSolverMultistepScheduler"})
            EXPECT_THAT(failureOfVp({{"_class_name", name}}, steps),
                        testing::HasSubstr(std::to_string(steps)));
    EXPECT_THAT(failureOfVp({{"_class_name", "LCMScheduler"}}, 51), testing::HasSubstr("1 to 50"));
}

TEST(VpSchedulers, ReadInfinityAsDiffusersWritesIt) {
    const auto config = parseJson(R"({"_class_name": "DPMSolverMultistepScheduler",
                                      "lambda_min_clipped": -Infinity})",
                                  "scheduler_config.json", JsonDialect::Python)
                            .value();
    EXPECT_EQ(failureOfVp(config), "no failure");
}

TEST(VpSchedulers, AncestralEulerLeavesOtherSamplersLevelsAside) {
    const auto leveled = [](const nlohmann::json& further) {
        nlohmann::json config{{"_class_name", "EulerDiscreteScheduler"}, {"prediction_type", "v_prediction"}};
        config.update(further);
        auto made = makeScheduler(weights::ModelConfig(config, "c"), {"euler-ancestral", {}});
        made->setTimesteps(4);
        return made;
    };
    const auto plain = leveled(nlohmann::json::object());
    for (const nlohmann::json& further :
         {nlohmann::json{{"use_karras_sigmas", true}}, nlohmann::json{{"use_exponential_sigmas", true}},
          nlohmann::json{{"final_sigmas_type", "sigma_min"}}, nlohmann::json{{"timestep_type", "continuous"}},
          nlohmann::json{{"use_beta_sigmas", true}}}) {
        const auto other = leveled(further);
        EXPECT_EQ(other->sigmas(), plain->sigmas()) << further;
        EXPECT_EQ(other->timesteps(), plain->timesteps()) << further;
    }
}

TEST(VpSchedulers, TakeOverEachOthersConfigurations) {
    nlohmann::json config{{"_class_name", "DDIMScheduler"}, {"beta_schedule", "scaled_linear"},
                          {"beta_start", 0.00085},          {"beta_end", 0.012},
                          {"timestep_spacing", "trailing"}, {"clip_sample", false}};
    for (const auto& [option, name] : {std::pair{"pndm", "PNDMScheduler"},
                                       {"euler", "EulerDiscreteScheduler"},
                                       {"euler-ancestral", "EulerAncestralDiscreteScheduler"},
                                       {"dpm++", "DPMSolverMultistepScheduler"},
                                       {"lcm", "LCMScheduler"}}) {
        const auto asked = makeScheduler(weights::ModelConfig(config, "c"), {option, {}});
        nlohmann::json own = config;
        own["_class_name"] = name;
        own["skip_prk_steps"] = true;
        const auto stored = makeScheduler(weights::ModelConfig(own, "c"));
        asked->setTimesteps(4);
        stored->setTimesteps(4);
        EXPECT_EQ(asked->sigmas(), stored->sigmas()) << option;
        EXPECT_EQ(asked->timesteps(), stored->timesteps()) << option;
    }
}

/// LCMScheduler's own values for what isn't there are other samplers' neither by itself nor for another's
/// configuration: those of diffusers 0.40, scheduling_lcm.py.
TEST(VpSchedulers, LcmHasValuesOfItsOwnForWhatIsMissing) {
    const nlohmann::json whole{
        {"beta_schedule", "scaled_linear"}, {"beta_start", 0.00085}, {"beta_end", 0.012}};
    const auto sigmasOf = [](nlohmann::json config, const char* className, const char* option) {
        config["_class_name"] = className;
        const auto scheduler = makeScheduler(weights::ModelConfig(config, "c"), {option, {}});
        scheduler->setTimesteps(4);
        return scheduler->sigmas();
    };
    const auto usual = sigmasOf(whole, "LCMScheduler", "lcm");
    for (const char* key : {"beta_schedule", "beta_start", "beta_end"}) {
        nlohmann::json less = whole;
        less.erase(key);
        EXPECT_EQ(sigmasOf(less, "LCMScheduler", "lcm"), usual) << key;
        EXPECT_EQ(sigmasOf(less, "DDIMScheduler", "lcm"), usual) << key;
        EXPECT_NE(sigmasOf(less, "EulerDiscreteScheduler", "euler"),
                  sigmasOf(whole, "EulerDiscreteScheduler", "euler"))
            << key;
    }
}

/// FreeInit takes them from the sampler's row.
TEST(VpSchedulers, RowsSayTheNoiseThatTheirSamplersHaveByThemselves) {
    for (const SchedulerRow& row : schedulerList()) {
        if (row.prediction != Prediction::VariancePreserving) continue;
        nlohmann::json bare;
        bare["_class_name"] = std::string(row.className);
        bare["skip_prk_steps"] = true;
        nlohmann::json told = bare;
        told["beta_schedule"] = row.usualNoise.spacing == BetaSpacing::Linear ? "linear" : "scaled_linear";
        told["beta_start"] = row.usualNoise.betaStart;
        told["beta_end"] = row.usualNoise.betaEnd;
        const auto sigmasOf = [](const nlohmann::json& config) {
            const auto scheduler = makeScheduler(weights::ModelConfig(config, "c"));
            scheduler->setTimesteps(4);
            return scheduler->sigmas();
        };
        EXPECT_EQ(sigmasOf(bare), sigmasOf(told)) << row.className;
        EXPECT_EQ(&samplerRow(weights::ModelConfig(bare, "c"), std::nullopt), &row) << row.className;
        bare["_class_name"] = "PNDMScheduler";
        EXPECT_EQ(&samplerRow(weights::ModelConfig(bare, "c"), std::string(row.option)), &row) << row.option;
    }
}

}  // namespace
}  // namespace reelgrid::schedulers
