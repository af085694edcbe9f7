#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/console.h"
#include "app/cli/number_range.h"
#include "app/cli/progress_line.h"
#include "app/cli/verb.h"
#include "core/profile/rank_traces.h"
#include "core/profile/row_order.h"
#include "core/profile/summary_json.h"
#include "core/profile/summary_table.h"
#include "core/profile/trace_reader.h"

namespace reelgrid::cli {
namespace {

struct ProfileVerb {
    std::string file;
    std::string after;
    std::size_t top = 20;
    std::string sort;
    bool withStack = false;
    bool json = false;
};

/// A smaller file is read before anyone could look at a line.
constexpr std::uint64_t kMuchToRead = std::uint64_t{4} << 20;

Result<profile::Trace> readShown(const std::string& file, const ProfileVerb& verb) {
    ProgressLine line;
    const auto start = std::chrono::steady_clock::now();
    const auto frames = verb.withStack ? profile::StackFrames::Kept : profile::StackFrames::LeftOut;
    const auto follow = [&](std::uint64_t bytes, std::uint64_t of) {
        if (of < kMuchToRead || bytes == 0) return;
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
        const double share = static_cast<double>(bytes) / static_cast<double>(of);
        constexpr int kPercent = 100;
        line.update(file, "reading, percent", static_cast<int>(kPercent * share), kPercent,
                    spent.count() * (1 - share) / share);
    };
    auto trace = profile::readTrace(file, {}, follow, frames);
    line.clear();
    return trace;
}

/// A trace, or those of all ranks of a render.
struct Recorded {
    profile::Summary summary;
    std::vector<profile::RankCommunication> ranks;  ///< empty: of one process
};

/// Its rows in the order that --sort asks for.
Result<Recorded> summedUp(profile::Trace trace, std::vector<profile::RankCommunication> ranks,
                          const ProfileVerb& verb) {
    Recorded recorded{profile::summaryOf(std::move(trace), verb.withStack ? profile::RowsBy::NameAndStack
                                                                          : profile::RowsBy::Name),
                      std::move(ranks)};
    if (!verb.sort.empty())
        if (auto sorted = profile::sortRows(recorded.summary, verb.sort); !sorted) return sorted.error();
    return recorded;
}

Result<Recorded> readRecorded(const std::string& path, const ProfileVerb& verb) {
    std::error_code failed;
    if (!std::filesystem::is_directory(path, failed)) {
        auto trace = readShown(path, verb);
        if (!trace) return trace.error();
        return summedUp(*std::move(trace), {}, verb);
    }
    const auto files = profile::rankTracesIn(path);
    if (!files) return files.error();
    profile::Trace all;
    std::vector<profile::RankCommunication> ranks;
    for (const auto& [rank, file] : *files) {
        const auto trace = readShown(file.string(), verb);
        if (!trace) return trace.error();
        ranks.push_back(profile::communicationOf(*trace, rank));
        profile::addRank(*trace, rank, all);
    }
    return summedUp(std::move(all), std::move(ranks), verb);
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
    if (!verb.after.empty() && (verb.withStack || !verb.sort.empty()))
        return fail(Error{ErrorCode::BadUsage, std::string(verb.withStack ? "--with-stack" : "--sort") +
                                                   ": one trace was needed; of two, what changed most is "
                                                   "first"});
    const auto first = readRecorded(verb.file, verb);
    if (!first) return fail(first.error());
    if (verb.after.empty()) return printRecorded(*first, verb);
    const auto second = readRecorded(verb.after, verb);
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
        ->check(numberFrom(1, 1000000))
        ->capture_default_str();
    std::string keys;
    for (const std::string& key : profile::rowOrders()) keys += (keys.empty() ? "" : ", ") + key;
    command->add_option("--sort", verb->sort,
                        "By which figure names are sorted, largest first: " + keys +
                            " (default: the device's self time, then the CPU's)");
    command->add_flag("--with-stack", verb->withStack,
                      "Names apart by where they were called, with source locations");
    command->add_flag("--json", verb->json, "Print one JSON document");
    return {command, [verb] { return runProfile(*verb); }};
}

}  // namespace reelgrid::cli
