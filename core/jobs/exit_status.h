#pragma once

#include <string>
#include <string_view>

namespace reelgrid::jobs {

/// What a wait status means for a person: "was killed by signal 9 (Killed; out of memory?)",
/// "ended with exit code 3".
std::string describeExit(int waitStatus);

/// The last lines of what a process wrote to stderr: at most `kMaxErrorTail` bytes, for one message.
inline constexpr std::size_t kMaxErrorTail = 2000;
class ErrorTail {
  public:
    void append(std::string_view bytes);
    /// The last non-empty lines on one line, joined by " | ", control characters as spaces; may be empty.
    [[nodiscard]] std::string text() const;

  private:
    std::string m_bytes;
};

}  // namespace reelgrid::jobs
