#pragma once

// Shape legend: B batch, Hq query heads, Hkv key heads, Nq query tokens, Nk key tokens, D head dim.

#include <cstdint>

namespace reelgrid::kernels {

enum class DataType { Float32, BFloat16, Float16 };

/// Causal is aligned at the bottom right, as FlashAttention does it: query i sees the keys j ≤ i + Nk − Nq.
/// (SageAttention and libtorch align at the top left; every backend here follows the one rule.)
enum class Mask { None, Causal };

/// In elements. The head dim itself is always contiguous.
struct Strides {
    std::int64_t batch = 0;
    std::int64_t head = 0;
    std::int64_t token = 0;
};

/// out = softmax(scale · q kᵀ) v over plain memory. A query row that sees no key gives 0 (and LSE −inf).
/// Hq is a multiple of Hkv; query head h reads key head h / (Hq / Hkv).
struct AttentionProblem {
    const void* q = nullptr;
    const void* k = nullptr;
    const void* v = nullptr;
    void* out = nullptr;
    float* lse = nullptr;  ///< optional, natural log of Σ exp(scale · q kᵀ), contiguous [B, Hq, Nq]

    DataType type = DataType::Float32;
    std::int64_t batch = 1;
    std::int64_t queryHeads = 1;
    std::int64_t keyHeads = 1;
    std::int64_t queries = 0;
    std::int64_t keys = 0;
    std::int64_t headDim = 0;
    Strides qStrides;
    Strides kStrides;
    Strides vStrides;
    Strides outStrides;

    float scale = 1.0F;  ///< finite and positive; usually 1/√D
    Mask mask = Mask::None;
    int threads = 0;  ///< 0: what OpenMP is set to
};

/// Bytes of one element.
constexpr std::int64_t sizeOf(DataType type) {
    return type == DataType::Float32 ? 4 : 2;
}
const char* nameOf(DataType type);

}  // namespace reelgrid::kernels
