#include "core/pipeline/render_manifest.h"

#include <ATen/Parallel.h>
#include <torch/headeronly/version.h>

#include "core/base/version.h"
#include "core/execution/device_description.h"
#include "core/result/model_hashes.h"
#include "kernels/cpu/instruction_set.h"

namespace reelgrid::pipeline {

result::Manifest renderManifest(const RenderPlan& plan) {
    const execution::DeviceDescription device = execution::describe(plan.execution);
    const bool onCpu = plan.execution.device.is_cpu();
    result::Manifest manifest;
    manifest.request = plan.request;
    manifest.request->resume = false;  // how it came about is no part of what was asked
    manifest.settings = plan.settings;
    manifest.versions = device.versions;
    manifest.versions["reelgrid"] = kVersion;
    manifest.versions["libtorch"] = TORCH_VERSION;
    manifest.device = plan.settings.device;
    manifest.deviceName = device.name;
    manifest.threads = at::get_num_threads();
    manifest.instructionSet = onCpu ? kernels::nameOf(kernels::selectedInstructionSet()) : "";
    manifest.processor = onCpu ? plan.processor : "";
    manifest.modelId = plan.model.id;
    manifest.modelPaths = result::modelPaths(plan.model);
    manifest.pictureHashes = plan.pictureHashes;
    manifest.plugins = pluginsOf(plan.settings);
    manifest.memory = result::MemoryRecord{.offload = plan.settings.offload,
                                           .weightShards = plan.loadChoices().weightShards};
    if (plan.memory.forecast) manifest.memory->predictedPeak = plan.memory.forecast->peak;
    return manifest;
}

}  // namespace reelgrid::pipeline
