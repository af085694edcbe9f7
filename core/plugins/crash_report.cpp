#include "core/plugins/crash_report.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>

#include "core/base/signal_write.h"
#include "core/plugins/alternate_stack.h"
#include "core/protocol/time_is_up.h"

namespace reelgrid::plugins {

namespace {

// A signal handler sees only what is lock-free and static.
std::atomic<const char*> theBlamed = nullptr;
std::atomic<FaultExplainer> theExplainer = nullptr;
/// Whose end a plug-in must not bring about: a process that it forks may end as it likes.
std::atomic<pid_t> theProcess = 0;
static_assert(std::atomic<const char*>::is_always_lock_free);
struct sigaction theFormerBusAction {};

const char* wordFor(int signal) {
    switch (signal) {
        case SIGSEGV:
            return "crashed (segmentation fault)";
        case SIGBUS:
            return "crashed (bus error)";
        case SIGFPE:
            return "crashed (arithmetic error)";
        case SIGILL:
            return "crashed (illegal instruction)";
        case SIGABRT:
            return "aborted";
        case SIGTRAP:
            return "crashed (trap)";
        case SIGSYS:
            return "crashed (system call that is not allowed)";
        case SIGALRM:
            return "ended the process by an alarm (SIGALRM)";
        default:
            return "was still running";
    }
}

void answer(int signal, siginfo_t* info, void* context) {
    // A mapped file that was cut short is named by whoever mapped it.
    if (signal == SIGBUS && (theFormerBusAction.sa_flags & SA_SIGINFO) != 0)
        theFormerBusAction.sa_sigaction(signal, info, context);
    if (const char* blamed = theBlamed.load()) {
        writeFromHandler(blamed);
        writeFromHandler(" ");
        writeFromHandler(wordFor(signal));
        const FaultExplainer explainer = theExplainer.load();
        const bool hasAddress = signal == SIGSEGV || signal == SIGBUS;
        if (explainer != nullptr && hasAddress)
            if (const char* more = explainer(info->si_addr)) {
                writeFromHandler(": ");
                writeFromHandler(more);
            }
        writeFromHandler("\n");
    }
    // SA_RESETHAND has put the default back; the signal is blocked until this returns.
    raise(signal);
}

[[noreturn]] void endProcess(int status) {
    for (;;) syscall(SYS_exit_group, status);
}

/// Where a plug-in ends the process by `call`: what it leaves undone isn't done for it, and nobody takes it
/// for an end that was meant. Returns where no plug-in does, as in a child that it has forked.
void blameForEnding(const char* call) {
    const char* blamed = theBlamed.load();
    if (blamed == nullptr || getpid() != theProcess.load()) return;
    writeFromHandler(blamed);
    writeFromHandler(" ended the process (");
    writeFromHandler(call);
    writeFromHandler(")\n");
    endProcess(1);
}

void onExit() {
    blameForEnding("exit");
}

}  // namespace

void reportCrashes() {
    theProcess = getpid();
    static std::atomic<bool> done = false;
    if (done.exchange(true)) return;
    std::atexit(onExit);
    std::at_quick_exit(onExit);
    struct sigaction action {};
    action.sa_sigaction = answer;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | static_cast<int>(SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    for (const int signal :
         {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGALRM, protocol::kTimeIsUpSignal})
        sigaction(signal, &action, signal == SIGBUS ? &theFormerBusAction : nullptr);
}

void explainFaults(FaultExplainer explainer) {
    theExplainer = explainer;
}

std::string blamedNow() {
    const char* blamed = theBlamed.load();
    return blamed == nullptr ? "" : blamed;
}

BlameScope::BlameScope(const std::string& what) : m_outer(theBlamed.exchange(what.c_str())) {
    haveAlternateStack();
}

BlameScope::~BlameScope() {
    theBlamed = m_outer;
}

}  // namespace reelgrid::plugins

// The linker's: the program's own code lies from one to the other.
extern "C" const char __executable_start, etext;  // NOLINT

// A plug-in's call of _exit() binds to the program's own symbol rather than to the C library's, whose
// functions that end a process don't come through it.
extern "C" {

[[gnu::visibility("default")]] void _exit(int status) {
    const auto* caller = static_cast<const char*>(__builtin_return_address(0));
    const bool isOwn = caller >= &__executable_start && caller < &etext;
    if (!isOwn) reelgrid::plugins::blameForEnding("_exit");
    reelgrid::plugins::endProcess(status);
}

[[gnu::visibility("default"), gnu::alias("_exit")]] void _Exit(int status) noexcept;
}
