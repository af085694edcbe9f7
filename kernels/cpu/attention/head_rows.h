#pragma once

// Where the rows (tokens) of one head lie in a problem's tensors.

#include <algorithm>
#include <cstdint>

#include "kernels/attention/problem.h"
#include "kernels/cpu/attention/tile_kernels.h"

namespace reelgrid::kernels::cpu {

inline std::int64_t ceilDiv(std::int64_t a, std::int64_t b) {
    return (a + b - 1) / b;
}

enum class Operand { Query, Key, Value };

/// Up to `count` rows from `firstToken` on; heads are counted over the whole batch.
inline RowArgs headRows(const AttentionProblem& p, Operand operand, std::int64_t head,
                        std::int64_t firstToken, std::int64_t count, int paddedDim) {
    const bool query = operand == Operand::Query;
    const std::int64_t heads = query ? p.queryHeads : p.keyHeads;
    const std::int64_t tokens = query ? p.queries : p.keys;
    const Strides& s = query ? p.qStrides : operand == Operand::Key ? p.kStrides : p.vStrides;
    const void* base = query ? p.q : operand == Operand::Key ? p.k : p.v;
    RowArgs args;
    args.type = p.type;
    args.rows = static_cast<const char*>(base) +
                (head / heads * s.batch + head % heads * s.head + firstToken * s.token) * sizeOf(p.type);
    args.rowStride = s.token;
    args.count = static_cast<int>(std::min(count, tokens - firstToken));
    args.dim = static_cast<int>(p.headDim);
    args.paddedDim = paddedDim;
    return args;
}

inline void* outputRow(const AttentionProblem& p, std::int64_t head, std::int64_t token) {
    const Strides& s = p.outStrides;
    return static_cast<char*>(p.out) +
           (head / p.queryHeads * s.batch + head % p.queryHeads * s.head + token * s.token) * sizeOf(p.type);
}

/// mean[d] = Σ sums[block][d] / rows, in float64 and always in this order: the same on any machine with any
/// number of threads.
inline void meanOfSums(const float* sums, std::int64_t blocks, int dim, std::int64_t rows, float* mean) {
    for (int d = 0; d < dim; ++d) {
        double sum = 0;
        for (std::int64_t block = 0; block < blocks; ++block)
            sum += static_cast<double>(sums[block * dim + d]);
        mean[d] = static_cast<float>(sum / static_cast<double>(rows));
    }
}

}  // namespace reelgrid::kernels::cpu
