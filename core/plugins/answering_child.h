#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "core/base/result.h"

namespace reelgrid::plugins {

/// What a child process wrote until its end, or until its time was up and it was killed.
struct ChildAnswer {
    std::string text;  ///< 1 MiB at most
    bool inTime = true;
    int status = 0;  ///< as waitpid() has it
};

/// Runs `inChild` in a child process, which may crash or hang: it writes its answer to the file descriptor
/// that it is given and ends the process. It leads a process group, of which nothing is left afterwards. It
/// may do what a child of a program with threads may.
Result<ChildAnswer> answerOfChild(std::chrono::seconds patience,
                                  const std::function<void(int output)>& inChild);

}  // namespace reelgrid::plugins
