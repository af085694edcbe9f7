#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <variant>

#include "core/base/result.h"
#include "core/measurements/capture_results.h"
#include "core/measurements/kernel_results.h"
#include "core/measurements/trace_results.h"
#include "core/measurements/tuning_results.h"
#include "core/measurements/vae_results.h"
#include "core/metrics/lockstep_map.h"

namespace reelgrid::measurements {

/// The studio keeps what it shows in memory.
inline constexpr std::size_t kMostBytes = std::size_t{64} << 20;

/// Whatever of reelgrid-cli's documents has a view.
using Measurement = std::variant<KernelResults, VaeResults, TraceSummary, TraceComparison, CaptureList,
                                 CaptureDetails, TuningResults, metrics::LockstepMap>;

/// Whether a document looks like one of them, by the keys that only such a one has.
bool isMeasurement(const nlohmann::json& document);

/// Reads an untrusted document. InvalidData in one line that names the field, what is there and what was
/// needed.
Result<Measurement> measurementFrom(const nlohmann::json& document);

/// For titles: "Kernel benchmark", …
std::string titleOf(const Measurement& measurement);

}  // namespace reelgrid::measurements
