#include "core/pipeline/rank_planning.h"

#include "core/pipeline/family_registry.h"
#include "core/pipeline/render_memory.h"
#include "core/protocol/asked_backends.h"
#include "kernels/backends/backend_list.h"

namespace reelgrid::pipeline {

Result<parallel::PassWork> passWorkOf(const families::ModelInfo& model,
                                      const catalog::RenderSettings& settings) {
    try {
        const auto work = passWork(model, settings);
        if (!work)
            return Error{ErrorCode::BadUsage,
                         "model " + model.id + ": family " + model.family + " renders on one rank alone"};
        return *work;
    } catch (const Failure& failure) {
        return failure.error();
    }
}

std::optional<std::uint64_t> bytesOnRank(const families::ModelInfo& model, catalog::RenderSettings settings,
                                         const parallel::Degrees& degrees) {
    settings.ulyssesDegree = degrees.ulysses;
    settings.ringDegree = degrees.ring;
    settings.cfgParallel = degrees.cfg;
    if (degrees.ranks() == 1) settings.shardWeights = false;
    constexpr std::uint64_t kEverything = ~std::uint64_t{0};
    const execution::Execution gpu{.device = at::Device(at::kCUDA, 0)};
    const MemoryChoice memory = chooseMemoryFor(model, settings, gpu, kEverything);
    if (!memory.forecast) return std::nullopt;
    return memory.forecast->peak;
}

bool mayRing(const catalog::RenderSettings& settings) {
    for (const std::string& name : protocol::askedBackends(settings)) {
        const kernels::BackendInfo* backend = kernels::findBackend(name);
        if (backend != nullptr && backend->sparse) return false;
    }
    return true;
}

}  // namespace reelgrid::pipeline
