#include "app/cli/backend_check.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "app/cli/libtorch_version.h"
#include "core/base/number_text.h"
#include "core/base/text_table.h"
#include "core/base/version.h"
#include "core/machine/cpu.h"
#include "core/machine/machine_json.h"

namespace reelgrid::cli {
namespace {

using benchmark::CheckCase;
using benchmark::CheckOutcome;
using kernels::DataType;
using nlohmann::json;

constexpr std::array kTypes{DataType::Float32, DataType::BFloat16, DataType::Float16};

bool isApproximate(const BackendCheck& check) {
    return check.claim.l1 > 0;
}

std::string figure(double value) {
    return value == 0 ? "0" : significant(value, 2);
}

/// One line for all types of a case, which follow each other in the same order.
std::vector<TableLine> caseLines(const BackendCheck& check) {
    std::vector<TableLine> lines{{{""}, ""},
                                 {{isApproximate(check) ? "relative L1 error" : "largest error"}, ""}};
    for (const DataType type : kTypes) {
        lines[0].cells.insert(lines[0].cells.end(), {std::string(kernels::nameOf(type)), ""});
        lines[1].cells.insert(lines[1].cells.end(), {std::string(check.backend->name), "sdpa"});
    }
    const std::size_t each = check.cases.size() / kTypes.size();
    for (std::size_t row = 0; row < each; ++row) {
        TableLine line{{check.cases[row].name}, ""};
        for (std::size_t type = 0; type < kTypes.size(); ++type) {
            const CheckOutcome& outcome = check.outcomes[type * each + row];
            const bool l1 = isApproximate(check);
            if (!outcome.whyNot.empty()) {
                line.cells.insert(line.cells.end(), {"–", "–"});
                continue;
            }
            // One that failed without an error came to no numbers.
            const bool measured = outcome.failure.empty() || outcome.maxError > 0;
            line.cells.push_back(measured ? figure(l1 ? outcome.l1 : outcome.maxError) : "–");
            line.cells.push_back(measured ? figure(l1 ? outcome.sdpaL1 : outcome.sdpaMaxError) : "–");
            if (!outcome.failure.empty())
                line.remark +=
                    (line.remark.empty() ? "  FAILS in " : ", ") + std::string(kernels::nameOf(kTypes[type]));
        }
        lines.push_back(std::move(line));
    }
    return lines;
}

std::string reasons(const BackendCheck& check) {
    std::string text;
    std::map<std::string, int> whyNot;
    for (std::size_t i = 0; i < check.cases.size(); ++i) {
        const CheckOutcome& outcome = check.outcomes[i];
        if (!outcome.whyNot.empty()) ++whyNot[outcome.whyNot];
        if (!outcome.failure.empty())
            text += "FAILS  " + check.cases[i].name + ", " + kernels::nameOf(check.cases[i].type) + ": " +
                    outcome.failure + "\n";
    }
    for (const auto& [why, count] : whyNot)
        text += "not run " + std::to_string(count) + " times: " + why + "\n";
    return text;
}

std::string speedText(const BackendCheck& check) {
    if (!check.speed)
        return check.whyNoSpeed.empty() ? "" : "speed: not measured: " + check.whyNoSpeed + "\n";
    std::vector<TableLine> lines{
        {{"speed of " + check.speed->shape + " " + check.speed->dtype, "ms", "× sdpa", "GFLOP/s"}, ""}};
    for (const CheckedSpeed::Row& row : check.speed->rows)
        lines.push_back({{row.kernel, significant(row.milliseconds, 3), fixed(row.timesSdpa, 2),
                          significant(row.gflops, 3)},
                         ""});
    std::string text = "\n" + alignedTable(lines, 1);
    if (check.speed->callOverheadMicroseconds)
        text += "each call takes " + significant(*check.speed->callOverheadMicroseconds, 2) + " µs to " +
                check.backend->plugin->description.runtime + " and back, in the times above\n";
    return text;
}

std::string heading(const BackendCheck& check) {
    const kernels::BackendInfo& backend = *check.backend;
    std::string text = std::string(backend.name);
    if (backend.plugin != nullptr) {
        const kernels::PluginDescription& said = backend.plugin->description;
        if (!said.version.empty()) text += " " + said.version;
        text += ": " + said.title + "\n" + said.file + ", SHA-256 " + said.sha256.substr(0, 12);
        if (!said.runtime.empty()) text += "\n" + said.runtime + " (" + said.interpreter + ")";
    } else {
        text += ": " + std::string(backend.title) + ", built in";
    }
    return text + "\n" + check.device + " (" + machine::inspectCpu().name + "), ReelGrid " + kVersion +
           ", libtorch " + libtorchVersion() + "; errors are against float64 on the same inputs\n\n";
}

std::string verdict(const BackendCheck& check) {
    const std::string limit = isApproximate(check)
                                  ? "a relative L1 error of " + significant(check.claim.l1, 3)
                                  : "twice sdpa's error and a rounding";
    return std::to_string(check.holding()) + " of " + std::to_string(check.holding() + check.failing()) +
           " cases hold (limit: " + limit + "), " + std::to_string(check.failing()) + " fail, " +
           std::to_string(check.unsupported()) + " are not supported\n";
}

}  // namespace

std::size_t BackendCheck::failing() const {
    return std::size_t(std::ranges::count_if(outcomes, [](const auto& one) { return !one.failure.empty(); }));
}

std::size_t BackendCheck::unsupported() const {
    return std::size_t(std::ranges::count_if(outcomes, [](const auto& one) { return !one.whyNot.empty(); }));
}

std::size_t BackendCheck::holding() const {
    return outcomes.size() - failing() - unsupported();
}

std::string checkTable(const BackendCheck& check) {
    return heading(check) + alignedTable(caseLines(check), 1) + "\n" + reasons(check) + verdict(check) +
           speedText(check);
}

json checkJson(const BackendCheck& check) {
    const auto* plugin = check.backend->plugin;
    json document = {{"backend", toJson(machine::backendOf(*check.backend),
                                        plugin == nullptr ? nullptr : &plugin->description)},
                     {"device", check.device},
                     {"holding", check.holding()},
                     {"failing", check.failing()},
                     {"unsupported", check.unsupported()},
                     {"cases", json::array()}};
    if (isApproximate(check)) document["claimed_l1"] = check.claim.l1;
    for (std::size_t i = 0; i < check.cases.size(); ++i) {
        const CheckCase& wanted = check.cases[i];
        const CheckOutcome& outcome = check.outcomes[i];
        json object = {{"name", wanted.name},
                       {"dtype", kernels::nameOf(wanted.type)},
                       {"shape", textOf(wanted.shape)},
                       {"holds", outcome.failure.empty() && outcome.whyNot.empty()}};
        if (!outcome.whyNot.empty()) {
            object["why_not"] = outcome.whyNot;
        } else {
            object.update({{"max_error", outcome.maxError},
                           {"l1", outcome.l1},
                           {"sdpa_max_error", outcome.sdpaMaxError},
                           {"sdpa_l1", outcome.sdpaL1}});
            if (!outcome.failure.empty()) object["failure"] = outcome.failure;
        }
        document["cases"].push_back(std::move(object));
    }
    if (check.speed) {
        document["speed"] = {
            {"shape", check.speed->shape}, {"dtype", check.speed->dtype}, {"rows", json::array()}};
        if (check.speed->callOverheadMicroseconds)
            document["speed"]["call_overhead_us"] = *check.speed->callOverheadMicroseconds;
        for (const CheckedSpeed::Row& row : check.speed->rows)
            document["speed"]["rows"].push_back({{"kernel", row.kernel},
                                                 {"ms_p50", row.milliseconds},
                                                 {"x_sdpa", row.timesSdpa},
                                                 {"gflops", row.gflops}});
    }
    return document;
}

}  // namespace reelgrid::cli
