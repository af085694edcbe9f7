#include "kernels/cpu/attention/kept_map.h"

#include <omp.h>

#include <algorithm>

#include "kernels/attention/grid_map.h"
#include "kernels/attention/method_options.h"
#include "kernels/cpu/attention/call_plan.h"
#include "kernels/cpu/attention/crew.h"
#include "kernels/cpu/attention/head_rows.h"
#include "kernels/cpu/attention/sparse_linear.h"
#include "kernels/cpu/attention/workspace.h"

namespace reelgrid::kernels::cpu {
namespace {

KeptMap emptyMap(const MethodTraits& traits, const AttentionProblem& p) {
    KeptMap map{.blocks = traits.sparse,
                .heads = p.batch * p.queryHeads,
                .rows = ceilDiv(p.queries, traits.sparse.queries),
                .columns = ceilDiv(p.keys, traits.sparse.keys),
                .kept = {},
                .order = {}};
    map.kept.resize(static_cast<std::size_t>(map.heads * map.rows * map.columns));
    return map;
}

/// Of a method whose map is of where tokens lie: the same for every head.
KeptMap mapOfGrid(Method method, const AttentionProblem& p) {
    const GridMap grid = gridMapOf(method, p);
    KeptMap map = emptyMap(traitsOf(method, static_cast<int>(p.headDim)), p);
    for (std::int64_t row = 0; row < map.heads * map.rows; ++row)
        for (const std::int32_t key : grid.keysOf(row % map.rows))
            map.kept[static_cast<std::size_t>(row * map.columns + key)] = 1;
    map.order = grid.order();
    return map;
}

/// Of a method that looks at Q and K: a key head after the other.
KeptMap mapOfInputs(Method method, const AttentionProblem& asked) {
    AttentionProblem p = asked;
    p.sparseLinear.projection = nullptr;  // the linear branch has no part in the map
    const CallPlan plan(method, p);
    KeptMap map = emptyMap(plan.traits, p);
    Workspace memory;
    auto* const scratch = memory.take<float>(plan.threads * static_cast<std::int64_t>(kPackScratch));
    SparseLinearPlan sparse(p, plan.traits, plan.kernels, plan.paddedDim, 1, plan.threads, scratch);
    for (std::int64_t keyHead = 0; keyHead < p.batch * p.keyHeads; ++keyHead) {
#pragma omp parallel num_threads(plan.threads)
        {
            const Team team{1};
            float* own = scratch + omp_get_thread_num() * static_cast<std::int64_t>(kPackScratch);
            team.each(plan.blocks, [&](std::int64_t block) { sparse.sumBlock(keyHead, block, own); });
            sparse.prepare(team, keyHead, nullptr, own);
        }
        for (std::int64_t row = 0; row < plan.headsPerKeyHead * map.rows; ++row)
            for (const std::int32_t block : sparse.chosenOf(row / map.rows, row % map.rows)) {
                const std::int64_t column = std::int64_t{block} * kBlockKeys / plan.traits.sparse.keys;
                const std::int64_t line = keyHead * plan.headsPerKeyHead * map.rows + row;
                map.kept[static_cast<std::size_t>(line * map.columns + column)] = 1;
            }
    }
    return map;
}

}  // namespace

double KeptMap::keptShare(std::int64_t head) const {
    const std::uint8_t* first = of(head);
    return static_cast<double>(std::count(first, first + rows * columns, std::uint8_t{1})) /
           static_cast<double>(rows * columns);
}

KeptMap keptMapOf(Method method, const AttentionProblem& problem) {
    const MethodTraits traits = traitsOf(method, static_cast<int>(problem.headDim));
    return traits.needsGrid() ? mapOfGrid(method, problem) : mapOfInputs(method, problem);
}

}  // namespace reelgrid::kernels::cpu
