#include "kernels/cpu/attention/attention_cpu.h"

#include <omp.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <vector>

#include "kernels/attention/rotation_signs.h"
#include "kernels/cpu/attention/crew.h"
#include "kernels/cpu/attention/head_rows.h"
#include "kernels/cpu/attention/sparse_linear.h"
#include "kernels/cpu/attention/tile_kernels.h"
#include "kernels/cpu/attention/workspace.h"

namespace reelgrid::kernels::cpu {
namespace {

enum Purpose {
    PackedKeys,
    PackedValues,
    Scratch,
    Means,
    KeySums,
    ValueMaxima,
    ValueScalesOfHeads,
    KeyScales,
    Bias,
    QueryScales,
    ScoreBias,
    PurposeCount
};
thread_local std::array<Workspace, PurposeCount> t_workspaces;

TileKernels kernelsFor(InstructionSet set, Method method, DataType type) {
#if defined(REELGRID_X86_KERNELS)
    if (set == InstructionSet::Amx) return amxKernels(method, type);
    if (set == InstructionSet::Avx512) return avx512Kernels(method, type);
    if (set == InstructionSet::Avx2) return avx2Kernels(method, type);
#endif
    static_cast<void>(set);
    return portableKernels(method, type);
}

/// The rotation of fav3_fp8 needs a power of two.
int paddedDimOf(Method method, std::int64_t headDim, int grain) {
    const std::int64_t padded = ceilDiv(headDim, grain) * grain;
    return static_cast<int>(method == Method::Flash3Fp8 ? std::bit_ceil(static_cast<std::uint64_t>(padded))
                                                        : padded);
}

/// Waking a team costs more than the smallest problems.
int threadsFor(const AttentionProblem& p) {
    const double work = 4.0 * static_cast<double>(p.batch * p.queryHeads * p.queries) *
                        static_cast<double>(p.keys * p.headDim);
    if (work < 1e6) return 1;
    return p.threads > 0 ? p.threads : omp_get_max_threads();
}

/// Memory that packed keys and values may take at once: several heads share a round of the thread team (fewer
/// barriers, better balance) while long sequences go head by head.
constexpr std::int64_t kPackedBytes = std::int64_t{64} << 20;
/// What is taken for the share of an L2 cache that one head may fill.
constexpr std::int64_t kL2Bytes = std::int64_t{1} << 20;

/// Runs one problem: packs a group of key heads, then hands tiles of their queries to the threads.
class Schedule {
  public:
    Schedule(const AttentionProblem& problem, Method method)
        : m_p(problem),
          m_kernels(kernelsFor(selectedInstructionSet(), method, problem.type)),
          m_centred(centresKeys(method)),
          m_valueScaling(valueScalesOf(method)),
          m_scaleRows(scaleBlocksOf(method, static_cast<int>(problem.headDim))),
          m_paddedDim(paddedDimOf(method, problem.headDim, m_kernels.dimGrain)),
          m_blocks(ceilDiv(problem.keys, kBlockKeys)),
          m_headsPerKeyHead(problem.queryHeads / problem.keyHeads),
          m_threads(threadsFor(problem)) {
        m_keyBlockUnits = std::int64_t{kBlockKeys} * m_paddedDim / m_kernels.dimsPerUnit;
        m_valueBlockUnits = std::int64_t{kBlockKeys} * m_paddedDim / m_kernels.keysPerUnit;
        const std::int64_t headBytes = m_blocks * (m_keyBlockUnits + m_valueBlockUnits) * 4;
        m_group = std::clamp<std::int64_t>(kPackedBytes / std::max<std::int64_t>(headBytes, 1), 1,
                                           problem.batch * problem.keyHeads);
        if (method == Method::Flash3Fp8) {
            static const std::vector<float> signs = rotationSigns(kMaxHeadDim);
            m_signs = signs.data();
        }
        // sla's tiles lie within a block of queries.
        m_spanQueries = method == Method::SparseLinear
                            ? std::min<std::int64_t>(kSparseQueries, problem.queries)
                            : problem.queries;
        m_spans = ceilDiv(problem.queries, m_spanQueries);
        // Tiles side by side pay once a head's keys and values leave the L2 cache. Full tiles are fastest per
        // query; shorter ones keep every thread busy when there are few queries.
        const std::int64_t lanes = m_kernels.lanes;
        const std::int64_t most = headBytes > kL2Bytes ? m_kernels.tileQueries : m_kernels.oneTileQueries;
        const std::int64_t tiles = std::max<std::int64_t>(
            ceilDiv(m_spanQueries, most),
            ceilDiv(m_threads, std::max<std::int64_t>(1, problem.batch * problem.queryHeads * m_spans)));
        m_tileQueries = static_cast<int>(
            std::min<std::int64_t>(most, ceilDiv(ceilDiv(m_spanQueries, tiles), lanes) * lanes));
        m_spanTiles = ceilDiv(m_spanQueries, m_tileQueries);
        takeMemory();
        if (method == Method::SparseLinear)
            m_sparse.emplace(m_p, m_kernels, m_paddedDim, m_group, m_threads, m_scratch);
    }

