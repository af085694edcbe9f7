#include "app/cli/backends_check.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/backend_check.h"
#include "app/cli/case_process.h"
#include "app/cli/check_server.h"
#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "app/cli/kernel_device.h"
#include "app/cli/number_range.h"
#include "app/cli/plugin_options.h"
#include "app/cli/progress_line.h"
#include "core/base/json.h"
#include "core/base/number_text.h"
#include "core/plugins/plugin_list.h"

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;
using benchmark::CheckCase;
using benchmark::CheckOutcome;
using kernels::BackendInfo;
using nlohmann::json;

struct CheckVerb {
    std::string subject;  ///< a plug-in's file or a backend's name
    std::optional<double> maxL1;
    std::string device = "cpu";
    std::string shape = "1,3,1296,128";
    double caseTimeout = 60;
    bool json = false;
    /// In the process that runs the cases: which to begin with; absent elsewhere.
    std::optional<std::size_t> serveFrom;
    std::string served;  ///< there: the backend
};

Result<std::vector<const BackendInfo*>> subjectsOf(const CheckVerb& verb) {
    if (const BackendInfo* backend = kernels::findBackend(verb.subject)) return std::vector{backend};
    std::error_code failed;
    if (!fs::exists(verb.subject, failed))
        return Error{ErrorCode::BadUsage, "backends check " + verb.subject +
                                              ": a plug-in's file, or one of " + kernels::backendNames() +
                                              " was needed"};
    const fs::path file = fs::canonical(verb.subject, failed);
    std::vector<std::string> notes;
    if (auto added = plugins::addPlugins({{file, plugins::Found::Given}}, notes); !added)
        return added.error();
    std::vector<const BackendInfo*> found;
    for (const BackendInfo& backend : kernels::backends())
        if (backend.plugin != nullptr && backend.plugin->description.file == file.string())
            found.push_back(&backend);
    return found;
}

