// reelgrid_attention_benchmark [BACKEND[,BACKEND…] [[BATCHx]HEADSxTOKENSxHEADDIM…]]
// reelgrid_attention_benchmark sparse
// Times attention backends on the first GPU, bf16 on random data (attention_turns.h). Without shapes: those
// of Wan and CogVideoX. One JSON line a row on stdout. With the word `sparse` those that leave blocks out
// beside fav3.

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>

#include <cstdio>
#include <sstream>

#include "tests/gpu/attention_turns.h"

namespace reelgrid {
namespace {

std::vector<std::string> parts(const std::string& list, char separator) {
    std::vector<std::string> found;
    std::istringstream text(list);
    for (std::string part; std::getline(text, part, separator);) found.push_back(part);
    return found;
}

void timeShape(const execution::Execution& gpu, std::vector<Contender>& contenders,
               const std::string& shape) {
    auto extents = parts(shape, 'x');
    if (extents.size() == 3) extents.insert(extents.begin(), "1");
    const std::int64_t batch = std::stol(extents.at(0)), heads = std::stol(extents.at(1)),
                       tokens = std::stol(extents.at(2)), headDim = std::stol(extents.at(3));
    const auto random = [&] {
        return at::randn({batch, tokens, heads, headDim}, at::TensorOptions().device(gpu.device))
            .to(at::kBFloat16)
            .transpose(1, 2);
    };
    // sla's linear branch is timed, too; others ignore its projection.
    const attention::Inputs in{
        .q_BHND = random(),
        .k_BHMD = random(),
        .v_BHMD = random(),
        .keyBias_M = {},
        .projL_DD = at::randn({headDim, headDim}, at::TensorOptions().device(gpu.device))};
    timeInTurns(gpu, in, contenders);
    const double operations =
        4.0 * static_cast<double>(batch * heads * tokens) * static_cast<double>(tokens * headDim);
    for (Contender& contender : contenders) {
        const double median = contender.median();
        std::printf(
            "{\"shape\": \"%s\", \"attention\": \"%s\", \"used\": \"%s\", \"ms_p50\": %.3f, \"TFLOP_per_s\": "
            "%.1f, \"lowest\": %.1f, \"highest\": %.1f}\n",
            shape.c_str(), contender.name.c_str(), contender.dispatcher->records().at(0).used.c_str(), median,
            operations / median * 1e-9, operations / contender.milliseconds.back() * 1e-9,
            operations / contender.milliseconds.front() * 1e-9);
    }
    std::fflush(stdout);
}

int run(const std::vector<std::string>& words) {
    const c10::InferenceMode inference;
    const execution::Execution gpu = execution::executionOn("cuda").value();
    if (words == std::vector<std::string>{"sparse"}) {
        timeSparseBackends(gpu);
        return 0;
    }
    std::vector<Contender> contenders;
    for (const std::string& name : parts(words.empty() ? "fav3,fav2,cudnn,flash" : words[0], ','))
        contenders.push_back({name, attention::makeDispatcher(attention::Policy(name), gpu).value()});
    std::vector<std::string> shapes(words.size() > 1 ? words.begin() + 1 : words.end(), words.end());
    if (shapes.empty())
        shapes = {"12x32760x128", "40x32760x128", "40x75600x128", "30x17776x64", "48x17776x64"};
    for (const std::string& shape : shapes) timeShape(gpu, contenders, shape);
    return 0;
}

}  // namespace
}  // namespace reelgrid

int main(int count, char** words) {
    try {
        return reelgrid::run({words + 1, words + count});
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "reelgrid_attention_benchmark: %s\n", failure.what());
        return 1;
    }
}
