#include "core/benchmark/sampler_benchmark.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/benchmark/statistics.h"
#include "core/benchmark/stopwatch.h"
#include "core/execution/fused_values.h"
#include "core/schedulers/scheduler.h"
#include "core/weights/model_config.h"

namespace reelgrid::benchmark {
namespace {

using Way = execution::FusedValues::Way;

constexpr std::int64_t kWalkedSteps = 10;

/// As the models that use them configure them.
std::vector<std::pair<std::string, nlohmann::json>> samplerConfigs() {
    const nlohmann::json ofImages{{"beta_start", 0.00085},
                                  {"beta_end", 0.012},
                                  {"beta_schedule", "linear"},
                                  {"num_train_timesteps", 1000},
                                  {"prediction_type", "epsilon"},
                                  {"clip_sample", false},
                                  {"steps_offset", 1}};
    nlohmann::json edm = ofImages, ddim = ofImages, dpm = ofImages;
    edm.update({{"_class_name", "EulerDiscreteScheduler"},
                {"beta_schedule", "scaled_linear"},
                {"prediction_type", "v_prediction"},
                {"sigma_max", 700.0},
                {"sigma_min", 0.002},
                {"timestep_spacing", "leading"},
                {"timestep_type", "continuous"},
                {"use_karras_sigmas", true}});
    ddim["_class_name"] = "DDIMScheduler";
    dpm["_class_name"] = "DPMSolverMultistepScheduler";
    const nlohmann::json flow{{"_class_name", "FlowMatchEulerDiscreteScheduler"}, {"shift", 3.0}},
        unipc{{"_class_name", "UniPCMultistepScheduler"},
              {"prediction_type", "flow_prediction"},
              {"use_flow_sigmas", true},
              {"flow_shift", 3.0}};
    return {{"edm-euler", edm}, {"flow-euler", flow}, {"unipc", unipc}, {"dpm++", dpm}, {"ddim", ddim}};
}

/// Latents and predictions with and without the prompt, the same in every step.
struct Walk {
    at::Tensor latents, conditional, unconditional;

    /// The latents after all steps.
    [[nodiscard]] at::Tensor run(schedulers::Scheduler& scheduler) const {
        constexpr double kGuidance = 3;
        at::Tensor x = latents;
        for (std::int64_t i = 0; i < kWalkedSteps; ++i) {
            const at::Tensor input = scheduler.scaleModelInput(x, i);
            execution::FusedValues values;
            const auto from = values.of(unconditional);
            const at::Tensor guided = values.made(from + kGuidance * (values.of(conditional) - from));
            x = scheduler.step(guided, i, x);
        }
        return x;
    }
};

}  // namespace

Result<LatentClip> LatentClip::from(const std::string& text) {
    constexpr std::int64_t kMostSide = 1 << 16, kMostValues = std::int64_t{1} << 30;
    LatentClip clip;
    const char *at = text.data(), *end = at + text.size();
    bool whole = true;
    for (std::int64_t* side : {&clip.channels, &clip.frames, &clip.rows, &clip.columns}) {
        const auto read = std::from_chars(at, end, *side);
        const bool last = side == &clip.columns;
        whole = whole && read.ec == std::errc() && *side >= 1 && *side <= kMostSide &&
                (last ? read.ptr == end : read.ptr != end && *read.ptr == ',');
        if (!whole) break;
        at = last ? end : read.ptr + 1;
    }
    if (whole && clip.values() <= kMostValues) return clip;
    return Error{
        ErrorCode::BadUsage,
        "--shape " + text + ": channels,frames,rows,columns of latents, at most 2^30 values, was needed"};
}

std::vector<SamplerRow> measureSamplers(const LatentClip& clip, const execution::Execution& execution,
                                        int repetitions,
                                        const std::function<void(int done, int total)>& progress,
                                        const std::stop_token& stop) {
    const c10::InferenceMode inference;
    auto generator = at::detail::createCPUGenerator(9);
    const auto made = [&] {
        return at::randn({1, clip.channels, clip.frames, clip.rows, clip.columns}, generator)
            .to(execution.device);
    };
    const Walk walk{made(), made(), made()};
    const Stopwatch stopwatch(execution);
    std::vector<SamplerRow> rows;
    const auto configs = samplerConfigs();
    const int total = static_cast<int>(configs.size()) * (repetitions + 1);
    int done = 0;
    for (const auto& [name, json] : configs) {
        SamplerRow& row = rows.emplace_back(SamplerRow{.sampler = name});
        const std::unique_ptr<schedulers::Scheduler> scheduler =
            schedulers::makeScheduler(weights::ModelConfig(json, name));
        at::Tensor ends[2];
        for (int turn = 0; turn <= repetitions; ++turn) {
            if (stop.stop_requested()) throw Failure(ErrorCode::Cancelled, "cancelled");
            for (const Way way : {Way::OnePass, Way::OneByOne}) {
                execution::FusedValues::setWay(way);
                scheduler->setTimesteps(kWalkedSteps);
                const std::int64_t before = execution::FusedValues::bytesMoved();
                at::Tensor& end = ends[way == Way::OnePass ? 0 : 1];
                const double seconds = stopwatch.time([&] { end = walk.run(*scheduler); }) / kWalkedSteps;
                execution::FusedValues::setWay(Way::OnePass);
                const bool isOnePass = way == Way::OnePass;
                (isOnePass ? row.bytesOnePass : row.bytesOneByOne) =
                    (execution::FusedValues::bytesMoved() - before) / kWalkedSteps;
                // The first turn warms up.
                if (turn > 0) (isOnePass ? row.onePass : row.oneByOne).push_back(seconds);
            }
            if (progress) progress(++done, total);
        }
        row.sameBits = at::equal(ends[0], ends[1]);
    }
    return rows;
}

nlohmann::json toJson(const std::vector<SamplerRow>& rows) {
    nlohmann::json made = nlohmann::json::array();
    for (const SamplerRow& row : rows)
        made.push_back({{"sampler", row.sampler},
                        {"ms_p50", 1e3 * median(row.onePass)},
                        {"libtorch_ms_p50", 1e3 * median(row.oneByOne)},
                        {"bytes", row.bytesOnePass},
                        {"libtorch_bytes", row.bytesOneByOne},
                        {"same_bits", row.sameBits}});
    return made;
}

}  // namespace reelgrid::benchmark