double number(const json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

/// Follows one backend's cases through as many processes as it takes.
class CheckRun {
  public:
    CheckRun(const CheckVerb& verb, const BackendInfo& backend) : m_verb(verb) {
        m_check.backend = &backend;
        m_check.device = verb.device;
        const double claimed = backend.plugin != nullptr ? backend.plugin->description.claimedL1 : 0;
        m_check.claim.l1 = verb.maxL1.value_or(claimed);
        m_check.cases = benchmark::checkCases();
        m_check.outcomes.resize(m_check.cases.size());
    }

    Result<BackendCheck> run(const std::stop_token& stop) {
        // A kernel that crashes or hangs in every case is known after a few.
        constexpr int kMostDeaths = 6, kMostHangs = 2;
        int hangs = 0;
        const std::chrono::milliseconds patience(std::int64_t(m_verb.caseTimeout * 1e3));
        for (int deaths = 0;; ++deaths) {
            auto end = runCases(
                arguments(), patience, [this](const std::string& line) { take(line); }, stop);
            m_line.clear();
            if (!end) return end.error();
            if (end->reason == ProcessEnd::Reason::Interrupted || stop.stop_requested())
                return Error{ErrorCode::Cancelled, "cancelled"};
            const bool finished = end->reason == ProcessEnd::Reason::Finished;
            if (finished && m_next == m_check.cases.size()) return m_check;
            std::string words = finished ? "ended the process before it was done" : end->words;
            if (end->reason == ProcessEnd::Reason::TookTooLong) {
                ++hangs;
                words = "took more than " + std::to_string(std::int64_t(m_verb.caseTimeout)) +
                        " seconds (--case-timeout); " + words;
            }
            if (m_next == m_check.cases.size()) {
                m_check.whyNoSpeed = words;
                return m_check;
            }
            m_check.outcomes[m_next++].failure = words;
            if (deaths + 1 < kMostDeaths && hangs < kMostHangs) continue;
            for (; m_next < m_check.cases.size(); ++m_next)
                m_check.outcomes[m_next].failure = "not run: earlier cases ended their process";
            return m_check;
        }
    }

  private:
    [[nodiscard]] std::vector<std::string> arguments() const {
        std::vector<std::string> words{"backends",
                                       "check",
                                       m_verb.subject,
                                       "--serve-from",
                                       std::to_string(m_next),
                                       "--serve-backend",
                                       std::string(m_check.backend->name),
                                       "--device",
                                       m_verb.device,
                                       "--shape",
                                       m_verb.shape,
                                       "--max-l1",
                                       significant(m_check.claim.l1, 9)};
        for (std::string& word : plugins::pluginArguments()) words.push_back(std::move(word));
        return words;
    }

    void take(const std::string& line) {
        const auto read = parseJson(line, "outcome");
        if (!read || !read->is_object()) return;
        if (const auto speed = read->find("speed"); speed != read->end()) return takeSpeed(*speed);
        const auto index = read->find("case");
        if (index == read->end() || *index != m_next || m_next >= m_check.cases.size()) return;
        CheckOutcome& outcome = m_check.outcomes[m_next++];
        outcome.whyNot = read->value("why_not", "");
        outcome.failure = read->value("failure", "");
        outcome.maxError = number(*read, "max_error");
        outcome.l1 = number(*read, "l1");
        outcome.sdpaMaxError = number(*read, "sdpa_max_error");
        outcome.sdpaL1 = number(*read, "sdpa_l1");
        m_line.update(std::string(m_check.backend->name), "check", int(m_next), int(m_check.cases.size()),
                      -1);
    }

    void takeSpeed(const json& speed) {
        CheckedSpeed& own = m_check.speed.emplace();
        own.shape = speed.value("shape", "");
        own.dtype = speed.value("dtype", "");
        if (speed.contains("call_overhead_us"))
            own.callOverheadMicroseconds = number(speed, "call_overhead_us");
        for (const json& row : speed.value("rows", json::array()))
            own.rows.push_back(
                {row.value("kernel", ""), number(row, "ms"), number(row, "x_sdpa"), number(row, "gflops")});
    }

    const CheckVerb& m_verb;
    BackendCheck m_check;
    std::size_t m_next = 0;  ///< the first case without an outcome
    ProgressLine m_line;
};

int runCheck(const CheckVerb& verb) {
    if (verb.serveFrom)
        return serveChecks({*verb.serveFrom, verb.served, verb.maxL1.value_or(0), verb.device, verb.shape});
    if (auto shape = benchmark::parseShape(verb.shape); !shape) return fail(shape.error());
    if (auto device = kernelDeviceNamed(verb.device); !device) return fail(device.error());
    const auto subjects = subjectsOf(verb);
    if (!subjects) return fail(subjects.error());
    const InterruptWatch interrupts;
    json document = {{"checked", json::array()}};
    std::string text;
    int status = 0;
    for (const BackendInfo* backend : *subjects) {
        if (backend->libtorch)
            return fail({ErrorCode::BadUsage, "backends check " + std::string(backend->name) +
                                                  ": libtorch's own operator, another backend was needed"});
        auto check = CheckRun(verb, *backend).run(interrupts.token());
        if (!check) return fail(check.error());
        // Where it supports nothing, nothing was shown.
        if (check->failing() > 0 || check->holding() == 0) status = 1;
        document["checked"].push_back(checkJson(*check));
        text += (text.empty() ? "" : "\n") + checkTable(*check);
    }
    const int printed = verb.json ? printResult(document) : printResult(text);
    return std::max(status, printed);
}

}  // namespace

std::function<int()> addCheckCommand(CLI::App& backends) {
    auto verb = std::make_shared<CheckVerb>();
    CLI::App* command = backends.add_subcommand(
        "check", "Hold a plug-in's backends to float64, beside sdpa in the same dtype, and time them");
    command->add_option("FILE", verb->subject, "The plug-in's file, or a backend's name")->required();
    constexpr double kMostSeconds = 1e7;
    command->add_option("--max-l1", verb->maxL1,
                        "Allow this relative L1 error (default: what the plug-in claims; 0: exact)");
    command->add_option("--device", verb->device, "cpu, cuda or cuda:N")->capture_default_str();
    command->add_option("--shape", verb->shape, "To time, as bench attention takes it")
        ->capture_default_str();
    command->add_option("--case-timeout", verb->caseTimeout, "Seconds that a case may take")
        ->check(numberFrom(0.1, kMostSeconds))
        ->capture_default_str();
    command->add_option("--serve-from", verb->serveFrom)->group("");
    command->add_option("--serve-backend", verb->served)->group("");
    command->add_flag("--json", verb->json, "Print one JSON document");
    addPluginOption(*command);
    return [verb] { return runCheck(*verb); };
}

}  // namespace reelgrid::cli
