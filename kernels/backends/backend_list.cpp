#include "kernels/backends/backend_list.h"

#include <array>
#include <atomic>
#include <cmath>
#include <deque>
#include <limits>
#include <stdexcept>
#include <utility>

#include "kernels/cpu/attention/attention_cpu.h"
#include "kernels/cuda/attention/attention_cuda.h"

namespace reelgrid::kernels {
namespace {

constexpr Support kDenseOnCpu{.causal = true,
                              .keyBias = true,
                              .logSumExp = true,
                              .unsmoothedKeys = true,
                              .maxHeadDim = cpu::kMaxHeadDim};

constexpr Support kDenseOnCuda{
    .causal = true, .keyBias = true, .logSumExp = true, .maxHeadDim = cuda::kMaxHeadDim};

constexpr std::string_view kFp8OnCuda =
    "On Hopper by wgmma: tiles of 192 queries by 128 (d64) or 96 (d128) keys with the scales of the "
    "definition; weights are relative to a base that is 2^4 above the largest score when it is taken and "
    "stays until they near 448; sums of the products are taken up in fp32 every 512 or 768 keys, since the "
    "tensor cores keep fewer bits. By mma elsewhere, from compute capability 8.9 on: 128 queries by 64 keys, "
    "walked from the first, the same scales and base, sums taken up every 64 keys. bf16 and fp16, head dims "
    "up to 128, padded to 64 or 128; short sequences (up to 128 queries and 64 keys, 32 above d64) are taken "
    "at once, in registers, with exact sums and weights relative to their largest, up to d256.";

constexpr std::string_view kSageOnCuda =
    "On Hopper by wgmma: tiles of 192 queries by 128 (d64) or 96 (d128) keys, walked from the last to the "
    "first, with the scales of the definition; weights are relative to a base that the largest score may "
    "pass by 2^6; sums of the products are taken up in fp32 every 512 or 768 keys, since the tensor cores "
    "keep fewer bits. By mma elsewhere, 128 queries by 64 keys, walked from the first, the same scales, a "
    "base that the largest score may pass by 2^8: from compute capability 8.9 on sums are taken up every 64 "
    "keys, on 8.0 and 8.6, which don't multiply e4m3, P and V have the input's type. bf16 and fp16, head "
    "dims up to 128, padded to 64 or 128; short sequences (up to 128 queries and 64 keys) are taken at once, "
    "in registers, with exact sums and weights relative to their largest, up to d256.";

constexpr std::string_view kSage2OnCuda =
    "INT8, K smoothing alone, as on the CPU. On Hopper by wgmma: fav3_sage's tiles and order; weights are "
    "relative to a base that is 2^4 above the largest score when it is taken and stays until they near 448; "
    "sums of the products are taken up in fp32 every 512 (d64) or 768 keys, where upstream's are every 128. "
    "By mma elsewhere, 128 queries by 64 keys: from compute capability 8.9 on sums are taken up every 64 "
    "keys, on 8.0 and 8.6, as upstream has it there, P and V are not rounded further. An all-zero class "
    "gives "
    "zeros. bf16 and fp16, head dims up to 128, padded to 64 or 128.";

constexpr Support kQuantisedOnCuda{.causal = true,
                                   .keyBias = true,
                                   .logSumExp = true,
                                   .unsmoothedKeys = true,
                                   .maxHeadDim = cuda::kMaxHeadDim};

constexpr Support kKeptOnCuda{.maxHeadDim = cuda::kMaxTiledHeadDim};

constexpr std::array kSpargeOptions{
    BuiltInOption{"simthreshd1", "mean cosine above which a mean stands for its block, -1 to 1", "0.6"},
    BuiltInOption{"cdfthreshd", "share of the weight that the kept blocks hold, 0 to 1", "0.98"},
    BuiltInOption{"pvthreshd", "how far below a row's largest score a block is not multiplied (CPU)", "50"}};
constexpr std::array kStaOptions{
    BuiltInOption{"tile", "frames, rows and columns of tokens in a tile", "4,4,4"},
    BuiltInOption{"window", "tiles along each axis that a tile sees, itself in the middle", "3,3,3"}};
constexpr std::array kSage2Options{
    BuiltInOption{"sum-bits",
                  "of the sums of 64 keys on Ada and consumer Blackwell: 32, or 16 as in "
                  "SageAttention 2++, with V up to 2.25",
                  "32"}};
constexpr std::array kRadialOptions{BuiltInOption{"decay", "factor of the window's width", "1.0"}};

constexpr std::array<BackendInfo, 14> kBackends{{
    {
        .name = "sdpa",
        .title = "libtorch's scaled_dot_product_attention",
        .description = "The baseline: whatever kernel libtorch chooses for the call.",
        .libtorch = LibtorchOperator::Choice,
    },
    {
        .name = "fav2",
        .title = "FlashAttention-2: exact, tiled, online softmax",
        .description =
            "Exact attention in tiles with an online softmax in base 2 and fp32 accumulators; P "
            "is rounded to the input's type before P·V. Memory grows with the sequence, not with its square.",
        .method = Method::Flash,
        .cpu =
            {.deviation =
                 "48 queries (AVX-512; 24 with AVX2; 32 with AMX) by 128 keys a tile instead of "
                 "128×64 or 128×128; with AMX weights are relative to a base that follows the largest score "
                 "when it has risen by 2^16; up to 64 queries and keys are one tile, without packing; fp16 "
                 "inputs "
                 "are multiplied in fp32, with P rounded to fp16 all the same.",
             .supports = kDenseOnCpu,
             .plan = &cpu::plan<Method::Flash>},
        .cuda = {.deviation =
                     "Weights are relative to a maximum that follows the largest score when it has "
                     "risen by 2^8: the quotient is the same, sums and outputs are seldom rescaled. "
                     "Up to 64 keys that at most 128 queries share, and up to 32, are taken at once, in "
                     "registers. bf16 and fp16, head dims up to 256, padded to 48, 64, 80, 96, 128, 160, "
                     "192 or 256 within the kernel; on compute capability 7.5 fp16 alone, up to 192.",
                 .supports = kDenseOnCuda,
                 .plan = &cuda::plan<Method::Flash>},
    },
    {
        .name = "fav3",
        .title = "FlashAttention-3: exact, keys walked last to first",
        .description =
            "Exact attention as FlashAttention-3 orders it: blocks of 192 (d64) or 176 (d128) keys "
            "walked from the last to the first, an online softmax in base 2 with log2(e) folded "
            "into the scale, fp32 accumulators; P is rounded to the input's type before P·V.",
        .method = Method::Flash3,
        .cpu =
            {.deviation =
                 "48 queries (AVX-512; 24 with AVX2) by 192 keys a tile, with AMX 32 by 128, at every head "
                 "dim instead of 192×192 or "
                 "128×176, with or without a causal mask; no producer and consumer warps: on a CPU "
                 "what sets it apart from fav2 is the order and the length of its blocks; fp16 inputs "
                 "are multiplied in fp32, with P rounded to fp16 all the same.",
             .supports = kDenseOnCpu,
             .plan = &cpu::plan<Method::Flash3>},
        .cuda =
            {.deviation =
                 "Hopper. 192 queries by 128 (d64), 80 (d128) or 64 (d160) keys a tile, by three "
                 "warpgroups that compute and one that copies, without clusters (above d160 two, 128 "
                 "queries); the maximum that weights are relative to follows the largest score when it "
                 "has risen by 2^8. Short sequences as fav2 has them. bf16 and fp16, head dims up to "
                 "256, padded to 48, 64, 80, 96, 128, 160, 192 or 256 by the copy engine. On "
                 "compute capability 10.0 and 10.3 only where REELGRID_GPU_KERNELS=tcgen05 asks for it: a "
                 "kernel by tcgen05 that nobody has run or timed, 256 queries by 128 keys, head dims up "
                 "to 128, padded to 64 or 128.",
             .supports = kDenseOnCuda,
             .plan = &cuda::plan<Method::Flash3>},
    },
    {
        .name = "fav3_fp8",
        .title = "FlashAttention-3 in FP8: rotated e4m3 Q and K, e4m3 P and V",
        .description =
            "Q and K turned by a Hadamard rotation with random signs and rounded to e4m3 with one scale for "
            "192 queries and 160 keys (d64) or 128 and 224 (d128); V in e4m3 with one scale a head; P as "
            "e4m3 "
            "of 2^8 times the weight, undone through the row sum; fp32 accumulators; keys walked from the "
            "last block to the first.",
        .method = Method::Flash3Fp8,
        .cpu =
            {.deviation =
                 "e4m3 values are multiplied as bf16 (AMX, AVX-512) or fp32, which hold them exactly; fp32 "
                 "accumulators where Hopper's keep about 22 bits; 192 keys a turn instead of 160 or "
                 "224; head dims other than powers of two are padded to one before the rotation.",
             .supports = kDenseOnCpu,
             .plan = &cpu::plan<Method::Flash3Fp8>},
        .cuda = {.deviation = kFp8OnCuda,
                 .supports = kQuantisedOnCuda,
                 .plan = &cuda::plan<Method::Flash3Fp8>},
    },
    {
        .name = "sagev1",
        .title = "SageAttention 1: int8 scores with smoothed keys",
        .description = "Keys minus their mean over the sequence and queries times scale·log2(e) as int8, "
                       "with one scale for "
                       "128 queries and one for 64 keys (absmax/127, half away from zero); exact integer "
                       "scores; P·V with "
                       "fp32 accumulation.",
        .method = Method::Sage1,
        .cpu =
            {.deviation =
                 "P and V are bf16 instead of fp16 (most x86 has no fp16 arithmetic); with AMX weights are "
                 "relative to a base that follows the largest score when it has risen by 2^16; a causal mask "
                 "is aligned at the "
                 "bottom right as in FlashAttention; an all-zero block gives zeros where the original "
                 "divides 0 by 0.",
             .supports = kDenseOnCpu,
             .plan = &cpu::plan<Method::Sage1>},
        .cuda = {.deviation =
                     "P and V have the input's type: no bf16 value is cast to fp16, whose "
                     "range it may pass; a causal mask is aligned at the bottom right; an all-zero "
                     "block gives zeros; the log-sum-exp is that of the keys as they came. wgmma on "
                     "Hopper (192 queries by 64 keys a tile), mma elsewhere (128 by 64). Head dims up "
                     "to 128, padded to 64 or 128; up to 256 in short sequences (up to 128 queries and 64 "
                     "keys), which are taken at once, in registers.",
                 .supports = kQuantisedOnCuda,
                 .plan = &cuda::plan<Method::Sage1>},
    },
    {
        .name = "fav3_sage",
        .title = "aiter's fav3_sage: int8 scores with smoothed keys, e4m3 P and V",
        .description =
            "Keys minus their mean over the sequence and queries times scale·log2(e) as int8, with one scale "
            "for 256 queries and one for 128 keys; exact integer scores; V in e4m3 with one scale a channel; "
            "P rounded to e4m3 as it is, without an offset; fp32 accumulators.",
        .method = Method::Flash3Sage,
        .cpu = {.deviation =
                    "e4m3 values are multiplied as bf16 (AMX, AVX-512) or fp32, which hold them exactly; the "
                    "output has the input's type; an all-zero block or channel gives zeros where the "
                    "original divides 0 by 0.",
                .supports = kDenseOnCpu,
                .plan = &cpu::plan<Method::Flash3Sage>},
        .cuda = {.deviation = kSageOnCuda,
                 .supports = kQuantisedOnCuda,
                 .plan = &cuda::plan<Method::Flash3Sage>},
    },
    {
        .name = "sla",
        .title =
            "Sparse-linear attention: the tenth of the key blocks that scores highest, and a linear branch",
        .description =
            "Each block of 128 queries attends to the 10 % of the 64-key blocks (at least one) whose mean "
            "key, "
            "less the mean of all, scores highest against its mean query; a linear branch over all keys, "
            "φ(q)·(φ(k)ᵀv) / (1e-5 + φ(q)·Σφ(k)) with φ the softmax over the head dim, goes through the "
            "checkpoint's proj_l and is added. Made for models that were fine-tuned with it: a checkpoint "
            "without proj_l gets the sparse part alone, as upstream's zero-initialised proj_l gives.",
        .method = Method::SparseLinear,
        .sparse = true,
        .linearBranch = true,
        .cpu = {.deviation =
                    "At least one block is kept, where upstream keeps none below ten; block means, "
                    "denominators and sums of the linear branch are fp32 instead of bf16; in fp32 its "
                    "products are fp32 too; no causal mask and no log-sum-exp.",
                .supports = {.maxHeadDim = cpu::kMaxHeadDim},
                .plan = &cpu::plan<Method::SparseLinear>},
        .cuda = {.deviation =
                     "By wgmma on Hopper, by mma on other GPUs. At least one block is kept; block means, "
                     "denominators and the sums "
                     "of φ(k)ᵀv are fp32, and fp32 scores choose the blocks; the linear branch's "
                     "operands are rounded to bf16, as upstream's autocast does, φ(k) and v of fp16 "
                     "inputs to fp16; no causal mask and no log-sum-exp. Head dims up to 128, padded to "
                     "64 or 128; a short sequence without a linear branch as fav2 has it.",
                 .supports = {.maxHeadDim = cuda::kMaxHeadDim},
                 .plan = &cuda::plan<Method::SparseLinear>},
    },
    {
        .name = "sagesla",
        .title = "Sparse-linear attention with SageAttention's int8 scores and e4m3 P and V",
        .description = "sla as TurboDiffusion's SageSLA runs it on Hopper: each block of 64 queries attends "
                       "to the share of "
                       "the 128-key blocks (at least one) whose mean key scores highest; in them K minus its "
                       "mean and Q are "
                       "int8 with a scale for each of those blocks (absmax/127), V is e4m3 with a scale a "
                       "channel that puts "
                       "its largest at 2.25, P is e4m3 of 448 times the weight; fp32 sums. The linear branch "
                       "is sla's, with V "
                       "as it came.",
        .method = Method::SageSparseLinear,
        .sparse = true,
        .linearBranch = true,
        .cpu =
            {.deviation =
                 "At least one block is kept; block means, denominators and sums of the linear branch are "
                 "fp32 instead of bf16; e4m3 values are multiplied as bf16 (AVX-512) or fp32, which hold "
                 "them "
                 "exactly; fp32 accumulators where Hopper's keep about 22 bits; an all-zero block or channel "
                 "gives zeros where upstream adds 1e-7 to the scale; every head dim, not 64 and 128 alone; "
                 "no "
                 "causal mask and no log-sum-exp; with AMX as with AVX-512.",
             .supports = {.unsmoothedKeys = true, .maxHeadDim = cpu::kMaxHeadDim},
             .plan = &cpu::plan<Method::SageSparseLinear>},
        .cuda =
            {.deviation =
                 "On Hopper by wgmma, as defined; on other GPUs by mma, as upstream has it there: sla's "
                 "blocks of "
                 "128 queries and 64 keys, sagev1's scores, P and V of the input's type. At least one block "
                 "is kept; block means, denominators and the sums of "
                 "φ(k)ᵀv are fp32, and fp32 scores choose the blocks; weights are relative to a base that "
                 "is 2^4 above the largest score when it is taken and stays until they near 448; sums of "
                 "the products are taken up in fp32 every 512 keys; an all-zero block or channel gives "
                 "zeros; the linear branch is sla's; no causal mask and no log-sum-exp. bf16 and fp16, "
                 "head dims up to 128, padded to 64 or 128.",
             .supports = {.unsmoothedKeys = true, .maxHeadDim = cuda::kMaxTiledHeadDim},
             .plan = &cuda::plan<Method::SageSparseLinear>},
    },
    {
        .name = "sagev2",
        .title = "SageAttention 2: int8 scores with a scale for each thread's rows, e4m3 P and V",
        .description =
            "Keys minus their mean over the sequence and queries times scale·log2(e) as int8; of each 32 "
            "queries the rows n mod 8 share a scale, of each 64 keys the pairs (n mod 8) / 2 (absmax/127, "
            "half "
            "away from zero), which is what one thread holds in a product of tensor cores; exact integer "
            "scores; V is e4m3 with a scale a channel, P e4m3 of 448 times the weight; fp32 accumulators.",
        .method = Method::Sage2,
        .isByNameOnly = true,
        .builtInOptions = kSage2Options,
        .cpu =
            {.deviation =
                 "INT8, for which upstream's kernels smooth K alone (the paper smooths Q for INT4); the "
                 "running maximum is of 128 keys instead of 64; e4m3 values are multiplied as bf16 (AVX-512) "
                 "or fp32, which hold them exactly, and added up in fp32 where tensor cores keep about 22 "
                 "bits and take them up in fp32 every 64 keys; an all-zero class gives zeros where upstream "
                 "adds 1e-7 to the scale; with AMX as with AVX-512.",
             .supports = kDenseOnCpu,
             .plan = &cpu::plan<Method::Sage2>},
        .cuda = {.deviation = kSage2OnCuda,
                 .supports = {.causal = true,
                              .keyBias = true,
                              .logSumExp = true,
                              .unsmoothedKeys = true,
                              .maxHeadDim = cuda::kMaxTiledHeadDim},
                 .plan = &cuda::plan<Method::Sage2>},
    },
    {
        .name = "sparge",
        .title = "SpargeAttention: the blocks that a prediction by means says hold the weight",
        .description =
            "Exact attention over a part of the blocks, without training: each block of 128 queries attends "
            "to the 64-key blocks whose mean key, less the mean of all, holds its mean query's softmax up to "
            "sparge.cdfthreshd, 0.98 (at least one), and to every block whose keys aren't alike (mean cosine "
            "of all pairs at most sparge.simthreshd1, 0.6); a block of queries that aren't alike attends to "
            "all. Blocks whose scores all lie sparge.pvthreshd, 50, below their rows' largest are not "
            "multiplied.",
        .method = Method::Sparge,
        .sparse = true,
        .isByNameOnly = true,
        .builtInOptions = kSpargeOptions,
        .cpu =
            {.deviation =
                 "Products are fav2's, where upstream's are SageAttention's INT8 and e4m3; means, cosines "
                 "and "
                 "the softmax are fp32 instead of the input's type and fp16; a block that is not multiplied "
                 "is no part of the row's sum either; with AMX every block of the map is multiplied, and a "
                 "sparge.pvthreshd below 50 takes AVX-512; no causal mask and no log-sum-exp.",
             .supports = {.maxHeadDim = cpu::kMaxHeadDim},
             .plan = &cpu::plan<Method::Sparge>},
        .cuda = {.deviation =
                     "Products are fav3's on Hopper (wgmma, blocks of 128 queries by one or two of 64 keys) "
                     "and fav2's elsewhere; means, cosines and the softmax are fp32, sums of weights fp64; "
                     "every block of the map is multiplied, whatever it scores; no causal mask and no "
                     "log-sum-exp. bf16 and fp16, head dims up to 128, padded to 64 or 128.",
                 .supports = kKeptOnCuda,
                 .plan = &cuda::plan<Method::Sparge>},
    },
    {
        .name = "sta",
        .title = "Sliding tile attention: exact, in windows of tiles of the clip",
        .description =
            "Exact attention without training over what lies near in the clip: tokens are put in the order "
            "of "
            "tiles (4 × 4 × 4 of frames, rows and columns, unless sta.tile says otherwise), and a tile sees "
            "sta.window tiles (3,3,3) along each axis, itself in the middle but at the clip's ends, where "
            "the "
            "window stays as wide; text sees and is seen by all.",
        .method = Method::SlidingTile,
        .sparse = true,
        .isByNameOnly = true,
        .builtInOptions = kStaOptions,
        .cpu = {.deviation = "A block of 128 queries attends to each block of 64 keys that holds a token "
                             "which one of its "
                             "queries sees: upstream's map where tiles are whole and of a multiple of 128 "
                             "tokens, more of it "
                             "elsewhere; Q, K, V and the output are copied into the order of tiles and back; "
                             "no causal mask "
                             "and no log-sum-exp.",
                .supports = {.maxHeadDim = cpu::kMaxHeadDim},
                .plan = &cpu::plan<Method::SlidingTile>},
        .cuda = {.deviation =
                     "The CPU's map, made once for a grid, and sparge's products; Q, K and V are copied "
                     "into the order of tiles, the output goes where it belongs; no causal mask and no "
                     "log-sum-exp. bf16 and fp16, head dims up to 128, padded to 64 or 128.",
                 .supports = kKeptOnCuda,
                 .plan = &cuda::plan<Method::SlidingTile>},
    },
    {
        .name = "radial",
        .title = "Radial attention: exact, in windows that narrow with the frames between tokens",
        .description = "Exact attention without training in O(n log n): tokens of frames d apart see each "
                       "other where their "
                       "places in the frame are within a window that halves whenever d doubles (whole frames "
                       "up to d = 1; "
                       "times radial.decay), down to 128 tokens; beyond that only frames at multiples of so "
                       "many apart. All "
                       "see the first frame, and text.",
        .method = Method::Radial,
        .sparse = true,
        .isByNameOnly = true,
        .builtInOptions = kRadialOptions,
        .cpu = {.deviation = "A block of 128 queries attends to each block of 64 keys that holds a token "
                             "which one of its "
                             "queries sees, where upstream drops blocks of 128 that are seen too little; no "
                             "causal mask and "
                             "no log-sum-exp.",
                .supports = {.maxHeadDim = cpu::kMaxHeadDim},
                .plan = &cpu::plan<Method::Radial>},
        .cuda = {.deviation =
                     "The CPU's map, made once for a grid, and sparge's products; no causal mask and no "
                     "log-sum-exp. bf16 and fp16, head dims up to 128, padded to 64 or 128.",
                 .supports = kKeptOnCuda,
                 .plan = &cuda::plan<Method::Radial>},
    },
    {
        .name = "cudnn",
        .title = "cuDNN's fused attention",
        .description =
            "cuDNN's flash attention, through libtorch's own operator: bf16 and fp16, on an NVIDIA GPU.",
        .libtorch = LibtorchOperator::Cudnn,
    },
    {
        .name = "flash",
        .title = "FlashAttention-2 as libtorch ships it",
        .description =
            "Tri Dao's FlashAttention-2, through libtorch's own operator: bf16 and fp16, on an NVIDIA GPU.",
        .libtorch = LibtorchOperator::Flash,
    },
}};

/// The built-in ones, then what was added: entries never move, so that pointers to them stay.
class List {
  public:
    List() { std::copy(kBackends.begin(), kBackends.end(), m_entries.begin()); }

