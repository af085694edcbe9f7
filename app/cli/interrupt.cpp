#include "app/cli/interrupt.h"

#include <unistd.h>

#include <csignal>
#include <ctime>

namespace reelgrid::cli {
namespace {

constexpr long kPollNanoseconds = 100'000'000;

sigset_t watchedSignals() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
    return signals;
}

}  // namespace

InterruptWatch::InterruptWatch() {
    const sigset_t signals = watchedSignals();
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    m_watcher = std::jthread([signals, interrupted = m_interrupted](std::stop_token stop) mutable {
        while (!stop.stop_requested()) {
            const timespec wait{0, kPollNanoseconds};
            const int signal = sigtimedwait(&signals, nullptr, &wait);
            if (signal <= 0) continue;
            if (!interrupted.request_stop()) _exit(128 + signal);
        }
    });
}

InterruptWatch::~InterruptWatch() {
    m_watcher.request_stop();
    m_watcher.join();
    const sigset_t signals = watchedSignals();
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

}  // namespace reelgrid::cli
