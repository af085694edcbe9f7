#pragma once

#include <filesystem>
#include <map>
#include <stop_token>
#include <string>

#include "app/cli/metric_options.h"
#include "core/base/result.h"
#include "core/comparison/clip_measurer.h"
#include "core/result/measured_file.h"

namespace reelgrid::cli {

/// Measures clips one after another: what always is, what --metrics names, the drift from a reference. What
/// was measured before of the same files with the same weights stands beside the clip (measured_file.h) and
/// is taken from there; networks are loaded once something has to be measured.
class ClipMeasuring {
  public:
    ClipMeasuring(MetricOptions& asked, std::string device);

    /// Fills in what `known` lacks; true where there was something to add. A drift from another clip than
    /// `reference` gives way. `reference`: empty: none, a known drift stays; the clip itself: none, without
    /// one.
    Result<bool> measure(const std::filesystem::path& clip, const std::filesystem::path& reference,
                         const std::string& prompt, metrics::ClipMetrics& known, const std::stop_token& stop);

    /// Whether what a clip shows counts for what is asked for.
    [[nodiscard]] bool takesPrompt() const { return m_asked.takesPrompt(); }

    /// How many clips' numbers were there already.
    [[nodiscard]] int reused() const { return m_reused; }

  private:
    const comparison::ClipMeasurer& measurerOf(const std::filesystem::path& reference);
    Result<std::string> hashOf(const std::filesystem::path& clip, const std::stop_token& stop);
    Result<result::MeasuredOf> describe(const std::filesystem::path& clip,
                                        const std::filesystem::path& reference, const std::string& prompt,
                                        const std::stop_token& stop);
    Result<bool> measureAnew(const std::filesystem::path& clip, const std::filesystem::path& reference,
                             const std::string& prompt, metrics::ClipMetrics& known,
                             const std::stop_token& stop);

    MetricOptions& m_asked;
    std::string m_device;
    std::map<std::filesystem::path, std::string> m_hashes;
    std::map<std::filesystem::path, comparison::ClipMeasurer> m_measurers;  // each hashes its reference once
    int m_reused = 0;
};

}  // namespace reelgrid::cli
