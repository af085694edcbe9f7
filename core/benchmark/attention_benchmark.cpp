#include "core/benchmark/attention_benchmark.h"

#include <algorithm>
#include <optional>
#include <string>

#include "core/attention/plugin_guard.h"
#include "core/attention/shared_tensors.h"
#include "core/base/result.h"
#include "core/benchmark/attention_subject.h"
#include "core/benchmark/captured_input.h"
#include "core/benchmark/statistics.h"

namespace reelgrid::benchmark {
namespace {

/// How long a kernel is measured for, in seconds and turns.
struct Protocol {
    double warmUp = 0;
    double measured = 1;
    double fewest = 7;
    double most = 301;
};
constexpr Protocol kOnCpu{};
constexpr Protocol kOnGpu{.warmUp = 0.025, .measured = 0.1, .fewest = 10};

/// One kernel's turns.
class Contender {
  public:
    Contender(const kernels::BackendInfo& backend, const AttentionSubject& subject,
              const AttentionCase& wanted)
        : m_backend(backend), m_subject(subject), m_wanted(wanted), m_why(subject.whyNot(backend)) {}

    [[nodiscard]] bool runs() const { return !m_why; }
    [[nodiscard]] bool isPlugin() const { return m_backend.plugin != nullptr; }
    [[nodiscard]] const kernels::BackendInfo& backend() const { return m_backend; }

    /// At least one turn, whose output is compared.
    void warmUp(const Float64Attention& truth, const Stopwatch& stopwatch, double seconds) {
        at::Tensor out_BHND;
        const auto turn = [&] { return stopwatch.time([&] { out_BHND = m_subject.run(m_backend); }); };
        // May load and choose kernels: its time says nothing.
        if (m_backend.plugin != nullptr)
            out_BHND = m_subject.runGuarded(m_backend);
        else
            turn();
        m_accuracy = truth.accuracyOf(out_BHND);
        m_kept = m_subject.kept();
        for (double spent = 0; spent < seconds;) spent += turn();
    }

    void takeTurn(const Stopwatch& stopwatch) {
        at::Tensor out_BHND;
        const Lap lap = stopwatch.timeParts(
            [&](Preparation& preparation) { out_BHND = m_subject.run(m_backend, &preparation); });
        m_seconds.push_back(lap.seconds);
        // A kernel's preparation is wall time; a plug-in doesn't tell its own.
        if (m_wanted.clock == Clock::Wall && m_backend.plugin == nullptr)
            m_kernelSeconds.push_back(lap.seconds - lap.preparation);
    }

    /// `sdpa` stands in when this one doesn't run.
    [[nodiscard]] AttentionRow row(const Contender& sdpa) const {
        const Contender& measured = runs() ? *this : sdpa;
        const kernels::BackendInfo& backend = measured.m_backend;
        AttentionRow row;
        row.kernel = m_backend.name;
        row.used = backend.name;
        row.why = m_why.value_or("");
        if (backend.libtorch == kernels::LibtorchOperator::Choice) row.choice = m_subject.choiceOfSdpa();
        row.p50 = median(measured.m_seconds);
        row.p05 = percentile(measured.m_seconds, 0.05);
        row.p95 = percentile(measured.m_seconds, 0.95);
        row.best = percentile(measured.m_seconds, 0);
        row.variation = benchmark::variation(measured.m_seconds);
        if (!measured.m_kernelSeconds.empty()) row.kernelP50 = median(measured.m_kernelSeconds);
        row.repetitions = static_cast<int>(measured.m_seconds.size());
        row.accuracy = measured.m_accuracy;
        row.dense = !backend.sparse;
        row.kept = measured.m_kept;
        if (backend.method && kernels::traitsOf(*backend.method, 0).centresKeys)
            row.keysSmoothed = m_wanted.keySmoothing == kernels::KeySmoothing::Mean;
        return row;
    }

