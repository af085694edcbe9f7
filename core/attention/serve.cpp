#include "core/attention/serve.h"

#include <chrono>
#include <utility>

#include "core/attention/kernel_call.h"
#include "core/attention/libtorch_attention.h"
#include "core/attention/plugin_guard.h"
#include "core/execution/trace_range.h"
#include "kernels/backends/backend_list.h"

namespace reelgrid::attention {
namespace {

using Clock = std::chrono::steady_clock;

/// One call on its way to whoever serves it.
class Serving {
  public:
    Serving(const Inputs& inputs, const execution::Execution& execution, const CallOptions& options,
            PluginGuard& guard)
        : m_inputs(inputs), m_execution(execution), m_options(options), m_guard(guard) {}

    Served by(const std::string& requested) {
        if (requested == protocol::kDefaultBackend) return bySdpa("the reference's default is sdpa");
        const kernels::BackendInfo& backend = *kernels::findBackend(requested);
        return backend.libtorch ? byLibtorch(backend) : byKernels(backend);
    }

    /// Of its time, what checks took that are none of the kernel's.
    [[nodiscard]] double lookingSeconds() const { return m_lookingSeconds; }

  private:
    [[nodiscard]] Served bySdpa(std::string why) const {
        return withLibtorch(kernels::LibtorchOperator::Choice, protocol::kReferenceBackend, std::move(why));
    }

    [[nodiscard]] Served byLibtorch(const kernels::BackendInfo& backend) const {
        if (auto obstacle = whyNot(*backend.libtorch, m_inputs)) return bySdpa(*std::move(obstacle));
        return withLibtorch(*backend.libtorch, std::string(backend.name), "");
    }

    [[nodiscard]] Served byKernels(const kernels::BackendInfo& backend) {
        const KernelCall call(backend, m_inputs, m_execution, m_options);
        if (call.whyNot()) return bySdpa(*call.whyNot());
        const auto range = inTrace(backend.name);
        Served served{.lse_BHN = call.lse_BHN(), .used = std::string(backend.name)};
        if (backend.plugin != nullptr) {
            const PlannedCall planned{call.workspaceBytes(),
                                      [&call](const at::Tensor& out, const at::Tensor& workspace) {
                                          call.runInto(out, workspace);
                                      }};
            served.out_BHND = m_guard.run(planned, backend, m_inputs);
            m_lookingSeconds = m_guard.lookingSeconds();
            return served;
        }
        served.out_BHND = call.run();
        served.kept = call.kept();
        if (backend.linearBranch && !m_inputs.projL_DD.defined())
            served.why = "no proj_l for the linear branch: the sparse part alone";
        return served;
    }

    [[nodiscard]] Served withLibtorch(kernels::LibtorchOperator which, std::string used,
                                      std::string why) const {
        const auto range = inTrace(used);
        Attended attended = attendWithLibtorch(which, m_inputs, m_options.logSumExp);
        return {.out_BHND = std::move(attended.out_BHND),
                .lse_BHN = std::move(attended.lse_BHN),
                .used = std::move(used),
                .why = std::move(why)};
    }

    /// Named by who serves the call: "self-attention fav2".
    [[nodiscard]] execution::TraceRange inTrace(std::string_view used) const {
        return execution::TraceRange(
            [&] { return std::string(protocol::infoOf(m_options.kind).phrase) + " " + std::string(used); },
            {m_inputs.q_BHND, m_inputs.k_BHMD, m_inputs.v_BHMD});
    }

    const Inputs& m_inputs;
    const execution::Execution& m_execution;
    const CallOptions& m_options;
    PluginGuard& m_guard;
    double m_lookingSeconds = 0;
};

}  // namespace

Served serve(const std::string& backend, const Inputs& inputs, const execution::Execution& execution,
             const CallOptions& options, PluginGuard& guard) {
    const auto start = Clock::now();
    Serving serving(inputs, execution, options, guard);
    Served served = serving.by(backend);
    // Elsewhere the call is only queued by now: no time of its own was measured.
    if (execution.device.is_cpu())
        served.seconds =
            std::chrono::duration<double>(Clock::now() - start).count() - serving.lookingSeconds();
    return served;
}

Served serve(const std::string& backend, const Inputs& inputs, const execution::Execution& execution,
             const CallOptions& options) {
    PluginGuard guard;
    return serve(backend, inputs, execution, options, guard);
}

}  // namespace reelgrid::attention
