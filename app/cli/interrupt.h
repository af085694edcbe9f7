#pragma once

#include <stop_token>
#include <thread>

namespace reelgrid::cli {

/// While it lives, Ctrl-C (SIGINT), SIGTERM and SIGHUP request a stop instead of ending the program; a second
/// one ends it at once. Make it before any other thread starts: they inherit that the signals are blocked.
class InterruptWatch {
  public:
    InterruptWatch();
    ~InterruptWatch();
    [[nodiscard]] std::stop_token token() const { return m_interrupted.get_token(); }

  private:
    std::stop_source m_interrupted;
    std::jthread m_watcher;
};

}  // namespace reelgrid::cli
