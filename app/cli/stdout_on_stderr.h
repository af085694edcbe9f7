#pragma once

namespace reelgrid::cli {

/// While it lives, what is written to stdout goes to stderr: a plug-in's kernel that prints would spoil a
/// document otherwise.
class StdoutOnStderr {
  public:
    StdoutOnStderr();
    StdoutOnStderr(const StdoutOnStderr&) = delete;
    StdoutOnStderr& operator=(const StdoutOnStderr&) = delete;
    ~StdoutOnStderr();

  private:
    int m_stdout;
};

}  // namespace reelgrid::cli
