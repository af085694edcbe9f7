#pragma once

// Shape legend: B batch, H heads, N query tokens, Nk key tokens, D head dim.

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "kernels/attention/problem.h"

namespace reelgrid::benchmark {

struct AttentionShape {
    std::int64_t batch = 1;
    std::int64_t heads = 1;
    std::int64_t queries = 1;
    std::int64_t headDim = 1;
    std::int64_t keys = 1;
};

/// "B,H,N,D" (as many keys as queries) or "B,H,N,D,Nk". BadUsage names `text` when it isn't four or five
/// whole numbers from 1 to 2^31 - 1.
Result<AttentionShape> parseShape(const std::string& text);

/// As parseShape takes it; Nk is left out when it is N.
std::string textOf(const AttentionShape& shape);

/// (query, key) pairs of one head that take part.
std::int64_t visiblePairs(const AttentionShape& shape, kernels::Mask mask);

/// Floating-point operations of the two matrix products, a multiply-add being two: 4·D a visible pair.
double operationsOf(const AttentionShape& shape, kernels::Mask mask);

/// Bytes that a call must move whatever its kernel: Q, K and V read once and the output written once, in the
/// type of the call.
double bytesOf(const AttentionShape& shape, kernels::DataType type);

/// Memory that measuring this shape takes, roughly.
double memoryToMeasure(const AttentionShape& shape, kernels::DataType type, kernels::Mask mask);

}  // namespace reelgrid::benchmark