    ~Schedule() {
        for (auto& workspace : t_workspaces) workspace.giveBackIfLarge();
    }
    Schedule(const Schedule&) = delete;
    Schedule& operator=(const Schedule&) = delete;

    void run() {
        const std::int64_t keyHeads = m_p.batch * m_p.keyHeads;
        for (std::int64_t first = 0; first < keyHeads; first += m_group)
            runGroup(first, std::min(m_group, keyHeads - first));
        if (m_p.preparationSeconds != nullptr) *m_p.preparationSeconds = m_preparationSeconds;
    }

  private:
    void takeMemory() {
        m_scratchFloats =
            ceilDiv(static_cast<std::int64_t>(std::max(kPackScratch, m_kernels.scratchFloats)), 16) * 16;
        m_packedKeys = t_workspaces[PackedKeys].take<std::uint32_t>(m_group * m_blocks * m_keyBlockUnits);
        m_packedValues =
            t_workspaces[PackedValues].take<std::uint32_t>(m_group * m_blocks * m_valueBlockUnits);
        m_scratch = t_workspaces[Scratch].take<float>(m_threads * m_scratchFloats);
        if (m_centred) {
            m_means = t_workspaces[Means].take<float>(m_group * m_paddedDim);
            m_keySums = t_workspaces[KeySums].take<float>(m_group * m_blocks * m_paddedDim);
        }
        if (m_valueScaling != ValueScales::None) {
            m_valueMaxima = t_workspaces[ValueMaxima].take<float>(m_group * m_blocks * m_paddedDim);
            m_valueScales = t_workspaces[ValueScalesOfHeads].take<float>(m_group * m_paddedDim);
        }
        if (m_p.keyBias != nullptr) takeScoreBias();
        if (m_scaleRows.keys == 0) return;
        m_queryScaleCount = ceilDiv(m_p.queries, m_scaleRows.queries);
        m_keyScaleCount = ceilDiv(m_p.keys, m_scaleRows.keys);
        m_keyGrains = m_keyScaleCount * m_scaleRows.keys / kScaleGrain + kBlockKeys / kScaleGrain;
        m_keyScales = t_workspaces[KeyScales].take<float>(m_group * m_keyGrains);
        m_bias = t_workspaces[Bias].take<std::int32_t>(m_group * m_blocks * kBlockKeys);
        m_queryScales =
            t_workspaces[QueryScales].take<float>(m_group * m_headsPerKeyHead * m_queryScaleCount);
    }

