#include "kernels/cpu/attention/group_memory.h"

#include <algorithm>
#include <array>

#include "kernels/cpu/attention/head_rows.h"
#include "kernels/cpu/attention/workspace.h"

namespace reelgrid::kernels::cpu {
namespace {

enum Purpose {
    Keys,
    Values,
    Scratch,
    KeySums,
    KeyMeans,
    ValueMaxima,
    ValueScalesOfHeads,
    QueryScales,
    KeyScales,
    DotStarts,
    ScoreBias,
    PurposeCount
};
thread_local std::array<Workspace, PurposeCount> t_workspaces;

template <class T>
T* take(Purpose purpose, std::int64_t count) {
    return t_workspaces[purpose].take<T>(count);
}

/// Scaled scores are powers of two, plain ones still to be multiplied by the softmax scale.
float* takeScoreBias(const CallPlan& plan) {
    const AttentionProblem& p = plan.problem;
    const std::int64_t count = plan.blocks * kBlockKeys;
    auto* bias = take<float>(ScoreBias, count);
    std::fill_n(bias, count, 0.0F);
    const bool scaled = plan.traits.scaleBlocks.keys > 0;
    for (std::int64_t key = 0; key < p.keys; ++key)
        bias[key] = scaled ? p.keyBias[key] * kLog2E : p.keyBias[key] / p.scale;
    return bias;
}

}  // namespace

GroupMemory::GroupMemory(const CallPlan& plan)
    : keys(take<std::uint32_t>(Keys, plan.group * plan.blocks * plan.keyBlockUnits)),
      values(take<std::uint32_t>(Values, plan.group * plan.blocks * plan.valueBlockUnits)),
      m_scratchFloats(ceilDiv(static_cast<std::int64_t>(
                                  std::max({kPackScratch, plan.kernels.scratchFloats, kShortScratch})),
                              16) *
                      16) {
    const std::int64_t heads = plan.group;
    scratch = take<float>(Scratch, plan.threads * m_scratchFloats);
    if (plan.traits.centresKeys) {
        keySums = take<float>(KeySums, heads * plan.blocks * plan.paddedDim);
        keyMeans = take<float>(KeyMeans, heads * plan.paddedDim);
    }
    if (plan.traits.valueScales != ValueScales::None) {
        valueMaxima = take<float>(ValueMaxima, heads * plan.blocks * plan.paddedDim);
        valueScales = take<float>(ValueScalesOfHeads, heads * plan.paddedDim);
    }
    if (plan.problem.keyBias != nullptr) scoreBias = takeScoreBias(plan);
    if (plan.keyScales == 0) return;
    queryScales = take<float>(QueryScales, heads * plan.headsPerKeyHead * plan.queryEntries);
    keyScales = take<float>(KeyScales, heads * plan.keyGrains);
    dotStarts = take<std::int32_t>(DotStarts, heads * plan.blocks * kBlockKeys);
}

GroupMemory::~GroupMemory() {
    for (auto& workspace : t_workspaces) workspace.giveBackIfLarge();
}

}  // namespace reelgrid::kernels::cpu
