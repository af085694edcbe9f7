#include "core/pipeline/render_memory.h"

#include "core/protocol/ranks.h"

namespace reelgrid::pipeline {

using protocol::ranksOf;

LoadChoices loadChoicesOf(const catalog::RenderSettings& settings, const MemoryChoice& memory) {
    return {.dtype = settings.dtype,
            .vaeDtype = settings.vaeDtype,
            .lora = settings.lora,
            .lora2 = settings.lora2,
            .linear = settings.linear,
            .useBf16TeGemms = settings.useBf16TeGemms,
            .offload = memory.offload,
            .weightShards = settings.shardWeights ? int(ranksOf(settings)) : 1,
            .encoders = memory.encoders};
}

MemoryChoice chooseMemoryFor(const families::ModelInfo& model, const catalog::RenderSettings& settings,
                             const execution::Execution& execution, std::uint64_t available,
                             const std::optional<MemoryChoice>& present) {
    const auto forecast = [&](Offload offload, Encoders encoders) {
        return forecastMemory(model, loadChoicesOf(settings, {offload, encoders}), settings, execution,
                              available);
    };
    // Shards stay where they compute, and all ranks have to agree.
    const bool isSharded = settings.shardWeights && ranksOf(settings) > 1;
    if (present && !isSharded)
        return {present->offload, present->encoders, forecast(present->offload, present->encoders)};
    const bool isAuto = settings.offload == protocol::kOffloadAuto;
    const bool canOffload = model.takes("offload") && !settings.useTorchCompile && !isSharded;
    return chooseMemory(isAuto && !canOffload ? protocol::kOffloadNone : settings.offload, available,
                        forecast);
}

}  // namespace reelgrid::pipeline
