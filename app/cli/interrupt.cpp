#include "app/cli/interrupt.h"

#include <unistd.h>

#include <csignal>
#include <cstring>
#include <ctime>
#include <mutex>
#include <string>

#include "app/cli/console.h"
#include "core/plugins/crash_report.h"
#include "core/plugins/plugin_processes.h"

namespace reelgrid::cli {
namespace {

// How long the end of a program takes at most, should kWake be lost.
constexpr long kPollNanoseconds = 100'000'000;
// Tells the watching thread, which alone blocks it, to look for a stop; elsewhere it does nothing.
constexpr int kWake = SIGURG;

// Signals are the process's, so what answers them is too.
std::mutex theMutex;
std::stop_source* theVerb = nullptr;  ///< guarded by theMutex

/// As nohup(1) has it, and shells for what a script starts in the background.
bool isIgnored(int signal) {
    struct sigaction now {};
    return sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

sigset_t watchedSignals() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        if (!isIgnored(signal)) sigaddset(&signals, signal);
    return signals;
}

void answer(int signal, const siginfo_t& from) {
    // A plug-in's kill() of its own process, or of the one that its process serves, is nobody's wish to stop.
    const std::string blamed =
        from.si_pid == getpid() ? plugins::blamedNow() : plugins::pluginOf(from.si_pid);
    if (!blamed.empty())
        _exit(fail({ErrorCode::Internal, blamed + " sent this process SIG" + sigabbrev_np(signal)}));
    const std::lock_guard lock(theMutex);
    if (theVerb == nullptr)
        _exit(fail({ErrorCode::Cancelled, std::string("stopped by SIG") + sigabbrev_np(signal)}));
    if (!theVerb->request_stop()) _exit(128 + signal);
}

}  // namespace

void blockInterrupts() {
    const sigset_t signals = watchedSignals();
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

void unblockInterrupts() {
    const sigset_t signals = watchedSignals();
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

SignalGuard::SignalGuard() {
    blockInterrupts();
    const sigset_t signals = watchedSignals();
    const timespec now{0, 0};
    siginfo_t from{};
    if (const int signal = sigtimedwait(&signals, &from, &now); signal > 0) answer(signal, from);
    m_watcher = std::jthread([watched = signals](const std::stop_token& stop) mutable {
        sigaddset(&watched, kWake);
        pthread_sigmask(SIG_BLOCK, &watched, nullptr);
        while (!stop.stop_requested()) {
            const timespec wait{0, kPollNanoseconds};
            siginfo_t sender{};
            const int signal = sigtimedwait(&watched, &sender, &wait);
            if (signal > 0 && signal != kWake) answer(signal, sender);
        }
    });
}

SignalGuard::~SignalGuard() {
    m_watcher.request_stop();
    pthread_kill(m_watcher.native_handle(), kWake);
}

InterruptWatch::InterruptWatch() {
    const std::lock_guard lock(theMutex);
    theVerb = &m_interrupted;
}

InterruptWatch::~InterruptWatch() {
    const std::lock_guard lock(theMutex);
    theVerb = nullptr;
}

}  // namespace reelgrid::cli