    [[nodiscard]] std::span<const BackendInfo> entries() const { return {m_entries.data(), m_count}; }

    bool add(PluginBackend plugin) {
        if (m_count == m_entries.size()) return false;
        const PluginBackend& kept = m_plugins.emplace_back(std::move(plugin));
        const PluginDescription& said = kept.description;
        BackendInfo& entry = m_entries[m_count];
        entry.name = said.name;
        entry.title = said.title;
        entry.description = said.description;
        entry.plugin = &kept;
        entry.cpu.supports = entry.cuda.supports = {.causal = said.causal,
                                                    .keyBias = said.keyBias,
                                                    .logSumExp = said.logSumExp,
                                                    .unsmoothedKeys = true,
                                                    .maxHeadDim = said.maxHeadDim};
        ++m_count;  // only now others see it
        return true;
    }

  private:
    std::array<BackendInfo, kBackends.size() + kMostPluginBackends> m_entries;
    std::atomic<std::size_t> m_count = kBackends.size();
    std::deque<PluginBackend> m_plugins;
};

List& list() {
    static List backends;
    return backends;
}

std::optional<std::string> whyNotPlugin(const PluginBackend& plugin, const AttentionProblem& p) {
    const PluginDescription& said = plugin.description;
    if (!said.takes(p.type)) {
        std::string types;
        for (const DataType type : said.types)
            types += (types.empty() ? "" : " or ") + std::string(nameOf(type));
        return std::string("dtype ") + nameOf(p.type) + ", needs " + types;
    }
    if (p.headDim % said.headDimMultiple != 0)
        return "head dim " + std::to_string(p.headDim) + ", needs a multiple of " +
               std::to_string(said.headDimMultiple);
    if (p.queryHeads != p.keyHeads && !said.sharedKeyHeads) return std::string("takes no shared key heads");
    if (plugin.kernel == nullptr) return std::string("a plug-in, which this program only names");
    return plugin.kernel->whyNot(p);
}

AttentionPlan pluginPlan(const PluginBackend& plugin, const AttentionProblem& problem) {
    if (auto why = whyNotPlugin(plugin, problem)) return {.obstacle = *std::move(why)};
    return {.workspaceBytes = plugin.kernel->workspaceBytes(problem),
            .attend = [kernel = plugin.kernel.get()](const AttentionProblem& planned) {
                kernel->attend(planned);
            }};
}

/// Why the list alone says no: no kernel has to be asked.
std::optional<std::string> listObstacle(const BackendInfo& backend, const AttentionProblem& p) {
    const std::string name(backend.name);
    if (backend.libtorch) return name + ": libtorch's own operator, needs a backend with kernels here";
    if (!backend.runsOn(p.device))
        return name + ": no " + nameOf(p.device) + " implementation" +
               (backend.plugin != nullptr ? " in its plug-in" : " in this version");
    if (p.device == Device::Cpu && p.stream != nullptr) return name + ": a stream, which the cpu has none of";
    const Support& supports = backend.on(p.device).supports;
    if (p.headDim < 1 || p.headDim > supports.maxHeadDim)
        return name + ": head dim " + std::to_string(p.headDim) + ", needs 1 to " +
               std::to_string(supports.maxHeadDim);
    if (p.batch < 1 || p.queryHeads < 1 || p.keyHeads < 1 || p.queries < 1 || p.keys < 1)
        return name + ": an empty batch, head or sequence (B " + std::to_string(p.batch) + ", heads " +
               std::to_string(p.queryHeads) + "/" + std::to_string(p.keyHeads) + ", queries " +
               std::to_string(p.queries) + ", keys " + std::to_string(p.keys) + ")";
    if (p.queries > std::numeric_limits<std::int32_t>::max() ||
        p.keys > std::numeric_limits<std::int32_t>::max())
        return name + ": more than 2^31 - 1 tokens";
    if (p.queryHeads % p.keyHeads != 0)
        return name + ": " + std::to_string(p.queryHeads) + " query heads, needs a multiple of the " +
               std::to_string(p.keyHeads) + " key heads";
    if (!(p.scale > 0) || std::isinf(p.scale))
        return name + ": scale " + std::to_string(p.scale) + ", needs a finite one above 0";
    if (backend.sparse && !(p.sparseLinear.topkRatio > 0 && p.sparseLinear.topkRatio <= 1))
        return name + ": top-k ratio " + std::to_string(p.sparseLinear.topkRatio) +
               ", needs one above 0 and at most 1";
    if (backend.method == Method::Sage2) {
        const std::string_view bits = valueOf(p.context.options, "sum-bits");
        if (!bits.empty() && bits != "32" && (bits != "16" || p.device == Device::Cpu))
            return name + ": sum-bits " + std::string(bits) + ", needs 32" +
                   (p.device == Device::Cpu ? " on cpu" : " or 16");
    }
    if (p.mask == Mask::Causal && !supports.causal) return name + ": no causal mask";
    if (p.keyBias != nullptr && !supports.keyBias) return name + ": takes no key bias";
    if (backend.method && p.keySmoothing == KeySmoothing::None && !supports.unsmoothedKeys &&
        traitsOf(*backend.method, static_cast<int>(p.headDim)).centresKeys)
        return name + ": always smooths its keys on " + nameOf(p.device);
    if (p.lse != nullptr && !supports.logSumExp) return name + ": gives no log-sum-exp";
    return std::nullopt;
}

}  // namespace

const Implementation& BackendInfo::on(Device device) const {
    return device == Device::Cuda ? cuda : cpu;
}

bool BackendInfo::runsOn(Device device) const {
    if (libtorch) return *libtorch == LibtorchOperator::Choice || device == Device::Cuda;
    if (plugin != nullptr) return plugin->description.isFor(device);
    return on(device).plan != nullptr;
}

std::vector<BackendOption> BackendInfo::options() const {
    if (plugin != nullptr) return plugin->description.options;
    std::vector<BackendOption> all;
    for (const BuiltInOption& option : builtInOptions)
        all.push_back({std::string(option.key), std::string(option.title), std::string(option.value)});
    return all;
}

std::vector<const BackendInfo*> backendsOn(Device device) {
    std::vector<const BackendInfo*> found;
    for (const auto& backend : backends())
        if (backend.runsOn(device)) found.push_back(&backend);
    return found;
}

std::vector<const BackendInfo*> usualBackendsOn(Device device) {
    std::vector<const BackendInfo*> found = backendsOn(device);
    std::erase_if(found, [](const BackendInfo* backend) { return backend->isByNameOnly; });
    return found;
}

std::string usualBackendsInWords() {
    std::string words = "every one of the device";
    for (const BackendInfo& backend : backends())
        if (backend.isByNameOnly)
            words += (words.ends_with("device") ? " but " : ", ") + std::string(backend.name);
    return words;
}

std::span<const BackendInfo> backends() {
    return list().entries();
}

std::optional<std::string> addBackend(PluginBackend backend) {
    const std::string name = backend.description.name;
    if (const BackendInfo* taken = findBackend(name))
        return taken->plugin == nullptr
                   ? "backend " + name + ": a built-in one has that name, another was needed"
                   : "backend " + name + ": " + taken->plugin->description.file + " has one of that name";
    if (!list().add(std::move(backend)))
        return "backend " + name + ": there are " + std::to_string(kMostPluginBackends) +
               " plug-in backends already";
    return std::nullopt;
}

const BackendInfo* findBackend(std::string_view name) {
    for (const auto& backend : backends())
        if (backend.name == name) return &backend;
    return nullptr;
}

std::string backendNames() {
    std::string names;
    for (const auto& backend : backends()) names += (names.empty() ? "" : ", ") + std::string(backend.name);
    return names;
}

AttentionPlan plan(const BackendInfo& backend, const AttentionProblem& problem) {
    if (auto obstacle = listObstacle(backend, problem)) return {.obstacle = *std::move(obstacle)};
    AttentionPlan planned = backend.plugin != nullptr ? pluginPlan(*backend.plugin, problem)
                                                      : backend.on(problem.device).plan(problem);
    if (!planned.obstacle.empty()) planned.obstacle.insert(0, std::string(backend.name) + ": ");
    return planned;
}

std::optional<std::string> whyNot(const BackendInfo& backend, const AttentionProblem& problem) {
    AttentionPlan planned = plan(backend, problem);
    if (planned.obstacle.empty()) return std::nullopt;
    return std::move(planned.obstacle);
}

void run(const BackendInfo& backend, const AttentionProblem& problem) {
    const AttentionPlan planned = plan(backend, problem);
    if (!planned.obstacle.empty()) throw std::runtime_error(planned.obstacle);
    planned.attend(problem);
}

}  // namespace reelgrid::kernels
