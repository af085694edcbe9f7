#pragma once

// Shape legend: B batch, Hq query heads, Hkv key heads, Nq query tokens, Nk key tokens, D head dim.

#include <cstdint>

#include "kernels/attention/call_context.h"

namespace reelgrid::kernels {

enum class Device { Cpu, Cuda };

enum class DataType { Float32, BFloat16, Float16 };

/// Causal is aligned at the bottom right, as FlashAttention does it: query i sees the keys j ≤ i + Nk − Nq.
/// (SageAttention and libtorch align at the top left; every backend here follows the one rule.)
enum class Mask { None, Causal };

/// What methods that quantise K minus its mean over the sequence (sagev1, fav3_sage) do first. Others
/// quantise K as it is whatever is asked.
enum class KeySmoothing { Mean, None };

/// In elements. The head dim itself is always contiguous.
struct Strides {
    std::int64_t batch = 0;
    std::int64_t head = 0;
    std::int64_t token = 0;
};

/// What sparse-linear attention (sla) needs beyond q, k and v.
struct SparseLinear {
    double topkRatio = 0.1;  ///< share of the key blocks that each block of queries attends to, in (0, 1]
    /// proj_l of the linear branch, fp32 [D, D] row by row as torch.nn.Linear keeps its weight: o · Wᵀ + b.
    /// Null (a checkpoint that was not trained for sla): upstream's initial zeros, so the branch adds
    /// nothing.
    const float* projection = nullptr;
    const float* bias = nullptr;  ///< fp32 [D] or null; only with a projection
};

/// What SpargeAttention (sparge) predicts its blocks by; its authors' values.
struct BlockPrediction {
    /// Blocks whose rows' mean cosine similarity to each other isn't above this are never left out: their
    /// mean says nothing of them.
    double similarity = 0.6;
    /// Of a block of queries' weights over the means of blocks of keys, what those that are kept hold.
    double cdf = 0.98;
    /// Blocks whose scores all lie so far below their rows' largest, in natural units, are not multiplied.
    double faint = 50;
};

/// Of keys and values that are a part of a longer sequence: what methods would find out over all of it. fp32,
/// contiguous [B, Hkv, D]; null: found out over those of the call.
struct SequenceStatistics {
    const float* keyMean = nullptr;      ///< K's, read by methods that smooth
    const float* valueMaxima = nullptr;  ///< the largest |V| of a channel, read by methods with scales of V

    [[nodiscard]] bool areGiven() const { return keyMean != nullptr || valueMaxima != nullptr; }
};

/// out = softmax(scale · q kᵀ + keyBias) v over plain memory of one device. A query row that sees no key
/// gives 0 (and LSE −inf). Hq is a multiple of Hkv; query head h reads key head h / (Hq / Hkv).
struct AttentionProblem {
    Device device = Device::Cpu;  ///< where every pointer below leads, but preparationSeconds
    /// CUDA: the cudaStream_t that the call is queued on, opaque here; null is the default stream. The CPU
    /// has none: anything but null is refused there.
    void* stream = nullptr;

    const void* q = nullptr;
    const void* k = nullptr;
    const void* v = nullptr;
    void* out = nullptr;
    float* lse = nullptr;  ///< optional, natural log of Σ exp(scale · q kᵀ + keyBias), contiguous [B, Hq, Nq]
    /// Optional, gets the wall time in seconds of what goes before the products: smoothing, scaling,
    /// quantising and packing of the inputs. The rest of the call is the kernel proper. CUDA leaves it alone.
    double* preparationSeconds = nullptr;
    /// CUDA: a cudaEvent_t or null, recorded between preparation and products by methods that prepare.
    void* prepared = nullptr;
    /// CUDA: scratch memory of AttentionPlan::workspaceBytes, 256-byte aligned; free for other use as
    /// soon as the stream is past the call. Null where none is asked for.
    void* workspace = nullptr;

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
    KeySmoothing keySmoothing = KeySmoothing::Mean;
    /// Optional [Nk], added to scale · q kᵀ of every query: log(n) makes one key stand for n equal ones, −∞
    /// hides it.
    const float* keyBias = nullptr;
    SequenceStatistics sequence;
    BlockPrediction prediction;  ///< read by sparge
    /// Optional, gets the share of the pairs of blocks that a sparse method's map kept (not sla's on CUDA).
    double* keptShare = nullptr;
    int threads = 0;            ///< of the CPU; 0: what OpenMP is set to
    SparseLinear sparseLinear;  ///< read by backends that are sparse or have a linear branch
    CallContext context;        ///< read by backends that ask which call of a render it is
};

/// Bytes of one element.
constexpr std::int64_t sizeOf(DataType type) {
    return type == DataType::Float32 ? 4 : 2;
}
const char* nameOf(DataType type);  ///< fp32, bf16, fp16
const char* nameOf(Device device);  ///< cpu, cuda

}  // namespace reelgrid::kernels
