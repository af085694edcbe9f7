#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "core/base/result.h"
#include "core/parallel/rank_watch.h"

namespace reelgrid::parallel {

/// Looks after exchanges that run on a GPU by themselves: what waits for a rank that is gone would wait for
/// ever there, and with it whoever waits for that GPU. Where a rank ends or keeps an exchange waiting for too
/// long, it ends what is under way. One thread, from the first exchange on.
class DeviceWatch {
  public:
    /// As it is asked in turns, from that thread.
    struct Exchange {
        std::function<bool()> hasBegun;  ///< whether all that this rank computes before it is done
        std::function<bool()> isDone;
    };

    DeviceWatch(RankWatch& watch, std::chrono::milliseconds timeout) : m_watch(watch), m_timeout(timeout) {}
    DeviceWatch(const DeviceWatch&) = delete;
    DeviceWatch& operator=(const DeviceWatch&) = delete;

    /// How what is under way in a communicator is ended; called from a thread of its own.
    void addEnd(std::function<void()> end);
    void follow(Exchange exchange);
    /// Throws the Failure for which exchanges were ended: what they received is of no use.
    void check();
    /// What is done where the rank's own thread hasn't asked three seconds after that.
    void setLastResort(std::function<void(const Error&)> lastResort);

  private:
    using Clock = std::chrono::steady_clock;
    struct Followed {
        Exchange exchange;
        std::optional<Clock::time_point> begin{};
    };
    void look(const std::stop_token& stop);
    [[nodiscard]] std::optional<std::chrono::milliseconds> waiting();
    void endAll(const std::stop_token& stop, const Error& why);

    RankWatch& m_watch;
    const std::chrono::milliseconds m_timeout;
    std::mutex m_mutex;  ///< guards what follows
    std::condition_variable_any m_changed;
    std::deque<Followed> m_followed;
    std::vector<std::function<void()>> m_ends;
    std::optional<Error> m_failure;
    bool m_isKnown = false;  ///< the failure, to the rank's own thread
    std::function<void(const Error&)> m_lastResort;
    std::jthread m_looker;
};

}  // namespace reelgrid::parallel
