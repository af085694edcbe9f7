#pragma once

#include <sys/types.h>

#include <utility>

#include "core/base/result.h"

namespace reelgrid::cli {

/// While it lives, what is written to stdout goes to stderr: a plug-in's kernel that prints would spoil a
/// document otherwise.
class StdoutOnStderr {
  public:
    StdoutOnStderr();
    StdoutOnStderr(const StdoutOnStderr&) = delete;
    StdoutOnStderr& operator=(const StdoutOnStderr&) = delete;
    ~StdoutOnStderr();

    /// Stdout is what it was, or isn't there any more: a plug-in's kernel may have closed what was kept of
    /// it.
    Result<void> giveBack();

  private:
    int m_stdout;
    std::pair<dev_t, ino_t> m_file;  ///< of which it is
};

}  // namespace reelgrid::cli
