#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/parallel/rank_group.h"

namespace CLI {
class App;
}

namespace reelgrid::cli {

/// The options of verbs that may render on several ranks, and whether this process is one.
class RankOptions {
  public:
    void addTo(CLI::App& command);

    /// Looks at the environment; once, before anything else. BadUsage where it and --nproc don't agree.
    Result<void> find();

    /// How many share the render, this process started or found.
    [[nodiscard]] int ranks() const { return m_place ? m_place->ranks : m_nproc; }
    /// Whether this process is to start them, and renders nothing itself.
    [[nodiscard]] bool starts() const { return !m_place && m_nproc > 1; }
    /// Whether it is one of several, and not the first: what it has to say is said by that one.
    [[nodiscard]] bool isFurther() const { return m_place && m_place->rank > 0; }

    /// One line on stderr for an option about ranks where there is one process.
    void sayIdleOptions() const;

    /// For a worker of several ranks, as many as its job's degrees come to (jobs::Lane).
    [[nodiscard]] std::vector<std::string> workerArguments() const;

    /// How a process ends that can't render what is asked for, and its exit code. What is wrong with the
    /// words that all ranks have is said by the first one, what is wrong with one rank's environment or
    /// machine by that rank.
    [[nodiscard]] int endBeforeJoining(const Error& why) const;

    /// The group that this process is one of; null: it is alone. Waits for the others. Throws Failure.
    [[nodiscard]] std::unique_ptr<parallel::RankGroup> join() const;

  private:
    const CLI::App* m_command = nullptr;
    int m_nproc = 1;
    double m_timeoutSeconds = 600;
    std::optional<parallel::RankPlace> m_place;
};

/// How a rank that failed says so, which one of them does, and ends without waiting for anybody. Does not
/// return.
[[noreturn]] void endRank(parallel::RankGroup& group, const Error& why);

}  // namespace reelgrid::cli
