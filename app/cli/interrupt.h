#pragma once

#include <stop_token>
#include <thread>

namespace reelgrid::cli {

/// Holds back Ctrl-C (SIGINT), SIGTERM and SIGHUP in this thread and all that it starts, until a SignalGuard
/// answers them.
void blockInterrupts();

/// Lets them through again in this thread, which is about to become another program.
void unblockInterrupts();

/// While it lives, such a signal ends the program by one line and exit code 1, or asks the InterruptWatch for
/// a stop if there is one. main() makes one before any other thread starts.
/// Once it is gone the program is ending with its own exit code, and signals stay held back.
class SignalGuard {
  public:
    SignalGuard();
    ~SignalGuard();
    SignalGuard(const SignalGuard&) = delete;
    SignalGuard& operator=(const SignalGuard&) = delete;

  private:
    std::jthread m_watcher;
};

/// While it lives, the first signal requests a stop instead of ending the program, so that a verb can clear
/// up; a second one ends it at once. One at a time.
class InterruptWatch {
  public:
    InterruptWatch();
    ~InterruptWatch();
    InterruptWatch(const InterruptWatch&) = delete;
    InterruptWatch& operator=(const InterruptWatch&) = delete;
    [[nodiscard]] std::stop_token token() const { return m_interrupted.get_token(); }

  private:
    std::stop_source m_interrupted;
};

}  // namespace reelgrid::cli
