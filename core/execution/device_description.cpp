#include "core/execution/device_description.h"

#include <ATen/detail/CUDAHooksInterface.h>

#include "core/devices/gpu_survey.h"
#include "core/execution/kernel_arguments.h"

namespace reelgrid::execution {

DeviceDescription describe(const Execution& execution) {
    if (execution.device.is_cpu()) return {};
    // libtorch has no name for a device of other makers that it says in one way.
    if (!hasCudaKernels(execution.device)) return {.name = execution.device.str(), .versions = {}};
    const devices::GpuSurvey survey = devices::surveyGpus();
    const auto& hooks = at::detail::getCUDAHooks();
    const long cuda = hooks.versionCUDART(), cudnn = hooks.versionRuntimeCuDNN();
    DeviceDescription description;
    description.name = survey.gpus.at(static_cast<std::size_t>(execution.device.index())).name;
    description.versions["cuda"] = std::to_string(cuda / 1000) + "." + std::to_string(cuda % 1000 / 10);
    description.versions["cudnn"] = std::to_string(cudnn / 10000) + "." +
                                    std::to_string(cudnn % 10000 / 100) + "." + std::to_string(cudnn % 100);
    if (!survey.driver.empty()) description.versions["driver"] = survey.driver;
    return description;
}

}  // namespace reelgrid::execution
