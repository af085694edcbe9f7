#include "app/cli/progress_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "app/cli/console.h"

namespace reelgrid::cli {
namespace {

constexpr auto kRedraw = std::chrono::milliseconds(100);
constexpr std::chrono::milliseconds kPlainInterval = std::chrono::seconds(10);
constexpr std::chrono::milliseconds kShortestInterval{50};
constexpr int kBarCells = 24;

std::string bar(int done, int total) {
    const int full = total > 0 ? int(std::int64_t(kBarCells) * std::clamp(done, 0, total) / total) : 0;
    return "[" + std::string(std::size_t(full), '#') + std::string(std::size_t(kBarCells - full), '.') + "]";
}

/// Where another program reads the lines, it says in $REELGRID_PROGRESS_MS how often it wants one.
std::chrono::milliseconds plainIntervalAsked() {
    const char* asked = std::getenv("REELGRID_PROGRESS_MS");
    if (asked == nullptr) return kPlainInterval;
    const std::string_view text = asked;
    int milliseconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), milliseconds);
    const std::chrono::milliseconds interval(milliseconds);
    if (error == std::errc() && end == text.data() + text.size() && interval >= kShortestInterval &&
        interval <= kPlainInterval)
        return interval;
    say("note: REELGRID_PROGRESS_MS " + std::string(text) + ": a whole number from " +
        std::to_string(kShortestInterval.count()) + " to " + std::to_string(kPlainInterval.count()) +
        " was needed, " + std::to_string(kPlainInterval.count()) + " is taken");
    return kPlainInterval;
}

/// Said once where it isn't what was needed.
std::chrono::milliseconds plainInterval() {
    static const std::chrono::milliseconds interval = plainIntervalAsked();
    return interval;
}

std::size_t terminalColumns() {
    winsize size{};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

ProgressLine::ProgressLine() : m_terminal(isatty(STDERR_FILENO) != 0), m_plainInterval(plainInterval()) {}

ProgressLine::~ProgressLine() {
    clear();
}

void ProgressLine::clear() {
    if (m_drawn) std::fputs("\r\x1b[K", stderr);
    m_drawn = false;
}

void ProgressLine::update(const std::string& what, const std::string& stage, int done, int total,
                          double etaSeconds) {
    const std::string begins = what + "\n" + stage;
    const auto now = Clock::now();
    const bool sameStage = begins == m_last;
    const bool ended = total > 0 && done >= total;
    if (sameStage && now - m_drawnAt < (m_terminal ? kRedraw : m_plainInterval) && !(m_terminal && ended))
        return;
    m_last = begins;
    m_drawnAt = now;

    std::string line = what.empty() ? stage : what + ": " + stage;
    if (total > 1) line += " " + std::to_string(done) + "/" + std::to_string(total);
    if (etaSeconds >= 0) line += ", " + clockTime(etaSeconds) + " left";
    if (!m_terminal) return say(line);
    // A line that wraps could not be redrawn.
    line = bar(done, total) + " " + line;
    line.resize(std::min(line.size(), terminalColumns() - 1));
    std::fprintf(stderr, "\r%s\x1b[K", line.c_str());
    std::fflush(stderr);
    m_drawn = true;
}

}  // namespace reelgrid::cli
