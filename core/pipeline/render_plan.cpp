#include "core/pipeline/render_plan.h"

#include "core/base/result.h"
#include "core/catalog/denoising_steps.h"
#include "core/catalog/model_catalog.h"
#include "core/execution/memory_check.h"
#include "core/execution/memory_peak.h"
#include "core/media/containers.h"
#include "core/pipeline/input_pictures.h"
#include "core/pipeline/render_memory.h"
#include "core/pipeline/tiling_choice.h"
#include "core/protocol/asked_backends.h"
#include "core/result/picture_hashes.h"
#include "kernels/backends/backend_list.h"

namespace reelgrid::pipeline {
namespace {

std::string sizeText(const catalog::RenderSettings& settings) {
    return std::to_string(settings.width) + "×" + std::to_string(settings.height) + ", " +
           std::to_string(settings.numFrames) + " frames" +
           (settings.vaeTiling == protocol::kTilingOff ? ", decoded whole," : "");
}

parallel::Degrees degreesOf(const catalog::RenderSettings& settings) {
    return {.cfg = settings.cfgParallel.value_or(1),
            .ring = settings.ringDegree.value_or(1),
            .ulysses = settings.ulyssesDegree.value_or(1)};
}

/// A rank of a ring never has all keys at once.
void requireRingBackends(const catalog::RenderSettings& settings) {
    if (settings.ringDegree.value_or(1) == 1) return;
    for (const std::string& name : protocol::askedBackends(settings))
        if (const kernels::BackendInfo* backend = kernels::findBackend(name);
            backend != nullptr && backend->sparse)
            throw Failure(ErrorCode::BadUsage,
                          "--ring-degree " + std::to_string(*settings.ringDegree) + ": " + name +
                              " chooses among all keys, which no rank of a ring has; --ulysses-degree or "
                              "another backend was needed");
}

/// Each rank of a host has a GPU of its own.
execution::Execution executionOf(catalog::RenderSettings& settings, parallel::RankGroup* ranks) {
    const parallel::Degrees degrees = degreesOf(settings);
    if (ranks == nullptr) {
        if (degrees.ranks() > 1)
            throw Failure(ErrorCode::BadUsage, degrees.text() + " are " + std::to_string(degrees.ranks()) +
                                                   " ranks: one process renders here (render --nproc " +
                                                   std::to_string(degrees.ranks()) + " starts as many)");
        return execution::executionOn(settings.device).value();
    }
    if (settings.device != "cpu") settings.device = "cuda:" + std::to_string(ranks->place().localRank);
    execution::Execution execution = execution::executionOn(settings.device).value();
    execution.rank = ranks->rank();
    execution.ranks = ranks->ranks();
    ranks->agreeOnExchange(execution.device);
    execution.mesh = &ranks->mesh(degrees);
    return execution;
}

}  // namespace

RenderPlan RenderPlan::from(const protocol::RenderRequest& request, const machine::Machine& machine,
                            parallel::RankGroup* ranks) {
    if (request.output.empty())
        throw Failure(ErrorCode::BadUsage, "--output: it is empty, the clip's file name was needed");
    RenderPlan plan;
    plan.request = request;
    plan.model = catalog::findModel(request).value();
    plan.settings = catalog::resolveSettings(request, plan.model, machine).value();
    plan.pictureHashes = result::pictureHashes(plan.settings).value();
    plan.steps = catalog::denoisingSteps(plan.settings, plan.model);
    fitToPicture(plan.settings, plan.model);
    requireRingBackends(plan.settings);
    plan.execution = executionOf(plan.settings, ranks);
    plan.clip = request.output;
    plan.processor = machine.cpu.name;
    media::containerOf(plan.clip).value();
    return plan;
}

void RenderPlan::settleMemory(const std::optional<MemoryChoice>& present) {
    // What libtorch holds there is a model, which this one takes the place of.
    const std::uint64_t own = execution.device.is_cpu() ? 0 : execution::memoryInUse(execution).value_or(0);
    const std::uint64_t available = execution::availableMemory(execution) + own;
    const bool stays = settings.offload == protocol::kOffloadAuto && execution.device.is_cpu();
    memory = chooseMemoryFor(model, settings, execution, available, stays ? present : std::nullopt);
    // The first rank encodes texts for all.
    if (!writes()) memory.encoders = Encoders::FreedAfterUse;
    settings.offload = memory.offload == Offload::Blocks ? protocol::kOffloadBlocks : protocol::kOffloadNone;
    // Predictions are good to a tenth.
    if (memory.forecast && !execution.device.is_cpu())
        execution::requireMemory(execution, memory.forecast->peak / 10 * 9, own, sizeText(settings),
                                 waysToNeedLess(settings, model));
}

void RenderPlan::settleTiling(const denoising::VideoModel& video) {
    const auto bytesFor = [&](const catalog::RenderSettings& asked) {
        return denoising::workingBytes(video, asked);
    };
    settings.vaeTiling = settledTiling(bytesFor, settings, execution::availableMemory(execution));
    if (execution.mesh != nullptr)
        settings.vaeTiling = execution.mesh->group().all().fromFirst(settings.vaeTiling);
    execution::requireMemory(execution, bytesFor(settings), 0, sizeText(settings),
                             waysToNeedLess(settings, model));
}

LoadChoices RenderPlan::loadChoices() const {
    return loadChoicesOf(settings, memory);
}

}  // namespace reelgrid::pipeline
