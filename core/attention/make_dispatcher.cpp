#include "core/attention/make_dispatcher.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <utility>

#include "core/attention/kernel_call.h"
#include "core/attention/libtorch_attention.h"
#include "core/attention/plugin_guard.h"
#include "core/execution/trace_range.h"
#include "kernels/attention/backend_list.h"
#include "kernels/cpu/instruction_set.h"

namespace reelgrid::attention {
namespace {

struct Outcome {
    at::Tensor out_BHND;
    std::string used;
    std::string why;
    double lookingSeconds = 0;  ///< of its time: checks that are none of the kernel's
};

Outcome attendWith(const std::string& requested, const Inputs& in, const CallSite& site,
                   const execution::Execution& execution, PluginGuard& guard) {
    /// Named by who serves the call: "self-attention fav2".
    const auto inTrace = [&](const std::string& used) {
        return execution::TraceRange(
            [&] { return std::string(protocol::infoOf(site.kind).phrase) + " " + used; },
            {in.q_BHND, in.k_BHMD, in.v_BHMD});
    };
    const auto fallBack = [&](std::string why) {
        const auto range = inTrace(protocol::kReferenceBackend);
        return Outcome{attendWithLibtorch(kernels::LibtorchOperator::Choice, in), protocol::kReferenceBackend,
                       std::move(why)};
    };
    if (requested == protocol::kDefaultBackend) return fallBack("the reference's default is sdpa");
    const kernels::BackendInfo& backend = *kernels::findBackend(requested);
    if (backend.libtorch) {
        if (auto obstacle = whyNot(*backend.libtorch, in)) return fallBack(*std::move(obstacle));
        const auto range = inTrace(requested);
        return {attendWithLibtorch(*backend.libtorch, in), requested, ""};
    }
    const KernelCall call(in, execution);
    if (auto obstacle = call.whyNot(backend)) return fallBack(*std::move(obstacle));
    const auto range = inTrace(requested);
    if (backend.plugin != nullptr) {
        at::Tensor out_BHND = guard.run(call, backend, in);
        return {std::move(out_BHND), requested, "", guard.lookingSeconds()};
    }
    const bool linearBranchIsIdle = backend.linearBranch && !in.projL_DD.defined();
    return {call.run(backend), requested,
            linearBranchIsIdle ? "no proj_l for the linear branch: the sparse part alone" : ""};
}

/// What --attention-type takes, separated by ", ".
std::string attentionTypes() {
    return kernels::backendNames() + ", " + protocol::kDefaultBackend;
}

class RecordingDispatcher final : public Dispatcher {
  public:
    RecordingDispatcher(Policy policy, const execution::Execution& execution)
        : m_policy(std::move(policy)), m_execution(execution) {}

    at::Tensor attend(const Inputs& inputs, const CallSite& site) override {
        const auto start = std::chrono::steady_clock::now();
        const std::string& requested = m_policy.backendFor(site, m_pass);
        Outcome outcome = attendWith(requested, inputs, site, m_execution, m_guard);
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
        CallRecord& record = recordOf(site.kind, requested, outcome);
        ++record.calls;
        // Elsewhere the call is only queued by now: no time of its own was measured.
        if (m_execution.device.is_cpu())
            record.seconds = record.seconds.value_or(0) + spent.count() - outcome.lookingSeconds;
        return std::move(outcome.out_BHND);
    }

    void beginPass(int step, GuidanceBranch branch) override {
        m_guard.endPass();
        m_pass = {step, branch};
    }

    void endPasses() override { m_guard.endPass(); }

    /// A stranger's kernel may do what can't be recorded.
    [[nodiscard]] Replay replayOfPass() const override {
        const std::vector<std::string> names = m_policy.backends();
        const auto isPlugin = [](const std::string& name) {
            const kernels::BackendInfo* backend = kernels::findBackend(name);
            return backend != nullptr && backend->plugin != nullptr;
        };
        return std::any_of(names.begin(), names.end(), isPlugin) ? Replay::Refused : Replay::Allowed;
    }

    [[nodiscard]] std::vector<CallRecord> records() const override { return m_records; }

    [[nodiscard]] std::string choicesOfPass(int layers) const override {
        std::string choices;
        for (const protocol::ModuleKindInfo& kind : protocol::kModuleKinds)
            for (int layer = 0; layer < layers; ++layer)
                choices += m_policy.backendFor({kind.kind, layer}, m_pass) + " ";
        return choices;
    }

    std::vector<CallRecord> takeBackSince(const std::vector<CallRecord>& earlier) override {
        std::vector<CallRecord> since = m_records;
        for (std::size_t i = 0; i < earlier.size(); ++i) since[i].calls -= earlier[i].calls;
        std::erase_if(since, [](const CallRecord& record) { return record.calls == 0; });
        m_records = earlier;
        return since;
    }

    void countAgain(const std::vector<CallRecord>& calls) override {
        for (const CallRecord& call : calls)
            recordOf(call.kind, call.requested, {{}, call.used, call.why}).calls += call.calls;
    }

  private:
    CallRecord& recordOf(ModuleKind kind, const std::string& requested, const Outcome& outcome) {
        const auto same = [&](const CallRecord& record) {
            return record.kind == kind && record.requested == requested && record.used == outcome.used &&
                   record.why == outcome.why;
        };
        const auto found = std::find_if(m_records.begin(), m_records.end(), same);
        if (found != m_records.end()) return *found;
        m_records.push_back({kind, requested, outcome.used, outcome.why, 0, std::nullopt});
        return m_records.back();
    }

    Policy m_policy;
    execution::Execution m_execution;
    Pass m_pass;
    PluginGuard m_guard;
    std::vector<CallRecord> m_records;
};

}  // namespace

Result<std::unique_ptr<Dispatcher>> makeDispatcher(const std::string& attentionType) {
    return makeDispatcher(Policy(attentionType));
}

Result<std::unique_ptr<Dispatcher>> makeDispatcher(Policy policy, const execution::Execution& execution) {
    for (const std::string& type : policy.backends())
        if (type != protocol::kDefaultBackend && kernels::findBackend(type) == nullptr)
            return Error{ErrorCode::BadUsage,
                         "--attention-type " + type + ": one of " + attentionTypes() + " was needed"};
    try {
        static_cast<void>(kernels::selectedInstructionSet());
    } catch (const std::runtime_error& error) {
        return Error{ErrorCode::BadUsage, error.what()};
    }
    return std::unique_ptr<Dispatcher>(std::make_unique<RecordingDispatcher>(std::move(policy), execution));
}

}  // namespace reelgrid::attention
