#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/plugins/python/bridge_record.h"
#include "kernels/backends/plugin_backend.h"

namespace reelgrid::plugins {

class CudaPool;
class PythonProcess;
class SharedMemory;

/// A kernel in Python as the kernels' list takes it: its process starts when it is first asked something and
/// serves all further calls. What goes wrong there is a Failure with the plug-in's name, the call's shape and
/// Python's last lines; a process that has ended is started again by the next call. Called by one thread at a
/// time.
class PythonKernel final : public kernels::PluginKernel {
  public:
    explicit PythonKernel(const kernels::PluginDescription& description);
    ~PythonKernel() override;

    std::optional<std::string> whyNot(const kernels::AttentionProblem& problem) override;
    /// None: a kernel there takes its memory itself.
    std::int64_t workspaceBytes(const kernels::AttentionProblem&) override { return 0; }
    void attend(const kernels::AttentionProblem& problem) override;
    kernels::PluginMemory* memory() override;
    /// Of a question and its answer, the median of many.
    std::optional<double> secondsBesideKernel() override;

  private:
    PythonProcess& process();
    /// Throws unless an answer came. `during`: "in attend()".
    BridgeReply ask(const BridgeCall& call, const kernels::AttentionProblem& problem, const char* during);
    void attendOnCpu(const kernels::AttentionProblem& problem, BridgeCall& call);
    void attendOnGpu(const kernels::AttentionProblem& problem, BridgeCall& call);

    kernels::PluginDescription m_said;
    std::string m_blamed;
    SharedMemory* m_memory = nullptr;
    std::byte* m_staging = nullptr;  ///< in the shared memory, for tensors that lie elsewhere
    std::uint64_t m_stagingBytes = 0;
    std::unique_ptr<CudaPool> m_pool;
    std::unique_ptr<PythonProcess> m_process;
};

}  // namespace reelgrid::plugins
