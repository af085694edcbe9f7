#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/execution/execution.h"
#include "core/vae/tiling.h"
#include "core/vae/vae_files.h"

namespace reelgrid::benchmark {

/// How a VAE is run.
struct VaeConfiguration {
    std::string name;  ///< "fp32", "bf16", "tiled fp32", "tiled bf16"
    at::ScalarType dtype = at::kFloat;
    std::optional<vae::Tiling> tiling;
};

/// The four that are measured; the first is what the others are held against.
std::vector<VaeConfiguration> vaeConfigurations(const vae::Tiling& tiling);

struct VaeCase {
    vae::ClipSize clip;
    vae::Tiling tiling;
    int warmup = 1;       ///< untimed passes of each kind before the timed ones
    int repetitions = 1;  ///< timed passes of each kind
    execution::Execution execution;
    std::vector<std::string> configurations{};  ///< names; empty: all. The first is measured in any case
};

/// One direction in one configuration.
struct VaePass {
    std::vector<double> seconds;             ///< one a repetition
    std::optional<std::uint64_t> peakBytes;  ///< above what there was without the VAE (PeakMemory)
};

struct VaeRow {
    VaeConfiguration configuration;
    double loadSeconds = 0;
    VaePass encode, decode;
    /// PSNR over the range of the pixels of what all decode, the first one's latents: against what the first
    /// one decoded, and against the clip that was encoded. Absent for the first, or where it couldn't run.
    std::optional<double> decodePsnr;
    std::optional<double> clipPsnr;  ///< of the first one, too
    /// Signal over error of the encoded latents against the first one's, dB; absent likewise.
    std::optional<double> latentsSnr;
    std::string error;  ///< why it couldn't run; then it has no figures
};

/// What is being done, before each pass.
using VaeProgress = std::function<void(const std::string& configuration, const std::string& pass, int done,
                                       int total, double etaSeconds)>;

/// A row for each configuration, one after the other on the same clip (syntheticVideo) and the same latents,
/// each loaded anew from the checkpoint and gone before the next: memory and caches are its own. Times end
/// when the device has done its work. A configuration that finds no memory, or that libtorch can't run, says
/// so in its row. Throws Failure: Cancelled once `stop` was requested, and what loading throws.
std::vector<VaeRow> measureVae(const vae::VaeFiles& checkpoint, const VaeCase& wanted,
                               const VaeProgress& progress, std::stop_token stop);

}  // namespace reelgrid::benchmark
