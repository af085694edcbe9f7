#include "core/pipeline/render_memory.h"

namespace reelgrid::pipeline {

LoadChoices loadChoicesOf(const catalog::RenderSettings& settings, const MemoryChoice& memory) {
    return {.dtype = settings.dtype,
            .vaeDtype = settings.vaeDtype,
            .lora = settings.lora,
            .lora2 = settings.lora2,
            .linear = settings.linear,
            .useBf16TeGemms = settings.useBf16TeGemms,
            .offload = memory.offload,
            .encoders = memory.encoders};
}

MemoryChoice chooseMemoryFor(const families::ModelInfo& model, const catalog::RenderSettings& settings,
                             const execution::Execution& execution, std::uint64_t available,
                             const std::optional<MemoryChoice>& present) {
    const auto forecast = [&](Offload offload, Encoders encoders) {
        return forecastMemory(model, loadChoicesOf(settings, {offload, encoders}), settings, execution,
                              available);
    };
    if (present) return {present->offload, present->encoders, forecast(present->offload, present->encoders)};
    const bool isAuto = settings.offload == protocol::kOffloadAuto;
    const bool canOffload = model.takes("offload") && !settings.useTorchCompile;
    return chooseMemory(isAuto && !canOffload ? protocol::kOffloadNone : settings.offload, available,
                        forecast);
}

}  // namespace reelgrid::pipeline
