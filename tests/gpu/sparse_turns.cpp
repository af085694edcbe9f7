#include <ATen/ATen.h>

#include <cstdio>

#include "tests/gpu/attention_turns.h"

namespace reelgrid {
namespace {

struct SparseShape {
    const char* name;
    std::int64_t heads, headDim;
    kernels::TokenGrid grid;
    const char *halfWindow, *fifthWindow;  ///< of sta, that keep about so much
};

constexpr SparseShape kShapes[] = {
    {"12x32760x128", 12, 128, {.frames = 21, .rows = 30, .columns = 52}, "5,7,9", "3,5,7"},
    {"30x17776x64", 30, 64, {.frames = 13, .rows = 30, .columns = 45, .textBefore = 226}, "3,7,9", "3,5,5"}};

/// With the normal scores of alikeRows(), about half and a fifth of the blocks hold so much.
constexpr const char *kHalfOfBlocks = "0.841", *kFifthOfBlocks = "0.563";

/// Every `block` rows lie about a direction of their own: mean products of two such are N(0, D).
at::Tensor alikeRows(const SparseShape& shape, std::int64_t block, const at::TensorOptions& options) {
    const std::int64_t tokens = shape.grid.tokens(), blocks = (tokens + block - 1) / block;
    const at::Tensor centres = at::randn({1, blocks, 1, shape.heads, shape.headDim}, options)
                                   .expand({1, blocks, block, shape.heads, shape.headDim})
                                   .reshape({1, blocks * block, shape.heads, shape.headDim})
                                   .narrow(1, 0, tokens);
    return (centres + 0.3 * at::randn(centres.sizes(), options)).to(at::kBFloat16).transpose(1, 2);
}

void addContender(std::vector<Contender>& contenders, const execution::Execution& gpu,
                  const std::string& backend, const std::vector<std::string>& options) {
    std::string name = backend;
    for (const std::string& option : options) name += " " + option;
    attention::CallSettings settings{.options = attention::BackendOptions::create(options).value()};
    contenders.push_back(
        {name, attention::makeDispatcher(attention::Policy(backend), gpu, std::move(settings)).value()});
}

void timeShape(const execution::Execution& gpu, const SparseShape& shape) {
    const auto options = at::TensorOptions().device(gpu.device);
    attention::Inputs in{.q_BHND = alikeRows(shape, 128, options),
                         .k_BHMD = alikeRows(shape, 64, options),
                         .v_BHMD = alikeRows(shape, 64, options),
                         .keyBias_M = {}};
    in.grid = shape.grid;
    std::vector<Contender> contenders;
    addContender(contenders, gpu, "fav3", {});
    addContender(contenders, gpu, "sparge", {std::string("sparge.cdfthreshd=") + kHalfOfBlocks});
    addContender(contenders, gpu, "sparge", {std::string("sparge.cdfthreshd=") + kFifthOfBlocks});
    addContender(contenders, gpu, "sta", {std::string("sta.window=") + shape.halfWindow});
    addContender(contenders, gpu, "sta", {std::string("sta.window=") + shape.fifthWindow});
    addContender(contenders, gpu, "radial", {});
    timeInTurns(gpu, in, contenders);
    const double whole = contenders.front().median();  // fav3 is the first name
    for (const Contender& contender : contenders) {
        const auto& record = contender.dispatcher->records().at(0);
        const double kept = record.kept.value_or(1);
        std::printf(
            "{\"shape\": \"%s\", \"attention\": \"%s\", \"used\": \"%s\", \"ms_p50\": %.3f, "
            "\"kept_share\": %.3f, \"of_ideal\": %.3f}\n",
            shape.name, contender.name.c_str(), record.used.c_str(), contender.median(), kept,
            whole * kept / contender.median());
    }
    std::fflush(stdout);
}

}  // namespace

void timeSparseBackends(const execution::Execution& gpu) {
    for (const SparseShape& shape : kShapes) timeShape(gpu, shape);
}

}  // namespace reelgrid
