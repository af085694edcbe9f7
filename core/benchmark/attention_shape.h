#pragma once

// Shape legend: B batch, Hq query heads, Hkv key heads, N query tokens, Nk key tokens, D head dim.

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "kernels/backends/backend_list.h"

namespace reelgrid::benchmark {

struct AttentionShape {
    std::int64_t batch = 1;
    std::int64_t heads = 1;
    std::int64_t keyHeads = 1;  ///< fewer than heads: groups of query heads share one
    std::int64_t queries = 1;
    std::int64_t headDim = 1;
    std::int64_t keys = 1;

    bool operator==(const AttentionShape&) const = default;
};

/// "B,H,N,D" (as many keys as queries) or "B,H,N,D,Nk", H being Hq/Hkv where key heads are shared. BadUsage
/// names `text` when it isn't that of whole numbers from 1 to 2^31 - 1.
Result<AttentionShape> parseShape(const std::string& text);

/// As parseShape takes it; Hkv is left out when it is Hq, Nk when it is N.
std::string textOf(const AttentionShape& shape);

/// (query, key) pairs of one head that take part.
std::int64_t visiblePairs(const AttentionShape& shape, kernels::Mask mask);

/// Floating-point operations of the two matrix products, a multiply-add being two: 2·(D + Dv) a visible pair
/// of each query head, with Dv = D.
double operationsOf(const AttentionShape& shape, kernels::Mask mask);

/// Bytes of one element of each operand, as a kernel's products read it and as the output is written.
struct ElementBytes {
    std::int64_t query = 2;
    std::int64_t key = 2;
    std::int64_t value = 2;
    std::int64_t out = 2;
};

/// As aiter's bench_cogvideo counts them: Q and K 1 byte where scores are quantised, V 1 byte for fav3_fp8
/// alone, else the size of the call's type.
ElementBytes elementBytesOf(const kernels::BackendInfo& backend, kernels::DataType type);

/// Bytes that a call must move: Q, K and V read once and the output written once.
double bytesOf(const AttentionShape& shape, const ElementBytes& bytes);

/// Memory that measuring this shape takes, roughly.
double memoryToMeasure(const AttentionShape& shape, kernels::DataType type, kernels::Mask mask);

}  // namespace reelgrid::benchmark
