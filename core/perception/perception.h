#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/execution/execution.h"
#include "core/metrics/asked_metrics.h"
#include "core/metrics/clip_metrics.h"
#include "core/perception/metric_source.h"

namespace reelgrid::perception {

/// A clip to be measured.
struct Subject {
    std::filesystem::path frames;     ///< its lossless frames or itself
    std::filesystem::path reference;  ///< likewise; empty: none
    std::string prompt;               ///< for the CLIP score
    std::string measuredOn;           ///< kDecodedClips or kKeptFrames
};

/// The metrics that were asked for, their networks loaded. One thread at a time.
class Perception {
  public:
    /// Finds weights and programs, and loads the networks in fp32. `weights`: what --metric-weights says.
    /// Fails naming the metric and what it lacks, or the weights where they can't tell pictures apart.
    static Result<Perception> load(const std::vector<metrics::Asked>& asked, const std::string& weights,
                                   const execution::Execution& execution);
    /// The same of what findHashedSources() found.
    static Result<Perception> load(const std::vector<MetricSource>& hashed,
                                   const execution::Execution& execution);
    ~Perception();
    Perception(Perception&&) noexcept;

    /// Whether everything that was asked for is there already, measured with the same weights and program:
    /// the hashes count, names don't.
    [[nodiscard]] bool isMeasured(const metrics::ClipMetrics& known, bool hasReference) const;

    /// Fills in what was asked for. What needs a reference is left out without one; `into` then must have the
    /// drift already. Clips are read a few frames at a time. BadUsage for a CLIP score without a prompt, and
    /// for a reference of another size; InvalidData naming the weights where they give a frame no finite
    /// number. Returns what people have to know of the figures, in words: that a
    /// prompt was cut, which they say, too; empty: nothing.
    Result<std::string> measure(const Subject& subject, metrics::ClipMetrics& into,
                                const std::stop_token& stop = {}) const;

  private:
    struct Networks;
    explicit Perception(std::unique_ptr<Networks> networks);
    std::unique_ptr<Networks> m_networks;
};

}  // namespace reelgrid::perception