    /// Scaled scores are powers of two, plain ones still to be multiplied by the softmax scale.
    void takeScoreBias() {
        m_scoreBias = t_workspaces[ScoreBias].take<float>(m_blocks * kBlockKeys);
        std::fill_n(m_scoreBias, m_blocks * kBlockKeys, 0.0F);
        for (std::int64_t key = 0; key < m_p.keys; ++key)
            m_scoreBias[key] =
                m_scaleRows.keys > 0 ? m_p.keyBias[key] * kLog2E : m_p.keyBias[key] / m_p.scale;
    }

    /// `first` and `heads` count key heads over the whole batch.
    void runGroup(std::int64_t first, std::int64_t heads) {
        double preparation = 0;
#pragma omp parallel num_threads(m_threads) reduction(+ : preparation)
        {
            float* scratch = m_scratch + omp_get_thread_num() * m_scratchFloats;
            if (worksAlone(heads)) {
#pragma omp for schedule(dynamic, 1)
                for (std::int64_t head = 0; head < heads; ++head)
                    runSteps(Alone{head}, first, scratch, preparation);
            } else {
                runSteps(Team{heads}, first, scratch, preparation);
            }
        }
        m_preparationSeconds += preparation / m_threads;
    }

    /// A head a thread saves the barriers, where that leaves no thread idle for long.
    [[nodiscard]] bool worksAlone(std::int64_t heads) const {
        const std::int64_t turns = ceilDiv(heads, m_threads);
        return 8 * (turns * m_threads - heads) <= turns * m_threads;
    }

    template <class Crew>
    void runSteps(const Crew& crew, std::int64_t first, float* scratch, double& preparation) {
        const double start = omp_get_wtime();
        const bool maxima = m_valueScaling != ValueScales::None;
        if (m_centred) crew.spread(m_blocks, [&](std::int64_t i) { sumBlock(first, i, scratch); });
        if (maxima) crew.spread(m_blocks, [&](std::int64_t i) { findMaxima(first, i, scratch); });
        if (m_scaleRows.queries > 0) {
            crew.each(m_headsPerKeyHead * m_queryScaleCount,
                      [&](std::int64_t i) { scaleQueries(first, i, scratch); });
            crew.each(1, [&](std::int64_t head) {
                if (m_centred) meanOfHead(head);
                if (maxima) valueScalesOfHead(head);
            });
        }
        if (m_scaleRows.keys > kBlockKeys)
            crew.each(m_keyScaleCount, [&](std::int64_t i) { scaleKeys(first, i, scratch); });
        crew.each(m_blocks, [&](std::int64_t i) { packBlock(first, i, scratch); });
        preparation += omp_get_wtime() - start;
        if (m_sparse) m_sparse->prepare(crew, first, m_packedValues, scratch);
        const std::int64_t tiles = m_spans * m_spanTiles;
        // The last tiles of a causal mask are the longest: hand them out first.
        crew.deal(m_headsPerKeyHead * tiles,
                  [&](std::int64_t i) { attendTile(first, i / tiles, tiles - 1 - i % tiles, scratch); });
    }

    RowArgs keyRows(std::int64_t keyHead, std::int64_t firstKey, std::int64_t count, float* scratch) const {
        RowArgs args = headRows(m_p, Operand::Key, keyHead, firstKey, count, m_paddedDim);
        args.scratch = scratch;
        args.signs = m_signs;
        return args;
    }
    RowArgs valueBlock(std::int64_t keyHead, std::int64_t block, float* scratch) const {
        RowArgs args = headRows(m_p, Operand::Value, keyHead, block * kBlockKeys, kBlockKeys, m_paddedDim);
        args.scratch = scratch;
        return args;
    }

    void sumBlock(std::int64_t first, std::int64_t index, float* scratch) const {
        m_kernels.sumRows(
            keyRows(first + index / m_blocks, index % m_blocks * kBlockKeys, kBlockKeys, scratch),
            m_keySums + index * m_paddedDim);
    }

    void findMaxima(std::int64_t first, std::int64_t index, float* scratch) const {
        m_kernels.channelMaxima(valueBlock(first + index / m_blocks, index % m_blocks, scratch),
                                m_valueMaxima + index * m_paddedDim);
    }

