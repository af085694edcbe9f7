#pragma once

// The CUDA half of the kernels is a library of its own (libreelgrid-cuda.so), loaded when a GPU is asked for:
// this is what it offers. Every pointer in a call leads to memory of the current device, 16-byte aligned
// unless said otherwise; work is queued on `stream` (a cudaStream_t) and nothing waits for it. A call throws
// std::runtime_error when CUDA refuses the launch, and whyNot-style checks are the caller's: the extents
// given must be there.

#include <cstdint>
#include <string>

#include "kernels/attention/method.h"
#include "kernels/attention/plan.h"
#include "kernels/attention/problem.h"
#include "kernels/values/value_program.h"

namespace reelgrid::kernels::cuda {

/// x += y gate (when y isn't null; a null gate is 1), then out = layerNorm(x) weight + bias (when out isn't
/// null). x fp32 [rows, channels], y and out [rows, channels] in `type`; gate, weight, bias fp32 [channels].
/// channels: a multiple of 4, at most 16384.
struct AddThenNorm {
    std::int64_t rows = 0;
    std::int64_t channels = 0;
    float eps = 0;
    DataType type = DataType::Float32;
    float* x = nullptr;
    const void* y = nullptr;
    const float* gate = nullptr;
    const float* weight = nullptr;
    const float* bias = nullptr;
    void* out = nullptr;
};

/// x = rmsNorm(x) weight over all channels, then each head's interleaved pairs (2p, 2p + 1) are rotated by
/// their token's angles; in place, rounded once. Row r begins at x + r rowStride and is token r % tokens;
/// cos and sin are fp32 [tokens, headDim / 2], null: no rotation. channels and rowStride: multiples of 8, at
/// most 8192 channels; headDim: a multiple of 8.
struct RmsNormRotate {
    std::int64_t rows = 0;
    std::int64_t channels = 0;
    std::int64_t rowStride = 0;
    float eps = 0;
    DataType type = DataType::Float32;
    void* x = nullptr;
    const float* weight = nullptr;
    const float* cos = nullptr;
    const float* sin = nullptr;
    std::int64_t tokens = 1;
    std::int64_t headDim = 8;
};

/// x = layerNorm(x) weight + bias over each head's channels, then the interleaved pairs of the tokens from
/// `firstRotated` on are multiplied by `rotary`, complex numbers [tokens - firstRotated, headDim / 2] of fp32
/// (null: no rotation); in place, rounded once. Row r begins at x + r rowStride and is token r % tokens;
/// weight and bias fp32 [headDim]. headDim: 16, 32, 64 or 128; channels a multiple of it, rowStride of 8.
struct HeadNormRotate {
    std::int64_t rows = 0;
    std::int64_t channels = 0;
    std::int64_t rowStride = 0;
    std::int64_t headDim = 64;
    float eps = 0;
    DataType type = DataType::Float32;
    void* x = nullptr;
    const float* weight = nullptr;
    const float* bias = nullptr;
    const float* rotary = nullptr;
    std::int64_t tokens = 1;
    std::int64_t firstRotated = 0;
};

/// Queries, keys and values of some of an attention's tokens to their places among all: of x [rows, 3
/// channels], a token's queries, keys and values side by side, queries and keys become rmsNorm(x) weight over
/// each head's channels (rounded once; a null weight: they stay as they are). Row r, token r % tokens of its
/// sequence, goes to row firstToken + r % tokens of sequence r / tokens of out [rows / tokens, outTokens, 3
/// channels], which may be x where that is its own place. Weights fp32 [headDim]; headDim: 16, 32, 64 or 128,
/// channels a multiple of it.
struct JoinHeads {
    std::int64_t rows = 0;
    std::int64_t channels = 0;
    std::int64_t headDim = 64;
    float eps = 0;
    DataType type = DataType::Float32;
    const void* x = nullptr;
    const float* queryWeight = nullptr;
    const float* keyWeight = nullptr;
    std::int64_t tokens = 1;
    void* out = nullptr;
    std::int64_t outTokens = 1;
    std::int64_t firstToken = 0;
};

enum class Activation { None, Silu, GeluTanh };

/// out = activation(x / max(‖x‖₂, 1e-12) scale) over the channels of each pixel. x and out [pixels, channels]
/// in `type`, scale fp32 [channels]. channels: a multiple of 8, at most 1024.
struct ChannelNorm {
    std::int64_t pixels = 0;
    std::int64_t channels = 0;
    DataType type = DataType::Float32;
    const void* x = nullptr;
    const float* scale = nullptr;
    Activation activation = Activation::Silu;
    void* out = nullptr;
};

/// y += bias + residual, in place, summed in fp32 and rounded once. y and residual (or null) [pixels,
/// channels], bias [channels], all in `type`. channels: a multiple of 8.
struct AddBias {
    std::int64_t pixels = 0;
    std::int64_t channels = 0;
    DataType type = DataType::Float32;
    void* y = nullptr;
    const void* bias = nullptr;
    const void* residual = nullptr;
};

/// Of each channel, over one of `parts` runs of pixels after another: sums of x − x's first pixel, and of the
/// squares of that. x [pixels, channels] in `type`, sums fp32 [parts, 2, channels]. channels: a multiple of
/// 8, at most 1024.
struct ChannelSums {
    std::int64_t pixels = 0;
    std::int64_t channels = 0;
    std::int64_t parts = 1;
    DataType type = DataType::Float32;
    const void* x = nullptr;
    float* sums = nullptr;
};

/// out = silu(x scale + shift), computed in fp32 and rounded once, with a scale and a shift a channel for
/// each cell of pixels. x and out [rows, columns, channels] in `type`; scale and shift fp32 [rows /
/// rowsOfCell, columns / columnsOfCell, channels]. channels: a multiple of 8, at most 1024; rows: at most
/// 65535.
struct AffineSilu {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t channels = 0;
    std::int64_t rowsOfCell = 1;
    std::int64_t columnsOfCell = 1;
    DataType type = DataType::Float32;
    const void* x = nullptr;
    const float* scale = nullptr;
    const float* shift = nullptr;
    void* out = nullptr;
};

/// out = activation(x) / scale of its row in e4m3, scale = the row's largest magnitude / 448 (1 where that is
/// 0), as the products of linear layers take it. x [rows, channels] in `type`, activation None or GeluTanh
/// (rounded to `type`), out [rows, channels] bytes, scales fp32 [rows]. channels: a multiple of 16, at most
/// 16384.
struct RowsToFp8 {
    std::int64_t rows = 0;
    std::int64_t channels = 0;
    DataType type = DataType::Float32;
    const void* x = nullptr;
    Activation activation = Activation::None;
    void* out = nullptr;
    float* scales = nullptr;
};

/// out = activation(groupNorm(x + added) weight + bias): mean and variance of a group of channels over all
/// pixels of a picture, in fp32 about the first pixel; the same bits in every run. x and out [pictures,
/// pixels, channels], added (or null), weight and bias [channels], all in `type`; activation None or Silu;
/// workspace: groupNormFloats() of fp32. channels: a multiple of 8 and of groups, at most 2560; pictures: at
/// most 65535.
struct GroupNorm {
    std::int64_t pictures = 0;
    std::int64_t pixels = 0;
    std::int64_t channels = 0;
    std::int64_t groups = 32;
    float eps = 0;
    DataType type = DataType::Float32;
    const void* x = nullptr;
    const void* added = nullptr;
    const void* weight = nullptr;
    const void* bias = nullptr;
    Activation activation = Activation::None;
    void* out = nullptr;
    float* workspace = nullptr;
};

/// Runs of pixels that each picture is summed in: blocks enough for any GPU, each with pixels enough.
constexpr std::int64_t groupNormRuns(std::int64_t pictures, std::int64_t pixels) {
    constexpr std::int64_t kBlocks = 1024, kLeastPixels = 32;
    const std::int64_t most = (pixels + kLeastPixels - 1) / kLeastPixels;
    const std::int64_t wanted = (kBlocks + pictures - 1) / pictures;
    return most < wanted ? most : wanted;
}
constexpr std::int64_t groupNormFloats(std::int64_t pictures, std::int64_t pixels, std::int64_t channels) {
    return pictures * (groupNormRuns(pictures, pixels) + 1) * 2 * channels;
}

/// sum = x + y + everywhere (where sum isn't null), out = layerNorm of it weight + bias + shift, everything
/// in `type`, computed in fp32. x, sum and out [rows, channels]; y or null: its row r / rowsOfY; everywhere,
/// weight and bias [channels] (the first may be null); shift or null: its row r / rowsOfShift. channels: a
/// multiple of 8, at most 2048.
struct SumNorm {
    std::int64_t rows = 0;
    std::int64_t channels = 0;
    float eps = 0;
    DataType type = DataType::Float32;
    const void* x = nullptr;
    const void* y = nullptr;
    std::int64_t rowsOfY = 1;
    const void* everywhere = nullptr;
    void* sum = nullptr;
    const void* weight = nullptr;
    const void* bias = nullptr;
    const void* shift = nullptr;
    std::int64_t rowsOfShift = 1;
    void* out = nullptr;
};

/// out = h · gelu(g), h and g the halves of x's rows, computed in fp32 with erf and rounded once. x [rows, 2
/// channels], out [rows, channels] in `type`. channels: a multiple of 8.
struct GatedGelu {
    std::int64_t rows = 0;
    std::int64_t channels = 0;
    DataType type = DataType::Float32;
    const void* x = nullptr;
    void* out = nullptr;
};

/// out = x + share (y + z - x), computed in fp32 and rounded once. `values` of each in `type`, a multiple of
/// 8.
struct Blend {
    std::int64_t values = 0;
    float share = 0;
    DataType type = DataType::Float32;
    const void* x = nullptr;
    const void* y = nullptr;
    const void* z = nullptr;
    void* out = nullptr;
};

/// Rows and columns of a block of int8 values that share a scale.
inline constexpr std::int64_t kInt8Block = 128;

/// activation(x) in int8, a scale for each block of 128 rows by 128 columns, as the CPU's products take it
/// (kernels/cpu/transformer/int8_linear.h). x [rows, channels] in `type`, activation None or GeluTanh
/// (rounded to `type`), out [rows, channels] bytes, scales fp32 [⌈rows / 128⌉, ⌈channels / 128⌉]. channels: a
/// multiple of 16.
struct BlocksToInt8 {
    std::int64_t rows = 0;
    std::int64_t channels = 0;
    DataType type = DataType::Float32;
    const void* x = nullptr;
    Activation activation = Activation::None;
    void* out = nullptr;
    float* scales = nullptr;
};

/// out = x Wᵀ + bias of such blocks: products exact in each block, summed over the blocks in fp32, rounded
/// once. x [rows, inputs] and weight [outputs, inputs] int8; xScales [⌈rows / 128⌉, ⌈inputs / 128⌉],
/// weightScales [⌈outputs / 128⌉, ⌈inputs / 128⌉] and bias (or null) [outputs] fp32; out [rows, outputs] in
/// `type`, bf16 or fp16. inputs: a multiple of 16, outputs of 8.
struct Int8Product {
    std::int64_t rows = 0;
    std::int64_t inputs = 0;
    std::int64_t outputs = 0;
    DataType type = DataType::BFloat16;
    const void* x = nullptr;
    const float* xScales = nullptr;
    const void* weight = nullptr;
    const float* weightScales = nullptr;
    const float* bias = nullptr;
    void* out = nullptr;
};

/// Attention over keys that came in two parts, from the output and log-sum-exp of each: lse = ln(e^before.lse
/// + e^added.lse), out = e^(before.lse − lse) before + e^(added.lse − lse) added, in fp32, rounded once. A
/// row of log-sum-exp −inf adds nothing, whatever its values; where both are, out is 0. Each of `before` and
/// `out` is fp32 or in `type`, `added` in `type`; out is [batch, queries, heads, headDim], contiguous. lse
/// fp32 contiguous [batch, heads, queries], elsewhere than those of the parts. headDim and strides: multiples
/// of 8.
struct MergeAttention {
    struct Part {
        const void* out = nullptr;
        const float* lse = nullptr;
        Strides strides;
    };
    std::int64_t batch = 0;
    std::int64_t heads = 0;
    std::int64_t queries = 0;
    std::int64_t headDim = 0;
    DataType type = DataType::Float32;
    Part before, added;
    bool isBeforeFp32 = false, isOutFp32 = false;
    void* out = nullptr;
    float* lse = nullptr;
};

struct Library {
    /// Raised with every change of this struct: another build's library is not used.
    static constexpr int kVersion = 12;

