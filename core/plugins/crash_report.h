#pragma once

#include <string>

namespace reelgrid::plugins {

/// From now on a crash of this process (SIGSEGV, by a stack that is full, too, SIGBUS, SIGFPE, SIGILL,
/// SIGABRT, SIGTRAP, SIGSYS), a plug-in's exit(), _exit() or alarm or the signal of its job's timeout writes
/// one line to stderr that says which plug-in's function was running, if any was; then the process ends as it
/// would have. Called before a plug-in's code is loaded, in a forked process anew.
void reportCrashes();

/// While it lives, `what` ("plug-in mine (/x/libmine.so), in run()") is blamed for a crash of the process,
/// whichever thread it happens on. `what` must outlive it.
class BlameScope {
  public:
    explicit BlameScope(const std::string& what);
    BlameScope(const BlameScope&) = delete;
    BlameScope& operator=(const BlameScope&) = delete;
    ~BlameScope();

  private:
    const char* m_outer;
};

/// Whose function is running, in the words of its scope; empty: none is.
std::string blamedNow();

/// What a crash handler that knows more may add before the line: called with the faulting address, may only
/// do what a signal handler may. Null: nothing.
using FaultExplainer = const char* (*)(const void* address);
void explainFaults(FaultExplainer explainer);

}  // namespace reelgrid::plugins
