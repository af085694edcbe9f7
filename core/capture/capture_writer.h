#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>

#include "core/base/result.h"
#include "core/pt/value.h"

namespace reelgrid::capture {

/// Writes .pt files on a thread of its own, so that a render doesn't wait for the disk unless it captures
/// faster than the disk takes. After the first failure nothing more is written. Called from one thread.
class CaptureWriter {
  public:
    CaptureWriter();
    ~CaptureWriter();

    struct Job {
        std::filesystem::path file;
        pt::Value value;
    };
    /// Waits while kMostWaiting others wait. Tensors must stay as they are until they are written.
    void write(Job job);
    /// Waits until everything is written or has failed.
    void finish();

    struct Outcome {
        std::uint64_t files = 0, bytes = 0;
        std::optional<Error> failure;
    };
    [[nodiscard]] Outcome outcome() const;

  private:
    /// A call of a large model takes 2 GB.
    static constexpr std::size_t kMostWaiting = 2;
    void run(std::stop_token stop);

    mutable std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::deque<Job> m_waiting;
    bool m_writing = false;
    Outcome m_outcome;
    std::jthread m_thread;  // last: it uses the others
};

}  // namespace reelgrid::capture
