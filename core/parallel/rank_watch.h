#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/parallel/rank_store.h"

namespace reelgrid::parallel {

/// Tells the other ranks every half second that this one lives and what it is in, and finds out which one
/// doesn't any more. One thread beside the rank's own; may be asked by several.
class RankWatch {
  public:
    RankWatch(RankStore& store, int rank, int ranks);
    ~RankWatch();
    RankWatch(const RankWatch&) = delete;
    RankWatch& operator=(const RankWatch&) = delete;

    /// Where each rank is, once all have met.
    void setHosts(std::vector<std::string> hosts) { m_hosts = std::move(hosts); }
    /// What this rank is in, "step 7 of 20".
    void at(const std::string& moment);
    /// This rank ends by itself: others end with the same.
    void ends(const Error& why);
    /// The same of a rank that has no watch: by who started it, or by itself before it has joined. `told`:
    /// whether a person has been told.
    enum class Told { No, Yes };
    static void ended(RankStore& store, int rank, const Error& why, Told told = Told::No);
    /// Whether a rank has said why it ended.
    static bool hasEnded(RankStore& store, int rank);

    /// Whether it is this rank that tells a person why all end: the first one that is left.
    [[nodiscard]] bool tells() const {
        const std::lock_guard lock(m_looking);
        return m_rank == 0 || (m_rank == 1 && m_blamed == 0 && !m_isTold);
    }

    /// Called while this rank waits for others. Throws Failure naming rank, host and moment of one that ended
    /// or has said nothing for eight seconds.
    void check();
    /// The same once an exchange has failed, which a rank that ended explains within two seconds; `otherwise`
    /// is what is told where none did.
    [[noreturn]] void explain(const std::string& otherwise);
    /// Throws Failure naming the rank that is furthest behind: they have waited for it for so long.
    [[noreturn]] void explainWaiting(std::chrono::milliseconds waited);

    /// The rank that a Failure of this watch named.
    [[nodiscard]] std::optional<int> blamed() const {
        const std::lock_guard lock(m_looking);
        return m_blamed;
    }

  private:
    using Clock = std::chrono::steady_clock;
    /// What was last heard of a rank.
    struct Heard {
        std::string beat{};
        Clock::time_point at{};
        bool isSilent = false;
    };
    void tell();
    void listen();
    void throwEnded();
    [[nodiscard]] std::string whereIs(int rank);
    [[noreturn]] void blame(int rank, ErrorCode code, const std::string& what);

    RankStore& m_store;
    const int m_rank, m_ranks;
    std::vector<std::string> m_hosts;
    mutable std::recursive_mutex m_looking;  ///< guards what follows
    std::vector<Heard> m_heard;
    std::optional<int> m_blamed;
    bool m_isTold = false;  ///< by the rank itself
    std::mutex m_mutex;     ///< guards what follows
    std::condition_variable_any m_changed;
    std::string m_moment = "start";
    std::uint64_t m_beats = 0, m_moments = 0;
    std::jthread m_teller;
};

}  // namespace reelgrid::parallel
