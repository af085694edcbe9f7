#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/console.h"
#include "app/cli/progress_line.h"
#include "app/cli/verb.h"
#include "core/profile/rank_traces.h"
#include "core/profile/summary_json.h"
#include "core/profile/summary_table.h"
#include "core/profile/trace_reader.h"

namespace reelgrid::cli {
namespace {

struct ProfileVerb {
    std::string file;
    std::string after;
    std::size_t top = 20;
    bool json = false;
};

/// A smaller file is read before anyone could look at a line.
constexpr std::uint64_t kMuchToRead = std::uint64_t{4} << 20;

Result<profile::Trace> readShown(const std::string& file) {
    ProgressLine line;
    const auto start = std::chrono::steady_clock::now();
    auto trace = profile::readTrace(file, {}, [&](std::uint64_t bytes, std::uint64_t of) {
        if (of < kMuchToRead || bytes == 0) return;
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
        const double share = static_cast<double>(bytes) / static_cast<double>(of);
        constexpr int kPercent = 100;
        line.update(file, "reading, percent", static_cast<int>(kPercent * share), kPercent,
                    spent.count() * (1 - share) / share);
    });
    line.clear();
    return trace;
}

/// A trace, or those of all ranks of a render.
struct Recorded {
    profile::Summary summary;
    std::vector<profile::RankCommunication> ranks;  ///< empty: of one process
};

Result<Recorded> readRecorded(const std::string& path) {
    std::error_code failed;
    if (!std::filesystem::is_directory(path, failed)) {
        auto trace = readShown(path);
        if (!trace) return trace.error();
        return Recorded{profile::summaryOf(*std::move(trace)), {}};
    }
    const auto files = profile::rankTracesIn(path);
    if (!files) return files.error();
    profile::Trace all;
    Recorded recorded;
    for (const auto& [rank, file] : *files) {
        const auto trace = readShown(file.string());
        if (!trace) return trace.error();
        recorded.ranks.push_back(profile::communicationOf(*trace, rank));
        profile::addRank(*trace, rank, all);
    }
    recorded.summary = profile::summaryOf(std::move(all));
    return recorded;
}

nlohmann::json ranksJson(const std::vector<profile::RankCommunication>& ranks) {
    constexpr double kSecond = 1e9;
    nlohmann::json list = nlohmann::json::array();
    for (const profile::RankCommunication& rank : ranks)
        list.push_back({{"rank", rank.rank},
                        {"calls", rank.calls},
                        {"recorded", double(rank.span) / kSecond},
                        {"communication", double(rank.waited) / kSecond},
                        {"device_busy", double(rank.overlapped) / kSecond}});
    return list;
}

int printRecorded(const Recorded& recorded, const ProfileVerb& verb) {
    if (!verb.json)
        return printResult((recorded.ranks.empty() ? "" : profile::communicationTable(recorded.ranks)) +
                           tablesOf(recorded.summary, verb.top));
    nlohmann::json document = toJson(recorded.summary, verb.top);
    if (!recorded.ranks.empty()) document["ranks"] = ranksJson(recorded.ranks);
    return printResult(document);
}

int runProfile(const ProfileVerb& verb) {
    const auto first = readRecorded(verb.file);
    if (!first) return fail(first.error());
    if (verb.after.empty()) return printRecorded(*first, verb);
    const auto second = readRecorded(verb.after);
    if (!second) return fail(second.error());
    const profile::TraceComparison comparison = profile::compared(first->summary, second->summary);
    return verb.json ? printResult(toJson(comparison, verb.top))
                     : printResult(tablesOf(comparison, verb.top));
}

}  // namespace

Verb addProfileVerb(CLI::App& program) {
    auto verb = std::make_shared<ProfileVerb>();
    CLI::App* command = program.add_subcommand(
        "profile", "Where a trace's time goes and what to try; with a second trace, what changed");
    command
        ->add_option("file", verb->file,
                     "A Chrome trace of torch's profiler, .json or .json.gz (render --profile-output), or a "
                     "folder with "
                     "one of each rank")
        ->required();
    command->add_option("file2", verb->after, "Another one, to compare with");
    command->add_option("--top", verb->top, "How many names")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str();
    command->add_flag("--json", verb->json, "Print one JSON document");
    return {command, [verb] { return runProfile(*verb); }};
}

}  // namespace reelgrid::cli