    void meanOfHead(std::int64_t head) const {
        meanOfSums(m_keySums + head * m_blocks * m_paddedDim, m_blocks, m_paddedDim, m_p.keys,
                   m_means + head * m_paddedDim);
    }

    void valueScalesOfHead(std::int64_t head) const {
        float* scales = m_valueScales + head * m_paddedDim;
        const float* maxima = m_valueMaxima + head * m_blocks * m_paddedDim;
        std::copy(maxima, maxima + m_paddedDim, scales);
        for (std::int64_t block = 1; block < m_blocks; ++block)
            for (int d = 0; d < m_paddedDim; ++d)
                scales[d] = std::max(scales[d], maxima[block * m_paddedDim + d]);
        if (m_valueScaling == ValueScales::PerHead)
            std::fill(scales, scales + m_paddedDim, *std::max_element(scales, scales + m_paddedDim));
        for (int d = 0; d < m_paddedDim; ++d) scales[d] /= kLargestE4m3;
    }

    void scaleQueries(std::int64_t first, std::int64_t index, float* scratch) const {
        RowArgs args =
            headRows(m_p, Operand::Query, first * m_headsPerKeyHead + index / m_queryScaleCount,
                     index % m_queryScaleCount * m_scaleRows.queries, m_scaleRows.queries, m_paddedDim);
        args.scratch = scratch;
        args.signs = m_signs;
        m_queryScales[index] = m_kernels.scaleOfRows(args, m_p.scale * kLog2E);
    }

    [[nodiscard]] const float* meanOf(std::int64_t groupHead) const {
        return m_centred ? m_means + groupHead * m_paddedDim : nullptr;
    }

    void scaleKeys(std::int64_t first, std::int64_t index, float* scratch) const {
        const std::int64_t head = index / m_keyScaleCount;
        const std::int64_t firstKey = index % m_keyScaleCount * m_scaleRows.keys;
        RowArgs args = keyRows(first + head, firstKey, m_scaleRows.keys, scratch);
        args.mean = meanOf(head);
        std::fill_n(m_keyScales + head * m_keyGrains + firstKey / kScaleGrain, m_scaleRows.keys / kScaleGrain,
                    m_kernels.scaleOfRows(args, 1.0F));
    }

    void packBlock(std::int64_t first, std::int64_t index, float* scratch) const {
        const std::int64_t head = index / m_blocks;
        const std::int64_t block = index % m_blocks;
        if (m_scaleRows.keys == kBlockKeys) scaleKeys(first, index, scratch);
        PackArgs keys{keyRows(first + head, block * kBlockKeys, kBlockKeys, scratch)};
        keys.mean = meanOf(head);
        keys.units = m_packedKeys + index * m_keyBlockUnits;
        if (m_keyScales != nullptr) {
            keys.scales = m_keyScales + head * m_keyGrains + block * kBlockKeys / kScaleGrain;
            keys.bias = m_bias + index * kBlockKeys;
        }
        m_kernels.packKeys(keys);
        PackArgs values{valueBlock(first + head, block, scratch)};
        values.units = m_packedValues + index * m_valueBlockUnits;
        if (m_valueScales != nullptr) values.scales = m_valueScales + head * m_paddedDim;
        m_kernels.packValues(values);
    }

