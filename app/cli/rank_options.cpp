#include "app/cli/rank_options.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <string>
#include <thread>

#include "app/cli/console.h"
#include "app/cli/number_range.h"

namespace reelgrid::cli {
namespace {

constexpr const char* kTimeout = "--rank-timeout";
/// How long a rank that can't join waits for the first one, which may start a little later.
constexpr std::chrono::seconds kLook{10};

/// Whether the first rank says in that time why it can't join either.
bool firstRankEnds(parallel::RankStore& store) {
    constexpr std::chrono::milliseconds kBetweenLooks{50};
    const auto until = std::chrono::steady_clock::now() + kLook;
    while (!parallel::RankWatch::hasEnded(store, 0)) {
        if (std::chrono::steady_clock::now() > until) return false;
        std::this_thread::sleep_for(kBetweenLooks);
    }
    return true;
}

}  // namespace

void RankOptions::addTo(CLI::App& command) {
    m_command = &command;
    constexpr int kMostRanks = 1024;
    constexpr double kMostSeconds = 1e7;
    command
        .add_option(
            "--nproc", m_nproc,
            "Start so many ranks, which share the render; under torchrun, srun or mpirun they are there "
            "already")
        ->check(numberFrom(1, kMostRanks))
        ->capture_default_str();
    command.add_option(kTimeout, m_timeoutSeconds, "How long a rank waits for another one before all end")
        ->type_name("SECONDS")
        ->check(numberFrom(1.0, kMostSeconds))
        ->capture_default_str();
}

Result<void> RankOptions::find() {
    auto place = parallel::rankPlace();
    if (!place) return place.error();
    m_place = *std::move(place);
    if (m_place && m_nproc > 1 && m_nproc != m_place->ranks)
        return Error{ErrorCode::BadUsage, "--nproc " + std::to_string(m_nproc) + ": " +
                                              std::to_string(m_place->ranks) +
                                              " ranks were started; the same number, or none, was needed"};
    return {};
}

void RankOptions::sayIdleOptions() const {
    const CLI::Option* timeout = m_command == nullptr ? nullptr : m_command->get_option_no_throw(kTimeout);
    if (ranks() == 1 && timeout != nullptr && timeout->count() > 0)
        sayIdle(kTimeout, "one process renders, which waits for no other (--nproc)");
}

std::vector<std::string> RankOptions::workerArguments() const {
    if (!starts()) return {};
    return {kTimeout, std::to_string(m_timeoutSeconds)};
}

int RankOptions::endBeforeJoining(const Error& why) const {
    if (!m_place) return fail(why);
    const bool isFirst = m_place->rank == 0;
    const bool isServed = m_place->store == parallel::RankPlace::Store::OfStarter;
    const int code = isFirst ? fail(why) : exitCodeOf(why.code);
    // A first rank that serves the store itself has joined where there is one.
    if (isFirst && !isServed) return code;
    try {
        const auto store = parallel::RankStore::join(*m_place, kLook);
        if (!isFirst && isServed && firstRankEnds(*store)) return code;
        parallel::RankWatch::ended(*store, m_place->rank, why, parallel::RankWatch::Told::Yes);
    } catch (const Failure&) {
        // Nobody is there to be told.
    }
    if (!isFirst) fail({why.code, "rank " + std::to_string(m_place->rank) + ": " + why.message});
    return code;
}

std::unique_ptr<parallel::RankGroup> RankOptions::join() const {
    if (!m_place) return nullptr;
    const auto timeout = std::chrono::milliseconds(static_cast<std::int64_t>(m_timeoutSeconds * 1e3));
    auto group = std::make_unique<parallel::RankGroup>(*m_place, timeout);
    group->deviceWatch().setLastResort([&ranks = *group](const Error& why) { endRank(ranks, why); });
    return group;
}

void endRank(parallel::RankGroup& group, const Error& why) {
    group.watch().ends(why);
    int code = exitCodeOf(why.code);
    if (group.watch().tells())
        code = fail(why.code == ErrorCode::Cancelled ? Error{ErrorCode::Cancelled, "cancelled"} : why);
    // Those that wait ask once a second, where they wait for a store of this process.
    if (group.rank() == 0 && group.place().store == parallel::RankPlace::Store::OfRankZero)
        std::this_thread::sleep_for(std::chrono::seconds(2));
    // An exchange that is under way would keep c10d's own end waiting.
    _exit(code);
}

}  // namespace reelgrid::cli
