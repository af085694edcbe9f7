#include "core/attention/plugin_run.h"

namespace reelgrid::attention {

void runPlugin(const kernels::BackendInfo& plugin, const kernels::AttentionProblem& problem,
               const at::Tensor& q) {
    kernels::PluginKernel& kernel = *plugin.plugin->kernel;
    const std::uint64_t bytes = kernel.workspaceBytes(problem);
    at::Tensor workspace;
    if (bytes > 0) workspace = at::empty({static_cast<std::int64_t>(bytes)}, q.options().dtype(at::kByte));
    kernel.attend(problem, bytes > 0 ? workspace.data_ptr() : nullptr, bytes);
}

}  // namespace reelgrid::attention
