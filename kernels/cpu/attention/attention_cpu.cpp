#include "kernels/cpu/attention/attention_cpu.h"

#include <omp.h>

#include <algorithm>
#include <optional>

#include "kernels/attention/grid_map.h"
#include "kernels/attention/method_options.h"
#include "kernels/cpu/attention/call_plan.h"
#include "kernels/cpu/attention/crew.h"
#include "kernels/cpu/attention/group_memory.h"
#include "kernels/cpu/attention/group_packing.h"
#include "kernels/cpu/attention/head_rows.h"
#include "kernels/cpu/attention/sparse_linear.h"
#include "kernels/cpu/attention/token_order.h"

namespace reelgrid::kernels::cpu {
namespace {

/// Asks for rows that will be read or written soon: a head's rows lie apart, which no processor foresees.
/// Inlined, since GCC takes a function that only prefetches for one without effect and leaves its calls out.
template <int kWritten>
[[gnu::always_inline]] inline void fetchRows(const void* rows, std::int64_t strideBytes, std::int64_t count,
                                             std::int64_t bytes) {
    constexpr std::int64_t kLine = 64;
    const char* row = static_cast<const char*>(rows);
    for (std::int64_t i = 0; i < count; ++i, row += strideBytes) {
        for (std::int64_t at = 0; at < bytes; at += kLine) __builtin_prefetch(row + at, kWritten);
        __builtin_prefetch(row + bytes - 1, kWritten);
    }
}

/// Runs one problem: packs a group of key heads, then hands tiles of their queries to the threads.
class Call {
  public:
    /// `grid`: the map of a method that needs one, else null.
    Call(Method method, const AttentionProblem& problem, const GridMap* grid)
        : m_p(problem), m_grid(grid), m_plan(method, problem), m_memory(m_plan), m_packing(m_plan, m_memory) {
        if (m_plan.traits.isSparse() && m_grid == nullptr)
            m_sparse.emplace(m_p, m_plan.traits, m_plan.kernels, m_plan.paddedDim, m_plan.group,
                             m_plan.threads, m_memory.scratch);
    }

    void run() {
        const std::int64_t keyHeads = m_p.batch * m_p.keyHeads;
        if (m_plan.headByHead || m_plan.isShort)
            runHeads(keyHeads);
        else
            for (std::int64_t first = 0; first < keyHeads; first += m_plan.group)
                runGroup(first, std::min(m_plan.group, keyHeads - first));
        if (m_p.preparationSeconds != nullptr) *m_p.preparationSeconds = m_preparationSeconds;
        if (m_p.keptShare != nullptr)
            *m_p.keptShare = m_sparse ? m_sparse->keptShare() : m_grid != nullptr ? m_grid->keptShare() : 1;
    }

  private:
    /// All key heads of the batch: each thread has one place of the group's memory, whichever head is in it.
    void runHeads(std::int64_t heads) {
        double preparation = 0;
        const std::int64_t chunk = std::clamp<std::int64_t>(heads / (16 * m_plan.threads), 1, 64);
        const bool fetches = std::max(m_p.queries, m_p.keys) <= kShortTokens;
#pragma omp parallel num_threads(m_plan.threads) reduction(+ : preparation)
        {
            const std::int64_t place = omp_get_thread_num();
            float* scratch = m_memory.scratchOf(omp_get_thread_num());
#pragma omp for schedule(dynamic, chunk)
            for (std::int64_t head = 0; head < heads; ++head) {
                if (fetches && head + 1 < heads) fetchHead(head + 1);
                if (m_plan.isShort)
                    attendShort(head, scratch);
                else
                    runSteps(Alone{place}, head - place, scratch, preparation);
            }
        }
        m_preparationSeconds += preparation / m_plan.threads;
    }

    /// `first` and `heads` count key heads over the whole batch.
    void runGroup(std::int64_t first, std::int64_t heads) {
        double preparation = 0;
#pragma omp parallel num_threads(m_plan.threads) reduction(+ : preparation)
        {
            float* scratch = m_memory.scratchOf(omp_get_thread_num());
            if (worksAlone(heads)) {
#pragma omp for schedule(dynamic, 1)
                for (std::int64_t head = 0; head < heads; ++head)
                    runSteps(Alone{head}, first, scratch, preparation);
            } else {
                runSteps(Team{heads}, first, scratch, preparation);
            }
        }
        m_preparationSeconds += preparation / m_plan.threads;
    }

    /// A head a thread saves the barriers, where that leaves no thread idle for long.
    [[nodiscard]] bool worksAlone(std::int64_t heads) const {
        const std::int64_t turns = ceilDiv(heads, m_plan.threads);
        return 8 * (turns * m_plan.threads - heads) <= turns * m_plan.threads;
    }

    template <class Crew>
    void runSteps(const Crew& crew, std::int64_t first, float* scratch, double& preparation) {
        const bool timed = m_p.preparationSeconds != nullptr;
        const double start = timed ? omp_get_wtime() : 0;
        m_packing.run(crew, first, scratch, [&](std::int64_t block) {
            if (m_sparse) m_sparse->sumBlock(first, block, scratch);
        });
        if (timed) preparation += omp_get_wtime() - start;
        if (m_sparse) m_sparse->prepare(crew, first, m_memory.values, scratch);
        const std::int64_t tiles = m_plan.spans * m_plan.spanTiles;
        // The last tiles of a causal mask are the longest: hand them out first.
        crew.deal(m_plan.headsPerKeyHead * tiles,
                  [&](std::int64_t i) { attendTile(first, i / tiles, tiles - 1 - i % tiles, scratch); });
    }

