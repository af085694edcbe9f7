#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "core/schedulers/noise_schedule.h"
#include "core/schedulers/scheduler.h"

namespace reelgrid::schedulers {

/// A model's prediction and its noise levels. Samplers for the same prediction can replace each other.
enum class Prediction {
    Flow,                ///< the velocity of flow matching (flow_sigmas.h)
    SnrShiftedVelocity,  ///< v = √ᾱ noise - √(1 - ᾱ) picture (snr_shifted_schedule.h)
    /// Noise, picture or velocity, as prediction_type says, of DDPM's kind of schedule (vp_training.h).
    VariancePreserving,
};

/// Where a sampler's noise levels begin.
enum class NoiseStart {
    Schedule,  ///< where the model's schedule ends
    SigmaMax,  ///< at a level that a request may choose (--sigma-max)
};

struct SchedulerRow;

/// The arguments of a sampler's maker.
struct SchedulerSource {
    const weights::ModelConfig& config;  ///< the checkpoint's scheduler_config.json
    const SchedulerRow& stored;          ///< the sampler that the file is of
    bool isStored = true;                ///< whether that one is made; its options are for no other
    std::optional<double> flowShift{};   ///< the request's own
    std::optional<double> sigmaMax{};    ///< likewise
    NoiseSource noise{};                 ///< for samplers that draw in each step
};

/// One sampler.
struct SchedulerRow {
    std::string_view option;     ///< as --scheduler takes it; unique among those for the same prediction
    std::string_view className;  ///< in a scheduler_config.json; unique; ours where diffusers has none
    Prediction prediction;
    std::unique_ptr<Scheduler> (*make)(const SchedulerSource& source);  ///< throws as makeScheduler()
    const char* shiftKey = "";  ///< what its config calls the shift of flow matching
    NoiseStart start = NoiseStart::Schedule;
    NoiseScheduleOptions usualNoise{};  ///< of variance-preserving ones: where the config says nothing
};

/// Every sampler that there is. Which of them a model can be asked for is its family's to say
/// (families::Family::schedulers).
std::span<const SchedulerRow> schedulerList();

/// The one that makeScheduler() makes of `config`, a scheduler_config.json, where a request names `option`
/// or none. Throws as makeScheduler() does.
const SchedulerRow& samplerRow(const weights::ModelConfig& config, const std::optional<std::string>& option);

/// `config`, where it is that of a sampler for a model's kind of prediction, one of `options` if any are
/// listed: another one's steps would end in noise. Throws Failure(Unsupported) naming its class and those
/// that can be taken.
weights::ModelConfig samplerConfig(weights::ModelConfig config, Prediction prediction,
                                   std::span<const std::string_view> options = {});

}  // namespace reelgrid::schedulers
