#pragma once

// Shape legend: B batch, H heads, N query tokens, Nk key tokens, D head dim.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/attention/call_settings.h"
#include "core/benchmark/attention_input.h"
#include "core/benchmark/attention_shape.h"
#include "core/benchmark/float64_attention.h"
#include "core/benchmark/stopwatch.h"
#include "core/execution/execution.h"
#include "kernels/backends/backend_list.h"

namespace reelgrid::benchmark {

/// One shape in one type, through some kernels.
struct AttentionCase {
    AttentionShape shape;
    kernels::DataType type = kernels::DataType::BFloat16;
    kernels::Mask mask = kernels::Mask::None;
    kernels::KeySmoothing keySmoothing = kernels::KeySmoothing::Mean;
    std::vector<const kernels::BackendInfo*> backends;  ///< sdpa is measured whether it is here or not
    execution::Execution execution{};
    Clock clock = Clock::Wall;
    int repetitions = 0;        ///< 0: so many as leave each kernel its time (see below)
    std::string preset;         ///< whose shape it is; may be empty
    kernels::TokenGrid grid{};  ///< where the tokens lie; unknown: kernels aren't told
    attention::CallSettings settings{};
    MadeUp madeUp;
    std::optional<Captured> captured;  ///< in place of made-up tensors
};

/// What one kernel did with a case. Times are in seconds, quantisation included.
struct AttentionRow {
    std::string kernel;
    std::string used;
    std::string why;  ///< why `used` isn't `kernel`; then the figures are those of `used`
    /// Which kernel libtorch's sdpa picked; empty for others.
    std::string choice;
    double p50 = 0;
    double p05 = 0;
    double p95 = 0;
    double best = 0;
    std::optional<double> variation;  ///< of two turns or more
    /// Without what goes before the products: smoothing, scaling, quantising and packing. Wall time only; on
    /// a GPU only of kernels that do none of it.
    std::optional<double> kernelP50;
    int repetitions = 0;
    Accuracy accuracy;
    /// Whether every visible pair was computed: operationsOf() is more than what a sparse kernel does.
    bool dense = true;
    std::optional<double> kept{};  ///< share of the pairs of blocks that a sparse one attended to
    /// Of kernels that smooth their keys: whether they did.
    std::optional<bool> keysSmoothed;
};

/// Called before each repetition.
using Progress = std::function<void(int done, int total, double etaSeconds)>;

/// A row for sdpa, then one for each of the others, in their order. All take turns on the same tensors, so
/// that a machine that slows down slows all of them; a first turn warms up. On the CPU each gets about a
/// second, 7 to 301 turns, and at::get_num_threads() threads; on a GPU a tenth of a second, 10 to 301 turns,
/// after a fortieth of warming up, as Triton's do_bench has it. Throws std::runtime_error when REELGRID_CPU
/// forces what the machine lacks, Failure, and libtorch's exceptions.
std::vector<AttentionRow> measureAttention(const AttentionCase& wanted, const Progress& progress);

}  // namespace reelgrid::benchmark