    int version = 0;
    void (*addThenNorm)(const AddThenNorm&, void* stream) = nullptr;
    void (*rmsNormRotate)(const RmsNormRotate&, void* stream) = nullptr;
    void (*headNormRotate)(const HeadNormRotate&, void* stream) = nullptr;
    void (*joinHeads)(const JoinHeads&, void* stream) = nullptr;
    void (*channelNorm)(const ChannelNorm&, void* stream) = nullptr;
    void (*addBias)(const AddBias&, void* stream) = nullptr;
    void (*channelSums)(const ChannelSums&, void* stream) = nullptr;
    void (*affineSilu)(const AffineSilu&, void* stream) = nullptr;
    void (*rowsToFp8)(const RowsToFp8&, void* stream) = nullptr;
    void (*groupNorm)(const GroupNorm&, void* stream) = nullptr;
    void (*sumNorm)(const SumNorm&, void* stream) = nullptr;
    void (*gatedGelu)(const GatedGelu&, void* stream) = nullptr;
    void (*blend)(const Blend&, void* stream) = nullptr;
    void (*mergeAttention)(const MergeAttention&, void* stream) = nullptr;
    void (*runValues)(const ValueProgram&, void* stream) = nullptr;
    /// Whether the current device has products of e4m3.
    bool (*multipliesFp8)() = nullptr;
    void (*blocksToInt8)(const BlocksToInt8&, void* stream) = nullptr;
    void (*int8Product)(const Int8Product&, void* stream) = nullptr;
    /// Whether the current device runs int8Product.
    bool (*multipliesInt8)() = nullptr;
    /// Which kernel of the method the current device runs, what it needs, or why there is none. Asked once a
    /// call; what it returns queues the call on the problem's own stream and leaves preparationSeconds alone.
    /// Which problems it takes: attention/attention_cuda.h.
    AttentionPlan (*planAttention)(Method, const AttentionProblem&) = nullptr;
};

/// The name of the function that gives the library's table: const Library* ().
inline constexpr const char* kEntry = "reelgridCudaLibrary";

/// Loads the library at `path`, once for the process. What kept it from being loaded; empty when it is there.
std::string load(const std::string& path);

/// Null until load() succeeded.
const Library* library();
/// Any other function of the loaded library; null when there is none of that name.
void* symbol(const char* name);

}  // namespace reelgrid::kernels::cuda
