#include "core/pipeline/render_plan.h"

#include "core/base/result.h"
#include "core/catalog/model_catalog.h"
#include "core/execution/memory_check.h"
#include "core/execution/memory_peak.h"
#include "core/media/containers.h"
#include "core/pipeline/input_pictures.h"
#include "core/pipeline/render_memory.h"
#include "core/pipeline/tiling_choice.h"
#include "core/result/picture_hashes.h"

namespace reelgrid::pipeline {
namespace {

std::string sizeText(const catalog::RenderSettings& settings) {
    return std::to_string(settings.width) + "×" + std::to_string(settings.height) + ", " +
           std::to_string(settings.numFrames) + " frames" +
           (settings.vaeTiling == protocol::kTilingOff ? ", decoded whole," : "");
}

}  // namespace

RenderPlan RenderPlan::from(const protocol::RenderRequest& request, const machine::Machine& machine) {
    if (request.output.empty())
        throw Failure(ErrorCode::BadUsage, "--output: it is empty, the clip's file name was needed");
    RenderPlan plan;
    plan.request = request;
    plan.model = catalog::findModel(request).value();
    plan.settings = catalog::resolveSettings(request, plan.model, machine).value();
    plan.pictureHashes = result::pictureHashes(plan.settings).value();
    fitToPicture(plan.settings, plan.model);
    plan.execution = execution::executionOn(plan.settings.device).value();
    plan.clip = request.output;
    media::containerOf(plan.clip).value();
    return plan;
}

void RenderPlan::settleMemory(const std::optional<MemoryChoice>& present) {
    // What libtorch holds there is a model, which this one takes the place of.
    const std::uint64_t own = execution.device.is_cpu() ? 0 : execution::memoryInUse(execution).value_or(0);
    const std::uint64_t available = execution::availableMemory(execution) + own;
    const bool stays = settings.offload == protocol::kOffloadAuto && execution.device.is_cpu();
    memory = chooseMemoryFor(model, settings, execution, available, stays ? present : std::nullopt);
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
    execution::requireMemory(execution, bytesFor(settings), 0, sizeText(settings),
                             waysToNeedLess(settings, model));
}

LoadChoices RenderPlan::loadChoices() const {
    return loadChoicesOf(settings, memory);
}

}  // namespace reelgrid::pipeline
