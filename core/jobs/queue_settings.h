#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace reelgrid::jobs {

/// What may change while a queue runs. Any thread.
class QueueSettings {
  public:
    using Timeout = std::optional<std::chrono::milliseconds>;

    struct Arguments {
        std::uint64_t version = 0;  ///< grows with each change
        std::vector<std::string> words;
    };

    QueueSettings(std::vector<std::string> arguments, Timeout jobTimeout)
        : m_arguments{0, std::move(arguments)}, m_jobTimeout(jobTimeout) {}

    void setArguments(std::vector<std::string> words) {
        const std::lock_guard lock(m_mutex);
        m_arguments = {m_arguments.version + 1, std::move(words)};
    }
    [[nodiscard]] Arguments arguments() const {
        const std::lock_guard lock(m_mutex);
        return m_arguments;
    }
    void setJobTimeout(Timeout timeout) {
        const std::lock_guard lock(m_mutex);
        m_jobTimeout = timeout;
    }
    [[nodiscard]] Timeout jobTimeout() const {
        const std::lock_guard lock(m_mutex);
        return m_jobTimeout;
    }

  private:
    mutable std::mutex m_mutex;
    Arguments m_arguments;
    Timeout m_jobTimeout;
};

}  // namespace reelgrid::jobs