    /// A key head's rows and those of its query heads, before they are needed.
    void fetchHead(std::int64_t keyHead) const {
        const std::int64_t size = sizeOf(m_p.type), bytes = m_p.headDim * size;
        const auto fetch = [&](Operand operand, std::int64_t head) {
            const RowArgs rows = headRows(m_p, operand, head, 0, kShortTokens, static_cast<int>(m_p.headDim));
            fetchRows<0>(rows.rows, rows.rowStride * size, rows.count, bytes);
        };
        fetch(Operand::Key, keyHead);
        fetch(Operand::Value, keyHead);
        for (std::int64_t i = 0; i < m_plan.headsPerKeyHead; ++i) {
            const std::int64_t head = keyHead * m_plan.headsPerKeyHead + i;
            fetch(Operand::Query, head);
            fetchRows<1>(outputRow(m_p, head, 0), m_p.outStrides.token * size, m_p.queries, bytes);
        }
    }

    void attendShort(std::int64_t keyHead, float* scratch) const {
        const auto dims = static_cast<int>(m_p.headDim);
        const RowArgs keys = headRows(m_p, Operand::Key, keyHead, 0, m_p.keys, dims);
        const RowArgs values = headRows(m_p, Operand::Value, keyHead, 0, m_p.keys, dims);
        for (std::int64_t i = 0; i < m_plan.headsPerKeyHead; ++i) {
            const std::int64_t head = keyHead * m_plan.headsPerKeyHead + i;
            const RowArgs queries = headRows(m_p, Operand::Query, head, 0, m_p.queries, dims);
            ShortArgs args;
            args.q = queries.rows;
            args.qStride = queries.rowStride;
            args.k = keys.rows;
            args.kStride = keys.rowStride;
            args.v = values.rows;
            args.vStride = values.rowStride;
            args.out = outputRow(m_p, head, 0);
            args.outStride = m_p.outStrides.token;
            if (m_p.lse != nullptr) args.lse = m_p.lse + head * m_p.queries;
            args.count = queries.count;
            args.dim = dims;
            args.keys = m_p.keys;
            args.causal = m_p.mask == Mask::Causal;
            args.causalOffset = m_p.keys - m_p.queries;
            args.scale = m_p.scale;
            args.scoreBias = m_memory.scoreBias;
            args.scratch = scratch;
            m_plan.kernels.attendShort(args);
        }
    }

    void attendTile(std::int64_t first, std::int64_t groupHead, std::int64_t tile, float* scratch) const {
        const std::int64_t span = tile / m_plan.spanTiles;
        const std::int64_t firstQuery =
            span * m_plan.spanQueries + tile % m_plan.spanTiles * m_plan.tileQueries;
        const std::int64_t end = std::min(m_p.queries, (span + 1) * m_plan.spanQueries);
        if (firstQuery >= end) return;
        const std::int64_t queryHead = first * m_plan.headsPerKeyHead + groupHead;
        const RowArgs rows =
            headRows(m_p, Operand::Query, queryHead, firstQuery,
                     std::min<std::int64_t>(m_plan.tileQueries, end - firstQuery), m_plan.paddedDim);
        TileArgs args;
        args.type = m_p.type;
        args.firstQuery = firstQuery;
        args.count = rows.count;
        args.q = rows.rows;
        args.qStride = rows.rowStride;
        args.out = outputRow(m_p, queryHead, firstQuery);
        args.outStride = m_p.outStrides.token;
        if (m_p.lse != nullptr) args.lse = m_p.lse + queryHead * m_p.queries + firstQuery;
        args.dim = rows.dim;
        args.paddedDim = m_plan.paddedDim;
        args.keys = m_p.keys;
        args.causal = m_p.mask == Mask::Causal;
        args.causalOffset = m_p.keys - m_p.queries;
        args.scale = m_p.scale;
        args.scratch = scratch;
        m_packing.describe(groupHead, args);
        LinearOperands linear;
        if (m_sparse) m_sparse->describe(first, groupHead, span, args, linear);
        if (m_grid != nullptr) {
            const auto kept = m_grid->keysOf(span);
            args.blocks = kept.data();
            args.blockCount = static_cast<int>(kept.size());
        }
        m_plan.kernels.attend(args);
    }

    const AttentionProblem& m_p;
    const GridMap* m_grid;
    CallPlan m_plan;
    GroupMemory m_memory;
    GroupPacking m_packing;
    std::optional<SparseLinearPlan> m_sparse;
    double m_preparationSeconds = 0;
};

}  // namespace

void attend(Method method, const AttentionProblem& problem) {
    const MethodTraits traits = traitsOf(method, static_cast<int>(problem.headDim));
    if (traits.needsGrid()) {
        const GridMap map = gridMapOf(method, problem);
        if (map.order().empty()) {
            Call(method, problem, &map).run();
            return;
        }
        const OrderedTokens ordered(problem, map.order());
        Call(method, ordered.problem(), &map).run();
        ordered.putBack();
    } else {
        Call(method, problem, nullptr).run();
    }
}

}  // namespace reelgrid::kernels::cpu