    void attendTile(std::int64_t first, std::int64_t groupHead, std::int64_t tile, float* scratch) const {
        const std::int64_t span = tile / m_spanTiles;
        const std::int64_t firstQuery = span * m_spanQueries + tile % m_spanTiles * m_tileQueries;
        const std::int64_t end = std::min(m_p.queries, (span + 1) * m_spanQueries);
        if (firstQuery >= end) return;
        const std::int64_t queryHead = first * m_headsPerKeyHead + groupHead;
        const std::int64_t groupKeyHead = groupHead / m_headsPerKeyHead;
        const RowArgs rows = headRows(m_p, Operand::Query, queryHead, firstQuery,
                                      std::min<std::int64_t>(m_tileQueries, end - firstQuery), m_paddedDim);
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
        args.paddedDim = m_paddedDim;
        args.keys = m_p.keys;
        args.causal = m_p.mask == Mask::Causal;
        args.causalOffset = m_p.keys - m_p.queries;
        args.scale = m_p.scale;
        args.scoreBias = m_scoreBias;
        args.packedKeys = m_packedKeys + groupKeyHead * m_blocks * m_keyBlockUnits;
        args.packedValues = m_packedValues + groupKeyHead * m_blocks * m_valueBlockUnits;
        args.scratch = scratch;
        args.signs = m_signs;
        args.keyMean = meanOf(groupKeyHead);
        if (m_scaleRows.keys > 0) {
            args.scaleQueries = m_scaleRows.queries;
            args.queryScales = m_queryScales + groupHead * m_queryScaleCount;
            args.keyScales = m_keyScales + groupKeyHead * m_keyGrains;
            args.keyBias = m_bias + groupKeyHead * m_blocks * kBlockKeys;
        }
        if (m_valueScales != nullptr) args.valueScales = m_valueScales + groupKeyHead * m_paddedDim;
        LinearOperands linear;
        if (m_sparse) m_sparse->describe(groupHead, span, args, linear);
        m_kernels.attend(args);
    }

    const AttentionProblem& m_p;
    double m_preparationSeconds = 0;
    TileKernels m_kernels;
    bool m_centred;
    ValueScales m_valueScaling;
    ScaleBlocks m_scaleRows;  ///< zeros for methods without scales
    int m_paddedDim;
    std::int64_t m_blocks;  ///< of keys, per head
    std::int64_t m_headsPerKeyHead;
    int m_threads;
    std::int64_t m_spanQueries = 0;  ///< queries that a tile must not reach beyond: all, or a block of sla's
    std::int64_t m_spans = 1;
    std::int64_t m_spanTiles = 1;
    int m_tileQueries = 0;
    std::int64_t m_keyBlockUnits = 0;
    std::int64_t m_valueBlockUnits = 0;
    std::int64_t m_group = 1;            ///< key heads per round
    std::int64_t m_queryScaleCount = 0;  ///< per head
    std::int64_t m_keyScaleCount = 0;    ///< per head
    std::int64_t m_keyGrains = 0;        ///< entries of m_keyScales per head
    std::uint32_t* m_packedKeys = nullptr;
    std::uint32_t* m_packedValues = nullptr;
    float* m_scratch = nullptr;
    std::int64_t m_scratchFloats = 0;  ///< of each thread
    float* m_means = nullptr;
    float* m_keySums = nullptr;
    float* m_valueMaxima = nullptr;
    float* m_valueScales = nullptr;
    float* m_keyScales = nullptr;
    std::int32_t* m_bias = nullptr;
    float* m_queryScales = nullptr;
    float* m_scoreBias = nullptr;
    const float* m_signs = nullptr;
    std::optional<SparseLinearPlan> m_sparse;
};

}  // namespace

void fav2(const AttentionProblem& problem) {
    Schedule(problem, Method::Flash).run();
}

void fav3(const AttentionProblem& problem) {
    Schedule(problem, Method::Flash3).run();
}

void fav3Fp8(const AttentionProblem& problem) {
    Schedule(problem, Method::Flash3Fp8).run();
}

void sageV1(const AttentionProblem& problem) {
    Schedule(problem, Method::Sage1).run();
}

void fav3Sage(const AttentionProblem& problem) {
    Schedule(problem, Method::Flash3Sage).run();
}

void sparseLinear(const AttentionProblem& problem) {
    Schedule(problem, Method::SparseLinear).run();
}

}  // namespace reelgrid::kernels::cpu
