#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/attention/call_observer.h"
#include "core/attention/call_records.h"
#include "core/attention/call_settings.h"
#include "core/attention/policy.h"
#include "core/execution/execution.h"

namespace reelgrid::attention {

class PluginGuard;
class SharedTensors;

/// Which of kernels::SequenceStatistics a backend reads.
struct SequenceNeeds {
    bool keyMean = false, valueMaxima = false;
    [[nodiscard]] bool any() const { return keyMean || valueMaxima; }
};

/// The one door through which a model's attention goes: asks for what a policy says, has it served, counts it
/// and tells observers. Not thread-safe: one per running pipeline.
class Dispatcher {
  public:
    /// Every backend that `policy` names must be known; makeDispatcher() checks that.
    explicit Dispatcher(Policy policy, const execution::Execution& execution = {},
                        CallSettings settings = {});
    ~Dispatcher();
    Dispatcher(const Dispatcher&) = delete;
    Dispatcher& operator=(const Dispatcher&) = delete;

    /// `observer` is told of every call from now on, and must outlive the last one.
    void observe(CallObserver& observer) { m_observers.push_back(&observer); }

    /// softmax(q kᵀ / √D + keyBias) v → o_BHND, whose transpose(1, 2) is contiguous.
    at::Tensor attend(const Inputs& inputs, const CallSite& site);

    /// The same over keys that come in parts: `next` gives them one after another, each with the same
    /// queries, then nothing. Merged by their log-sum-exp in fp32; counts as one call, of which observers are
    /// told with the first part.
    at::Tensor attendInParts(const std::function<std::optional<Inputs>()>& next, const CallSite& site);

    /// What the backend that the call asks for would find out over all keys and values: who has them in parts
    /// gives it with each (Inputs).
    [[nodiscard]] SequenceNeeds needsOfSequence(const CallSite& site) const;

    /// Called by the denoise loop before each forward pass.
    void beginPass(int step, GuidanceBranch branch);
    /// Called once after the last one, to look at what is still queued on a device.
    void endPasses();

    [[nodiscard]] const std::vector<CallRecord>& records() const { return m_records.all(); }

    // For passes that are recorded once and replayed without being called (CUDA graphs).

    /// Whether the pass that began may be recorded or replayed; otherwise each call must come here.
    [[nodiscard]] Replay replayOfPass() const;
    /// What the pass that began asks for: passes of which it is equal may be replayed for each other.
    [[nodiscard]] PassChoices choicesOfPass() const { return m_policy.choicesOf(m_pass); }
    /// Runs `pass`, which only records: its calls don't count and nobody is told of them. Returns them.
    [[nodiscard]] std::vector<RecordedCall> record(const std::function<void()>& pass);
    /// The pass that began was replayed: these calls, which record() gave, were made once more.
    void replayed(const std::vector<RecordedCall>& calls);

  private:
    [[nodiscard]] CallOptions optionsOf(const CallSite& site, const std::string& requested) const;
    void note(const Inputs& inputs, const CallSite& site, const std::string& requested, const Served& served);

    Policy m_policy;
    execution::Execution m_execution;
    CallSettings m_settings;
    Pass m_pass;
    std::unique_ptr<PluginGuard> m_guard;
    std::unique_ptr<SharedTensors> m_sharedTensors;
    CallRecords m_records;
    std::vector<CallObserver*> m_observers;
    std::vector<RecordedCall>* m_recording = nullptr;  ///< of the pass that is being recorded
};

}  // namespace reelgrid::attention
