#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/metrics/asked_metrics.h"
#include "core/perception/vmaf.h"

namespace reelgrid::perception {

/// What a metric is computed with, as it was found on this machine.
struct MetricSource {
    metrics::Asked metric = metrics::Asked::Lpips;
    /// Files of weights (LPIPS: backbone, heads), or a model's folder; none of a program.
    std::vector<std::filesystem::path> parts;
    std::optional<VmafProgram> program;
    std::string with;      ///< as "measured_with" begins
    std::string sha256{};  ///< fingerprintOf() it; empty: its files weren't read
};

/// Looks for it without loading anything. `weights`: what --metric-weights says. NotFound or Unsupported
/// naming the metric, what it lacks, and how that comes here.
Result<MetricSource> findSource(metrics::Asked metric, const std::string& weights);
/// The same of several; the first that is missing is the error.
Result<std::vector<MetricSource>> findSources(const std::vector<metrics::Asked>& asked,
                                              const std::string& weights);

/// A SHA-256 of all that a metric's numbers depend on beside the pictures and the prompt: every byte of the
/// weights, the program's version. Reads the files; Cancelled, NotFound or Io, or InvalidData for a file that
/// isn't the one that its name says (requireNamedHash()).
Result<std::string> fingerprintOf(const MetricSource& source, const std::stop_token& stop = {});

/// findSources(), each with its fingerprint.
Result<std::vector<MetricSource>> findHashedSources(const std::vector<metrics::Asked>& asked,
                                                    const std::string& weights,
                                                    const std::stop_token& stop = {});
/// Of several that have theirs, in order.
std::string fingerprintOf(const std::vector<MetricSource>& hashed);

}  // namespace reelgrid::perception
