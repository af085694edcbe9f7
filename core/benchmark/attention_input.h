#pragma once

// Shape legend: B batch, H heads, N query tokens, M key tokens, D head dim.

#include <ATen/ATen.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/benchmark/attention_shape.h"

namespace reelgrid::benchmark {

/// What a call of attention is given, wherever it comes from.
struct AttentionInput {
    at::Tensor q_BHND, k_BHMD, v_BHMD;
    at::Tensor keyBias_M;         ///< fp32, added to every score of a key; may be undefined
    std::optional<double> scale;  ///< absent: 1/√D
    /// proj_l of a layer that was trained for sla, fp32; may be undefined.
    at::Tensor projL_DD{}, projLBias_D{};
};

AttentionInput movedTo(const AttentionInput& input, at::Device device);
/// The factor of q kᵀ.
double scaleOf(const AttentionInput& input);

/// How made-up values are distributed; docs/guide/benchmarks.md has the formulas.
enum class Distribution {
    Normal,       ///< N(0, 1)
    Transformer,  ///< Q and K RMS-normed under log-normal channels; V's channels log-normal, every 16th × 4
    Outlier,      ///< N(0, 1) + N(0, 100) · Bernoulli(0.001), FlashAttention-3's test of its FP8
    Sink,         ///< the first 4 keys draw nearly all weight
};
const char* nameOf(Distribution distribution);
/// BadUsage names the valid ones.
Result<Distribution> distributionFrom(const std::string& name);

/// How a made-up tensor lies in memory: [B, N, H, D], as the models have it, or [B, H, N, D].
enum class MemoryOrder { TokensFirst, HeadsFirst };

struct MadeUp {
    Distribution distribution = Distribution::Normal;
    std::uint64_t seed = 42;
    MemoryOrder order = MemoryOrder::TokensFirst;
};

/// A call of attention that a render saved.
struct Captured {
    std::filesystem::path file{};
    std::optional<MemoryOrder> order{};  ///< of its tensors; absent: as the file says itself
    std::int64_t inputIndex = 0;         ///< among those that are measured
    std::int64_t callIndex = 0;          ///< among the calls of its render
    std::optional<int> step{}, layer{};  ///< where the file says them
    std::string module{}, branch{};      ///< likewise; else empty
};

at::ScalarType scalarTypeOf(kernels::DataType type);

/// On the CPU, in fp32 from one generator, then rounded: the same on every machine and for every device.
AttentionInput makeUp(const MadeUp& wanted, const AttentionShape& shape, kernels::DataType type);

}  // namespace reelgrid::benchmark
