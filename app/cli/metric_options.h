#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/cli/checked_request.h"
#include "core/base/result.h"
#include "core/machine/machine.h"
#include "core/perception/perception.h"

namespace CLI {
class App;
}

namespace reelgrid::cli {

/// --metrics and --metric-weights: what is measured beyond what always is.
class MetricOptions {
  public:
    void addTo(CLI::App& command);

    [[nodiscard]] bool any() const { return !m_names.empty(); }
    [[nodiscard]] const std::vector<std::string>& names() const { return m_names; }
    /// BadUsage for a name that there isn't, or for weights without a metric.
    [[nodiscard]] Result<void> requireNames() const;
    /// The same, and NotFound or Unsupported where weights or a program are missing; loads nothing.
    [[nodiscard]] Result<void> requireSources() const;
    /// BadUsage where one that is measured against a reference clip needs larger pictures than the render
    /// makes. Reads the picture that the clip's shape is of.
    [[nodiscard]] Result<void> requireSidesAgainstReference(const CheckedRequest& checked) const;
    /// The first of them that needs a reference clip; empty: none does.
    [[nodiscard]] std::string needingReference() const;
    /// Whether one of them depends on what the clip is to show.
    [[nodiscard]] bool takesPrompt() const;
    [[nodiscard]] const std::string& weights() const { return m_weights; }
    /// Of what they are computed with (perception::fingerprintOf); empty where nothing was asked for. Read
    /// once.
    Result<std::string> fingerprint(const std::stop_token& stop);
    /// Loads the networks. NotFound or Unsupported where weights or a program are missing; nothing is loaded
    /// where nothing was asked for.
    Result<void> load(const std::string& device);
    /// requireNames(), and whether everything could be loaded: before anything is rendered. Keeps the
    /// weights' hashes, which load() needs, too, and no network.
    [[nodiscard]] Result<void> check();

    /// Measures a clip, against the reference where that is another one. True when there was something to
    /// add: what was measured before with the same weights stays. Says on stderr, once, what people have to
    /// know of it.
    Result<bool> measure(const std::filesystem::path& clip, const std::filesystem::path& reference,
                         const std::string& prompt, metrics::ClipMetrics& into, const std::stop_token& stop);

  private:
    Result<void> readSources(const std::stop_token& stop);

    std::vector<std::string> m_names;
    std::string m_weights;
    std::optional<perception::Perception> m_perception;
    std::set<std::string> m_said;
    std::optional<std::vector<perception::MetricSource>> m_sources;  ///< with their hashes
};

}  // namespace reelgrid::cli
