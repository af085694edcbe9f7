#include "core/attention/dispatcher.h"

#include <algorithm>
#include <utility>

#include "core/attention/merged_parts.h"
#include "core/attention/plugin_guard.h"
#include "core/attention/serve.h"
#include "core/attention/shared_tensors.h"
#include "kernels/backends/backend_list.h"

namespace reelgrid::attention {

namespace {

/// Of a backend of ours; of others none.
kernels::MethodTraits traitsOf(const std::string& name, std::int64_t headDim) {
    const kernels::BackendInfo* backend = kernels::findBackend(name);
    if (backend == nullptr || !backend->method) return {};
    return kernels::traitsOf(*backend->method, static_cast<int>(headDim));
}

/// What a backend lost by getting keys in parts of these lengths, of which the sequence's last alone may be
/// shorter; empty: nothing. Its scales are of blocks of tokens, counted from where a part begins.
std::string lossOfParts(const kernels::MethodTraits& traits, const Inputs& inputs,
                        const std::vector<std::int64_t>& lengths) {
    const kernels::ScaleBlocks blocks = traits.scaleBlocks;
    if (blocks.keys == 0 || lengths.size() < 2) return {};
    if ((traits.centresKeys && !inputs.keyMean_BHD.defined()) ||
        (traits.valueScales != kernels::ValueScales::None && !inputs.valueMaxima_BHD.defined()))
        return "keys came in parts, each centred and quantised by itself";
    const std::int64_t longest = *std::ranges::max_element(lengths);
    if (longest % blocks.keys == 0 && longest % blocks.queries == 0) return {};
    return "tokens came in parts that cut blocks of " + std::to_string(blocks.queries) + " queries and " +
           std::to_string(blocks.keys) + " keys, which share a scale";
}

}  // namespace

Dispatcher::Dispatcher(Policy policy, const execution::Execution& execution, CallSettings settings)
    : m_policy(std::move(policy)),
      m_execution(execution),
      m_settings(std::move(settings)),
      m_guard(std::make_unique<PluginGuard>()),
      m_sharedTensors(SharedTensors::forBackends(m_policy.backends(), m_execution.device)) {}

Dispatcher::~Dispatcher() = default;

at::Tensor Dispatcher::attend(const Inputs& inputs, const CallSite& site) {
    const std::string& requested = m_policy.backendFor(site, m_pass);
    Served served = serve(requested, inputs, m_execution, optionsOf(site, requested), *m_guard);
    note(inputs, site, requested, served);
    return std::move(served.out_BHND);
}

at::Tensor Dispatcher::attendInParts(const std::function<std::optional<Inputs>()>& next,
                                     const CallSite& site) {
    const std::string& requested = m_policy.backendFor(site, m_pass);
    CallOptions options = optionsOf(site, requested);
    options.logSumExp = LogSumExp::Asked;
    Inputs first;
    std::optional<Served> told;
    std::unique_ptr<MergedParts> merged;
    std::vector<std::int64_t> lengths;
    while (const std::optional<Inputs> part = next()) {
        Served served = serve(requested, *part, m_execution, options, *m_guard);
        if (!merged) {
            first = *part;
            merged = MergedParts::of(first.q_BHND);
        }
        merged->add(served.out_BHND, served.lse_BHN);
        lengths.push_back(part->k_BHMD.size(2));
        if (served.why.empty())
            served.why = lossOfParts(traitsOf(served.used, part->q_BHND.size(3)), *part, lengths);
        if (told && told->seconds && served.seconds) served.seconds = *told->seconds + *served.seconds;
        // What served one part otherwise than it was asked for is what is told.
        if (told && told->used != requested) served.used = told->used, served.why = told->why;
        told = std::move(served);
    }
    told->out_BHND = merged->rounded();
    note(first, site, requested, *told);
    return std::move(told->out_BHND);
}

SequenceNeeds Dispatcher::needsOfSequence(const CallSite& site) const {
    constexpr std::int64_t kAnyHeadDim = 128;
    const kernels::MethodTraits traits = traitsOf(m_policy.backendFor(site, m_pass), kAnyHeadDim);
    return {.keyMean = traits.centresKeys, .valueMaxima = traits.valueScales != kernels::ValueScales::None};
}

CallOptions Dispatcher::optionsOf(const CallSite& site, const std::string& requested) const {
    return {.kind = site.kind,
            .slaTopk = m_settings.slaTopk,
            .context = {.module = protocol::nameOf(site.kind),
                        .branch = protocol::nameOf(m_pass.branch),
                        .family = m_settings.family.c_str(),
                        .layer = site.layer,
                        .step = m_pass.step,
                        .steps = m_policy.steps(),
                        .options = m_settings.options.of(requested)}};
}

void Dispatcher::note(const Inputs& inputs, const CallSite& site, const std::string& requested,
                      const Served& served) {
    const protocol::BackendChoice choice{requested, served.used, served.why};
    if (m_recording != nullptr) {
        m_recording->push_back({site, shapeOf(inputs), choice});
    } else {
        m_records.count(site.kind, choice, served.seconds, served.kept);
        for (CallObserver* observer : m_observers)
            observer->served({site, m_pass, inputs, requested}, served);
    }
}

void Dispatcher::beginPass(int step, GuidanceBranch branch) {
    m_guard->endPass();
    m_pass = {step, branch};
}

void Dispatcher::endPasses() {
    m_guard->endPass();
}

Replay Dispatcher::replayOfPass() const {
    // A stranger's kernel may do what can't be recorded.
    const auto isPlugin = [](const std::string& name) {
        const kernels::BackendInfo* backend = kernels::findBackend(name);
        return backend != nullptr && backend->plugin != nullptr;
    };
    const auto refuses = [&](const CallObserver* observer) {
        return observer->replayOf(m_pass) == Replay::Refused;
    };
    return std::ranges::any_of(m_policy.backends(), isPlugin) || std::ranges::any_of(m_observers, refuses)
               ? Replay::Refused
               : Replay::Allowed;
}

std::vector<RecordedCall> Dispatcher::record(const std::function<void()>& pass) {
    std::vector<RecordedCall> calls;
    m_recording = &calls;
    try {
        pass();
    } catch (...) {
        m_recording = nullptr;
        throw;
    }
    m_recording = nullptr;
    return calls;
}

void Dispatcher::replayed(const std::vector<RecordedCall>& calls) {
    for (const RecordedCall& call : calls) {
        m_records.count(call.site.kind, call.choice, std::nullopt);
        for (CallObserver* observer : m_observers) observer->replayed(m_pass, call);
    }
}

}  // namespace reelgrid::attention
