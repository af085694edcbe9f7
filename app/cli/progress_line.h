#pragma once

#include <chrono>
#include <string>

namespace reelgrid::cli {

/// How far something is, on stderr: one line that is redrawn on a terminal; elsewhere a plain line when a
/// stage begins and then at most one every ten seconds ($REELGRID_PROGRESS_MS: another interval). One thread
/// at a time.
class ProgressLine {
  public:
    ProgressLine();
    ~ProgressLine();

    /// `what` is put before the stage ("fav2 (2 of 3)"); a negative eta is unknown.
    void update(const std::string& what, const std::string& stage, int done, int total, double etaSeconds);
    /// Takes the line off the terminal, so that other lines can be written.
    void clear();

  private:
    using Clock = std::chrono::steady_clock;
    bool m_terminal;
    std::chrono::milliseconds m_plainInterval;  ///< between lines where there is no terminal
    bool m_drawn = false;
    std::string m_last;
    Clock::time_point m_drawnAt{};
};

}  // namespace reelgrid::cli
