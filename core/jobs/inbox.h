#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

#include "core/protocol/worker_message.h"

namespace reelgrid::jobs {

/// What reaches a queue's thread. Worker messages carry their lane and the number of the worker in it that
/// they came from, so that the last words of a dead one aren't taken for its successor's.
struct JobsChanged {};
struct WorkerSaid {
    std::size_t lane = 0;
    std::uint64_t worker = 0;
    protocol::WorkerEvent event;
};
struct WorkerExited {
    std::size_t lane = 0;
    std::uint64_t worker = 0;
    std::string how;
};
/// A job was submitted or tried again: machines that couldn't be reached may be there now.
struct LanesAskedAgain {};
struct Shutdown {};
using Mail = std::variant<JobsChanged, LanesAskedAgain, WorkerSaid, WorkerExited, Shutdown>;

/// Mail for one thread. Progress that was not taken yet is replaced by newer progress of the same worker, so
/// a slow taker gets no backlog.
class Inbox {
  public:
    using Deadline = std::optional<std::chrono::steady_clock::time_point>;

    void put(Mail mail);
    /// Waits for mail; nothing when the deadline came first.
    std::optional<Mail> take(Deadline deadline);

  private:
    bool replaceEarlier(Mail& mail);

    std::mutex m_mutex;
    std::condition_variable m_arrived;
    std::deque<Mail> m_mail;
};

}  // namespace reelgrid::jobs
