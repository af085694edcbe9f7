#include "core/pipeline/render_forecast.h"

#include <algorithm>

#include "core/catalog/model_catalog.h"
#include "core/devices/gpu_choice.h"
#include "core/execution/accelerator_start.h"
#include "core/execution/cuda_start.h"
#include "core/execution/memory_check.h"
#include "core/execution/memory_peak.h"
#include "core/parallel/shared_heads.h"
#include "core/pipeline/family_registry.h"
#include "core/pipeline/input_pictures.h"
#include "core/pipeline/render_memory.h"
#include "core/protocol/ranks.h"

namespace reelgrid::pipeline {
namespace {

using devices::DeviceKind;
using devices::DeviceName;

execution::Execution executionLike(const DeviceName& device) {
    if (device.kind == DeviceKind::Cpu) return {};
    const at::DeviceType type = device.kind == DeviceKind::Cuda ? at::kCUDA : execution::torchTypeOf(device);
    return {.device = at::Device(type, static_cast<at::DeviceIndex>(device.index))};
}

/// What a render here could take; nothing where nobody tells.
std::optional<std::uint64_t> freeOn(const DeviceName& device, const execution::Execution& execution) {
    if (device.kind == DeviceKind::Cpu || execution::isCudaStarted(device))
        return execution::availableMemory(execution) + execution::ownMemory(execution).value_or(0);
    if (device.kind != DeviceKind::Cuda) return std::nullopt;
    for (const devices::Gpu& gpu : devices::surveyGpus().gpus)
        if (gpu.index == device.index && gpu.freeBytes)
            return *gpu.freeBytes - std::min(*gpu.freeBytes, devices::kStartBytes);
    return std::nullopt;
}

protocol::RenderForecast forecastOf(const protocol::RenderRequest& request, const machine::Machine& machine) {
    const families::ModelInfo model = catalog::findModel(request).value();
    catalog::RenderSettings settings = catalog::resolveSettings(request, model, machine).value();
    fitToPicture(settings, model);
    // What its ranks would say once they have loaded it.
    if (const int ulysses = settings.ulyssesDegree.value_or(1); ulysses > 1)
        if (const auto work = passWork(model, settings)) parallel::requireDivisor(ulysses, work->heads);
    const DeviceName device = devices::deviceNamed(settings.device).value();
    const execution::Execution execution = executionLike(device);
    protocol::RenderForecast forecast;
    forecast.device = settings.device;
    forecast.freeBytes = freeOn(device, execution);
    // Ranks on the processor take theirs from the same memory.
    if (device.kind == DeviceKind::Cpu && forecast.freeBytes)
        *forecast.freeBytes /= std::uint64_t(protocol::ranksOf(settings));
    forecast.keptFrameBytes = catalog::keptFrameBytes(settings);
    constexpr std::uint64_t kEverything = ~std::uint64_t{0};
    const MemoryChoice memory =
        chooseMemoryFor(model, settings, execution, forecast.freeBytes.value_or(kEverything));
    forecast.offload = memory.offload == Offload::Blocks ? protocol::kOffloadBlocks : protocol::kOffloadNone;
    if (memory.forecast) {
        forecast.peakBytes = memory.forecast->peak;
        forecast.stage = memory.forecast->stage;
        forecast.tiles = memory.forecast->tiles;
    }
    settings.offload = forecast.offload;
    if (!forecast.fits()) forecast.ways = optionsThatNeedLess(settings, model);
    return forecast;
}

}  // namespace

Result<protocol::RenderForecast> forecastRender(const protocol::RenderRequest& request,
                                                const machine::Machine& machine) {
    try {
        return forecastOf(request, machine);
    } catch (const Failure& failure) {
        return failure.error();
    } catch (const std::exception& failure) {
        return Error{ErrorCode::Internal, failure.what()};
    }
}

}  // namespace reelgrid::pipeline
