#pragma once

// Made-up attention inputs and the measures they are judged by.

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/attention/problem.h"
#include "tests/kernels/attention/reference.h"

namespace reelgrid::kernels::test {

enum class Family {
    Normal,
    OutlierChannels,  ///< log-normal channel scales, a few V channels ×4
    KeyBias,          ///< K has a large constant per channel, as trained models' keys do
    Sink,             ///< the first 4 keys draw nearly all weight
    Zeros,
    Underflow,  ///< values near the bottom of the type's range
    Outliers,   ///< N(0,1) + N(0,100) · Bernoulli(0.001), FlashAttention-3's test of its FP8
};
const char* nameOf(Family family);

enum class Layout { HeadsFirst, TokensFirst };  ///< [B,H,N,D], [B,N,H,D]

struct Shape {
    std::int64_t batch = 1;
    std::int64_t queryHeads = 1;
    std::int64_t keyHeads = 1;
    std::int64_t queries = 1;
    std::int64_t keys = 1;
    std::int64_t headDim = 64;
};

/// Owns the memory that `problem` points at. The output starts out as NaNs, with a guard row behind it.
struct AttentionCase {
    AttentionCase(const Shape& shape, DataType type, Family family = Family::Normal,
                  Layout layout = Layout::TokensFirst, Mask mask = Mask::None, unsigned seed = 1);
    AttentionCase(const AttentionCase&) = delete;
    AttentionCase& operator=(const AttentionCase&) = delete;

    void withLse();
    /// Output as float64 [B, Hq, Nq, D].
    [[nodiscard]] std::vector<double> output() const;
    [[nodiscard]] bool guardIntact() const;
    [[nodiscard]] std::string name() const;

    AttentionProblem problem;
    Family family;
    std::vector<std::uint8_t> q, k, v, out;
    std::vector<float> lse;
};

/// What plain 16-bit code makes of the same inputs: scores and weights rounded to the type, products summed
/// in fp32 (in fp32: every step in fp32). The yardstick for how much error is fair.
std::vector<double> lowPrecisionAttention(const AttentionProblem& problem);

/// The relative error of rounding to the type, with room for fp32 sums.
double roundingOf(DataType type);
double maxError(const std::vector<double>& a, const std::vector<double>& b);
double largest(const std::vector<double>& a);
double cosine(const std::vector<double>& a, const std::vector<double>& b);
/// Σ|a − reference| / Σ|reference|.
double relativeL1(const std::vector<double>& a, const std::vector<double>& reference);
double rootMeanSquareError(const std::vector<double>& a, const std::vector<double>& reference);
bool allFinite(const std::vector<double>& a);

}  // namespace reelgrid::kernels::test
