#pragma once

// Shape legend: B batch, H heads, N query tokens, Nk key tokens, D head dim.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/benchmark/attention_shape.h"
#include "core/benchmark/float64_attention.h"
#include "kernels/attention/backend_list.h"

namespace reelgrid::benchmark {

enum class Clock {
    Wall,
    Processor,  ///< of all threads together: for a machine that others use too
};

/// One shape in one type, through some kernels.
struct AttentionCase {
    AttentionShape shape;
    kernels::DataType type = kernels::DataType::BFloat16;
    kernels::Mask mask = kernels::Mask::None;
    std::vector<const kernels::BackendInfo*> backends;  ///< sdpa is measured whether it is here or not
    Clock clock = Clock::Wall;
    int repetitions = 0;  ///< 0: about a second a kernel, 7 to 301
};

/// What one kernel did with a case. Times are in seconds, quantisation included.
struct AttentionRow {
    std::string kernel;
    std::string used;
    std::string why;  ///< why `used` isn't `kernel`; then the figures are those of `used`
    double p50 = 0;
    double p95 = 0;
    double best = 0;
    /// Without what goes before the products: smoothing, scaling, quantising and packing. Wall time only.
    std::optional<double> kernelP50;
    int repetitions = 0;
    Accuracy accuracy;
    /// Whether every visible pair was computed: operationsOf() is more than what a sparse kernel does.
    bool dense = true;
};

/// Called before each repetition.
using Progress = std::function<void(int done, int total, double etaSeconds)>;

/// A row for sdpa, then one for each of the others, in their order. All take turns on the same normally
/// distributed tensors (laid out [B, N, H, D], as the models have them), so that a machine that slows down
/// slows all of them; a first turn warms up. Uses at::get_num_threads() threads. Throws std::runtime_error
/// when REELGRID_CPU forces what the machine lacks, and libtorch's exceptions.
std::vector<AttentionRow> measureAttention(const AttentionCase& wanted, const Progress& progress);

}  // namespace reelgrid::benchmark
