#include "kernels/cuda/attention/attention_cuda.h"

#include <optional>
#include <string>
#include <utility>

#include "kernels/attention/method_options.h"
#include "kernels/backends/backend_option.h"
#include "kernels/cuda/library.h"

namespace reelgrid::kernels::cuda {
namespace {

/// A tensor whose rows are copied 16 bytes at a time: an extent of 1 has no stride to speak of.
std::optional<std::string> rowsObstacle(const char* name, const void* data, const Strides& strides,
                                        const AttentionProblem& p, std::int64_t heads, std::int64_t tokens) {
    constexpr std::int64_t kRow = 8;  // elements
    const auto odd = [](std::int64_t extent, std::int64_t stride) {
        return extent > 1 && (stride < 0 || stride % kRow != 0);
    };
    if (odd(p.batch, strides.batch) || odd(heads, strides.head) || odd(tokens, strides.token))
        return std::string(name) + "'s strides are " + std::to_string(strides.batch) + ", " +
               std::to_string(strides.head) + ", " + std::to_string(strides.token) +
               ", needs multiples of 8 elements";
    if (reinterpret_cast<std::uintptr_t>(data) % 16 != 0)
        return std::string(name) + " begins at an address that is no multiple of 16";
    return std::nullopt;
}

/// Why not, whatever GPU it is.
std::optional<std::string> problemObstacle(Method method, const AttentionProblem& p) {
    if (p.type == DataType::Float32) return std::string("dtype ") + nameOf(p.type) + ", needs bf16 or fp16";
    if (p.headDim % 8 != 0) return "head dim " + std::to_string(p.headDim) + ", needs a multiple of 8";
    const bool anyHeadDim = method == Method::Flash || method == Method::Flash3 || isShort(method, p);
    if (!anyHeadDim && p.headDim > kMaxTiledHeadDim)
        return "head dim " + std::to_string(p.headDim) + ", needs at most " +
               std::to_string(kMaxTiledHeadDim) + " for " + std::to_string(p.queries) + " queries and " +
               std::to_string(p.keys) + " keys";
    if (auto why = rowsObstacle("q", p.q, p.qStrides, p, p.queryHeads, p.queries)) return why;
    if (auto why = rowsObstacle("k", p.k, p.kStrides, p, p.keyHeads, p.keys)) return why;
    if (auto why = rowsObstacle("v", p.v, p.vStrides, p, p.keyHeads, p.keys)) return why;
    if (auto why = rowsObstacle("out", p.out, p.outStrides, p, p.queryHeads, p.queries)) return why;
    const bool isSparse = traitsOf(method, static_cast<int>(p.headDim)).isSparse();
    if (isSparse && p.keys > kMostSparseKeys)
        return std::to_string(p.keys) + " keys, needs at most " + std::to_string(kMostSparseKeys);
    if (isSparse && p.batch * p.queryHeads > kMostSparseHeads)
        return std::to_string(p.batch * p.queryHeads) + " heads over the batch, needs at most " +
               std::to_string(kMostSparseHeads);
    if (std::string obstacle = optionObstacle(method, p); !obstacle.empty()) return obstacle;
    if (const double faint = predictionOf(p).faint;
        method == Method::Sparge && faint != BlockPrediction{}.faint)
        return "pvthreshd " + std::string(valueOf(p.context.options, "pvthreshd")) +
               ", needs the default on a GPU, where no block of the map is left out for its scores";
    if (library() == nullptr) return "the CUDA kernels are not loaded";
    return std::nullopt;
}

}  // namespace

AttentionPlan planAttention(Method method, const AttentionProblem& problem) {
    if (auto obstacle = problemObstacle(method, problem)) return {.obstacle = *std::move(obstacle)};
    return library()->planAttention(method, problem);
}

}  // namespace reelgrid::kernels::cuda