  private:
    const kernels::BackendInfo& m_backend;
    const AttentionSubject& m_subject;
    const AttentionCase& m_wanted;
    std::optional<std::string> m_why;
    std::vector<double> m_seconds, m_kernelSeconds;
    Accuracy m_accuracy;
    std::optional<double> m_kept;
};

AttentionInput inputOf(const AttentionCase& wanted) {
    return wanted.captured ? readInput(wanted).value() : makeUp(wanted.madeUp, wanted.shape, wanted.type);
}

kernels::CallContext contextOf(const AttentionCase& wanted) {
    kernels::CallContext context{.grid = wanted.grid};
    if (!wanted.captured) return context;
    context.module = wanted.captured->module.c_str();
    context.branch = wanted.captured->branch.c_str();
    context.layer = wanted.captured->layer.value_or(context.layer);
    context.step = wanted.captured->step.value_or(context.step);
    return context;
}

std::vector<Contender> contendersFor(const AttentionCase& wanted, const AttentionSubject& subject) {
    const kernels::BackendInfo& sdpa = *kernels::findBackend("sdpa");
    std::vector<Contender> contenders{{sdpa, subject, wanted}};
    for (const auto* backend : wanted.backends)
        if (backend != &sdpa) contenders.emplace_back(*backend, subject, wanted);
    return contenders;
}

/// Throws a Failure naming those that may have changed the inputs of all others while they were timed, when
/// nothing but the clock looks.
void requireInputsKept(const attention::InputsBefore& before, const AttentionSubject& subject,
                       const std::vector<Contender>& contenders) {
    if (before.isStill(subject.inputs())) return;
    std::string plugins;
    for (const Contender& contender : contenders)
        if (contender.runs() && contender.isPlugin())
            plugins += (plugins.empty() ? "" : " or ") + attention::nameInMessages(contender.backend());
    throw Failure(ErrorCode::Internal, plugins + " changed its inputs in a call that was timed");
}

}  // namespace

std::vector<AttentionRow> measureAttention(const AttentionCase& wanted, const Progress& progress) {
    const Protocol& protocol = wanted.execution.device.is_cpu() ? kOnCpu : kOnGpu;
    std::vector<std::string> names;
    for (const auto* backend : wanted.backends) names.emplace_back(backend->name);
    const auto shared = attention::SharedTensors::forBackends(names, wanted.execution.device);
    const AttentionSubject subject(movedTo(inputOf(wanted), wanted.execution.device), wanted.mask,
                                   wanted.keySmoothing, wanted.execution, wanted.settings, contextOf(wanted));
    const Stopwatch stopwatch(wanted.execution, wanted.clock);
    std::vector<Contender> contenders = contendersFor(wanted, subject);

    std::optional<attention::InputsBefore> before;
    if (std::ranges::any_of(contenders, [](const Contender& one) { return one.runs() && one.isPlugin(); }))
        before.emplace(subject.inputs());
    progress(0, wanted.repetitions, -1);
    {
        const Float64Attention truth(subject.input(), wanted.mask);
        for (Contender& contender : contenders)
            if (contender.runs()) contender.warmUp(truth, stopwatch, protocol.warmUp);
    }
    const auto round = [&] {
        const double start = wallSeconds();
        for (Contender& contender : contenders)
            if (contender.runs()) contender.takeTurn(stopwatch);
        return wallSeconds() - start;
    };
    double spent = round();
    const auto running = std::ranges::count_if(contenders, &Contender::runs);
    const double budget = protocol.measured * static_cast<double>(running);
    const int rounds = wanted.repetitions > 0
                           ? wanted.repetitions
                           : static_cast<int>(std::clamp(budget / spent, protocol.fewest, protocol.most));
    for (int done = 1; done < rounds; ++done) {
        progress(done, rounds, spent / done * (rounds - done));
        spent += round();
    }
    if (before) requireInputsKept(*before, subject, contenders);
    std::vector<AttentionRow> rows;
    for (const Contender& contender : contenders) rows.push_back(contender.row(contenders.front()));
    return rows;
}

}  // namespace reelgrid::benchmark
