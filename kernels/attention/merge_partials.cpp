#include "kernels/attention/merge_partials.h"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/attention/half_types.h"

namespace reelgrid::kernels {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

struct Fp32 {
    using Stored = float;
    static float widened(float x) { return x; }
    static float rounded(float x) { return x; }
};
struct Bf16 {
    using Stored = std::uint16_t;
    static float widened(std::uint16_t x) { return floatFromBf16(x); }
    static std::uint16_t rounded(float x) { return bf16FromFloat(x); }
};
struct Fp16 {
    using Stored = std::uint16_t;
    static float widened(std::uint16_t x) { return floatFromFp16(x); }
    static std::uint16_t rounded(float x) { return fp16FromFloat(x); }
};

template <class Work>
void withType(DataType type, Work&& work) {
    switch (type) {
        case DataType::Float32:
            return work(Fp32{});
        case DataType::BFloat16:
            return work(Bf16{});
        case DataType::Float16:
            return work(Fp16{});
    }
}

/// work(b, h, i) for `queries` rows of every head.
template <class Work>
void overRows(const MergedAttention& merged, std::int64_t queries, Work&& work) {
    const int threads = merged.threads > 0 ? merged.threads : omp_get_max_threads();
    const std::int64_t rows = merged.batch * merged.heads * queries;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::int64_t row = 0; row < rows; ++row) {
        const std::int64_t head = row / queries;
        work(head / merged.heads, head % merged.heads, row % queries);
    }
}

std::int64_t offsetOf(const Strides& s, std::int64_t b, std::int64_t h, std::int64_t i) {
    return b * s.batch + h * s.head + i * s.token;
}

struct Weights {
    float before;
    float added;
    float lse;
};

/// From the difference alone, so that the weights sum to 1 however coarse fp32 is at the size of the LSEs.
/// `added` is not −inf.
Weights weightsOf(float before, float added) {
    const float difference = added - before;
    return {.before = 1 / (1 + std::exp(difference)),
            .added = 1 / (1 + std::exp(-difference)),
            .lse = std::max(before, added) + std::log1p(std::exp(-std::abs(difference)))};
}

}  // namespace

void startMerge(const MergedAttention& merged) {
    overRows(merged, merged.queries, [&](std::int64_t b, std::int64_t h, std::int64_t i) {
        std::fill_n(merged.out + offsetOf(merged.strides, b, h, i), merged.headDim, 0.0F);
        merged.lse[(b * merged.heads + h) * merged.queries + i] = kMinusInfinity;
    });
}

void mergePart(const MergedAttention& merged, const AttentionPart& part) {
    withType(part.type, [&](auto type) {
        using Type = decltype(type);
        const auto* values = static_cast<const typename Type::Stored*>(part.out);
        overRows(merged, part.queries, [&](std::int64_t b, std::int64_t h, std::int64_t i) {
            const std::int64_t head = b * merged.heads + h;
            const float added = part.lse[head * part.queries + i];
            if (added == kMinusInfinity) return;
            const std::int64_t query = part.firstQuery + i;
            float& lse = merged.lse[head * merged.queries + query];
            const Weights weights = weightsOf(lse, added);
            lse = weights.lse;
            float* row = merged.out + offsetOf(merged.strides, b, h, query);
            const auto* addedRow = values + offsetOf(part.strides, b, h, i);
            for (std::int64_t d = 0; d < merged.headDim; ++d)
                row[d] = weights.before * row[d] + weights.added * Type::widened(addedRow[d]);
        });
    });
}

void roundMerged(const MergedAttention& merged, DataType type, void* out, const Strides& strides) {
    withType(type, [&](auto as) {
        using Type = decltype(as);
        auto* values = static_cast<typename Type::Stored*>(out);
        overRows(merged, merged.queries, [&](std::int64_t b, std::int64_t h, std::int64_t i) {
            const float* row = merged.out + offsetOf(merged.strides, b, h, i);
            auto* rounded = values + offsetOf(strides, b, h, i);
            for (std::int64_t d = 0; d < merged.headDim; ++d) rounded[d] = Type::rounded(row[d]);
        });
    });
}

}  // namespace reelgrid::kernels
