#include "core/benchmark/check_cases.h"

#include <array>
#include <utility>

namespace reelgrid::benchmark {
namespace {

using kernels::DataType;
using kernels::Mask;

using Lengths = std::pair<std::int64_t, std::int64_t>;

std::string textOf(const Lengths& lengths) {
    return std::to_string(lengths.first) + "×" + std::to_string(lengths.second);
}

AttentionShape shapeOf(const Lengths& lengths, std::int64_t dim) {
    return {.batch = 1,
            .heads = 2,
            .keyHeads = 2,
            .queries = lengths.first,
            .headDim = dim,
            .keys = lengths.second};
}

void addLengths(std::vector<CheckCase>& cases) {
    for (const Lengths& lengths : {Lengths{1, 1},
                                   {239, 1},
                                   {1, 203},
                                   {48, 64},
                                   {128, 128},
                                   {65, 129},
                                   {113, 203},
                                   {799, 3},
                                   {255, 1024},
                                   {127, 2047}})
        cases.push_back({.name = "lengths " + textOf(lengths), .shape = shapeOf(lengths, 64)});
}

void addHeadDims(std::vector<CheckCase>& cases) {
    for (const std::int64_t dim : {16, 32, 33, 40, 64, 72, 80, 96, 128, 160, 192, 256})
        cases.push_back({.name = "head dim " + std::to_string(dim), .shape = shapeOf({51, 77}, dim)});
}

void addLayouts(std::vector<CheckCase>& cases) {
    const AttentionShape shape{
        .batch = 2, .heads = 3, .keyHeads = 3, .queries = 70, .headDim = 64, .keys = 90};
    for (const auto& [name, layout] :
         {std::pair{"memory [B,N,H,D]", Layout::TokensFirst},
          std::pair{"memory [B,H,N,D]", Layout::HeadsFirst}, std::pair{"memory padded", Layout::Padded}})
        cases.push_back({.name = name, .shape = shape, .layout = layout});
    for (const std::int64_t keyHeads : {3, 1}) {
        AttentionShape shared = shape;
        shared.heads = 6;
        shared.keyHeads = keyHeads;
        cases.push_back({.name = "shared keys 6/" + std::to_string(keyHeads), .shape = shared});
    }
}

void addMasks(std::vector<CheckCase>& cases) {
    for (const Lengths& lengths : {Lengths{150, 150}, {113, 203}, {203, 113}, {1, 77}, {300, 1}})
        cases.push_back(
            {.name = "causal " + textOf(lengths), .shape = shapeOf(lengths, 64), .mask = Mask::Causal});
    for (const Lengths& lengths : {Lengths{90, 77}, {90, 300}})
        cases.push_back({.name = "key bias " + textOf(lengths),
                         .shape = shapeOf(lengths, 64),
                         .keyBias = KeyBias::Given});
    cases.push_back({.name = "causal, key bias",
                     .shape = shapeOf({90, 130}, 64),
                     .mask = Mask::Causal,
                     .keyBias = KeyBias::Given});
}

void addValues(std::vector<CheckCase>& cases) {
    constexpr std::array kValues{std::pair{"outliers", CheckValues::Outliers},
                                 std::pair{"outlier channel", CheckValues::OutlierChannel},
                                 std::pair{"sink", CheckValues::Sink},
                                 std::pair{"biased keys", CheckValues::BiasedKeys},
                                 std::pair{"large offset", CheckValues::LargeOffset},
                                 std::pair{"opposed", CheckValues::Opposed},
                                 std::pair{"zeros", CheckValues::Zeros}};
    for (const auto& [name, values] : kValues)
        cases.push_back({.name = name, .shape = shapeOf({97, 211}, 128), .values = values});
}

}  // namespace

std::vector<CheckCase> checkCases() {
    std::vector<CheckCase> ofOneType;
    addLengths(ofOneType);
    addHeadDims(ofOneType);
    addLayouts(ofOneType);
    addMasks(ofOneType);
    addValues(ofOneType);
    std::vector<CheckCase> cases;
    for (const DataType type : {DataType::Float32, DataType::BFloat16, DataType::Float16})
        for (CheckCase each : ofOneType) {
            each.type = type;
            cases.push_back(std::move(each));
        }
    return cases;
}

}  // namespace reelgrid::benchmark
