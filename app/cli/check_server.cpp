#include "app/cli/check_server.h"

#include <c10/core/InferenceMode.h>
#include <c10/util/Exception.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <nlohmann/json.hpp>

#include "app/cli/console.h"
#include "core/base/json.h"
#include "core/benchmark/attention_benchmark.h"
#include "core/benchmark/attention_report.h"
#include "core/benchmark/fenced_tensor.h"
#include "core/benchmark/kernel_check.h"
#include "core/plugins/crash_report.h"

namespace reelgrid::cli {
namespace {

using benchmark::CheckCase;
using benchmark::CheckOutcome;
using kernels::BackendInfo;
using nlohmann::json;

json outcomeJson(std::size_t index, const CheckOutcome& outcome) {
    return {{"case", index},
            {"why_not", outcome.whyNot},
            {"failure", outcome.failure},
            {"max_error", outcome.maxError},
            {"l1", outcome.l1},
            {"sdpa_max_error", outcome.sdpaMaxError},
            {"sdpa_l1", outcome.sdpaL1}};
}

/// The type that renders use, where the kernel takes it.
kernels::DataType typeForSpeed(const BackendInfo& backend) {
    if (backend.plugin == nullptr || backend.plugin->description.takes(kernels::DataType::BFloat16))
        return kernels::DataType::BFloat16;
    return backend.plugin->description.types.front();
}

json measureSpeed(const BackendInfo& backend, const CheckServing& asked,
                  const execution::Execution& execution, const std::function<void(const json&)>& say) {
    benchmark::AttentionCase wanted;
    wanted.shape = benchmark::parseShape(asked.shape).value();
    wanted.type = typeForSpeed(backend);
    wanted.execution = execution;
    wanted.backends = {kernels::findBackend("fav2")};
    if (&backend != wanted.backends.front()) wanted.backends.push_back(&backend);
    const auto beat = [&say](int, int, double) { say({{"beat", true}}); };
    benchmark::MeasuredCase measured{wanted, benchmark::measureAttention(wanted, beat)};
    json rows = json::array();
    for (const benchmark::AttentionRow& row : measured.rows) {
        if (!row.why.empty()) continue;
        rows.push_back({{"kernel", row.kernel},
                        {"ms", row.p50 * 1e3},
                        {"x_sdpa", benchmark::timesSdpa(measured, row)},
                        {"gflops", benchmark::rateOf(measured, row) / 1e9}});
    }
    json speed = {{"shape", asked.shape}, {"dtype", kernels::nameOf(wanted.type)}, {"rows", std::move(rows)}};
    if (backend.plugin != nullptr && backend.plugin->kernel != nullptr)
        if (const auto seconds = backend.plugin->kernel->secondsBesideKernel())
            speed["call_overhead_us"] = *seconds * 1e6;
    return speed;
}

}  // namespace

int serveChecks(const CheckServing& asked) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // Whatever a plug-in prints goes to stderr: stdout is for the outcomes.
    const int output = dup(STDOUT_FILENO);
    if (output < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return fail({ErrorCode::Io, "stdout can't be used"});
    const auto say = [output](const json& document) {
        const std::string line = printJson(document) + "\n";
        if (::write(output, line.data(), line.size()) != ssize_t(line.size())) _exit(1);
    };
    const BackendInfo* backend = kernels::findBackend(asked.backend);
    if (backend == nullptr) return fail({ErrorCode::Internal, asked.backend + ": no such backend"});
    const auto execution = execution::executionOn(asked.device);
    if (!execution) return fail(execution.error());
    plugins::reportCrashes();
    plugins::explainFaults(benchmark::faultWords);
    const c10::InferenceMode inference;
    const std::vector<CheckCase> cases = benchmark::checkCases();
    const benchmark::Claim claim{asked.maxL1};
    for (std::size_t i = asked.firstCase; i < cases.size(); ++i) {
        CheckOutcome outcome;
        try {
            outcome = benchmark::checkKernel(*backend, cases[i], claim, *execution);
        } catch (const c10::AcceleratorError& failure) {
            // CUDA serves this process no more: another one goes on behind this case.
            return fail({ErrorCode::DeviceLost, failure.what_without_backtrace()});
        } catch (const c10::Error& failure) {
            outcome.failure = failure.what_without_backtrace();
        } catch (const std::exception& failure) {
            outcome.failure = failure.what();
        }
        say(outcomeJson(i, outcome));
    }
    say({{"speed", measureSpeed(*backend, asked, *execution, say)}});
    return 0;
}

}  // namespace reelgrid::cli
