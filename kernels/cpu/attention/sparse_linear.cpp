#include "kernels/cpu/attention/sparse_linear.h"

#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/attention/method_options.h"
#include "kernels/cpu/attention/block_map.h"
#include "kernels/cpu/attention/head_rows.h"
#include "kernels/cpu/attention/workspace.h"

namespace reelgrid::kernels::cpu {
namespace {

/// Keys whose part of φ(k)ᵀ v one task sums: the same runs, so the same bits, for any number of threads.
constexpr std::int64_t kRunKeys = 2048;

enum Purpose {
    KeySums,
    KeyMeans,
    Scores,
    Order,
    Chosen,
    Counts,
    HeadMeans,
    KeyLikeness,
    Products,
    FeatureSums,
    LinearValues,
    Packed,
    Projection,
    PurposeCount
};
thread_local std::array<Workspace, PurposeCount> t_workspaces;

}  // namespace

SparseLinearPlan::SparseLinearPlan(const AttentionProblem& problem, const MethodTraits& traits,
                                   const TileKernels& kernels, int paddedDim, std::int64_t group, int threads,
                                   float* scratch)
    : m_p(problem),
      m_kernels(kernels),
      m_paddedDim(paddedDim),
      m_headsPerKeyHead(problem.queryHeads / problem.keyHeads),
      m_blockQueries(traits.sparse.queries),
      m_keyBlocks(ceilDiv(problem.keys, kBlockKeys)),
      m_blocksTogether(traits.sparse.keys / kBlockKeys),
      m_choices(ceilDiv(m_keyBlocks, m_blocksTogether)),
      m_queryBlocks(ceilDiv(problem.queries, m_blockQueries)),
      m_chosenCount((traits.map == BlockMap::Predicted
                         ? m_choices
                         : chosenBlocks(problem.sparseLinear.topkRatio, m_choices)) *
                    m_blocksTogether),
      m_runs(ceilDiv(problem.keys, kRunKeys)),
      m_matrixUnits(ceilDiv(paddedDim, kBlockKeys) * kBlockKeys * paddedDim / kernels.matrixDimsPerUnit) {
    m_keySums = t_workspaces[KeySums].take<float>(group * m_keyBlocks * m_paddedDim);
    m_keyMeans = t_workspaces[KeyMeans].take<float>(group * m_choices * m_paddedDim);
    m_scores = t_workspaces[Scores].take<float>(threads * m_choices);
    m_order = t_workspaces[Order].take<std::int32_t>(threads * m_choices);
    m_chosen =
        t_workspaces[Chosen].take<std::int32_t>(group * m_headsPerKeyHead * m_queryBlocks * m_chosenCount);
    m_counts = t_workspaces[Counts].take<std::int32_t>(group * m_headsPerKeyHead * m_queryBlocks);
    m_headMeans = t_workspaces[HeadMeans].take<float>(group * m_paddedDim);
    if (traits.map == BlockMap::Predicted) {
        m_predictions = predictionsOf(m_p);
        m_keyLikeness = t_workspaces[KeyLikeness].take<double>(group * m_choices);
    }
    if (m_p.sparseLinear.projection == nullptr) return;
    const std::int64_t square = std::int64_t{m_paddedDim} * m_paddedDim;
    m_products = t_workspaces[Products].take<float>(group * m_runs * square);
    m_featureSums = t_workspaces[FeatureSums].take<float>(group * m_runs * m_paddedDim);
    if (m_kernels.packLinearValues != nullptr)
        m_values = t_workspaces[LinearValues].take<std::uint32_t>(threads * kRunKeys * m_paddedDim /
                                                                  m_kernels.linearKeysPerUnit);
    m_packed = t_workspaces[Packed].take<std::uint32_t>(group * m_matrixUnits);
    m_projection = t_workspaces[Projection].take<std::uint32_t>(m_matrixUnits);
    packMatrix(m_p.sparseLinear.projection, m_p.headDim, static_cast<int>(m_p.headDim), m_projection,
               scratch);
}

void SparseLinearPlan::sumBlock(std::int64_t first, std::int64_t index, float* scratch) const {
    RowArgs args = headRows(m_p, Operand::Key, first + index / m_keyBlocks, index % m_keyBlocks * kBlockKeys,
                            kBlockKeys, m_paddedDim);
    args.scratch = scratch;
    m_kernels.sumRows(args, m_keySums + index * m_paddedDim);
}

void SparseLinearPlan::centreHead(std::int64_t head) const {
    const float* sums = m_keySums + head * m_keyBlocks * m_paddedDim;
    float* means = m_keyMeans + head * m_choices * m_paddedDim;
    float* mean = m_headMeans + head * m_paddedDim;
    meanOfSums(sums, m_keyBlocks, m_paddedDim, m_p.keys, mean);
    // A NaN or an infinity stays in its own block, which is then chosen and seen in the output.
    for (int d = 0; d < m_paddedDim; ++d)
        if (!std::isfinite(mean[d])) mean[d] = 0;
    const std::int64_t choiceKeys = m_blocksTogether * kBlockKeys;
    for (std::int64_t choice = 0; choice < m_choices; ++choice) {
        const std::int64_t first = choice * m_blocksTogether,
                           end = std::min(first + m_blocksTogether, m_keyBlocks);
        const auto rows = static_cast<float>(std::min(choiceKeys, m_p.keys - choice * choiceKeys));
        for (int d = 0; d < m_paddedDim; ++d) {
            float sum = sums[first * m_paddedDim + d];
            for (std::int64_t block = first + 1; block < end; ++block) sum += sums[block * m_paddedDim + d];
            means[d * m_choices + choice] = sum / rows - mean[d];
        }
    }
}

/// The mean cosine of all pairs of the rows, each with itself too.
double SparseLinearPlan::likenessOf(const RowArgs& rows) const {
    std::array<float, kMaxHeadDim> sums{};
    m_kernels.sumDirections(rows, sums.data());
    double squares = 0;
    for (int d = 0; d < m_paddedDim; ++d)
        squares += double(sums[static_cast<std::size_t>(d)]) * double(sums[static_cast<std::size_t>(d)]);
    return squares / (double(rows.count) * rows.count);
}

void SparseLinearPlan::compareKeys(std::int64_t first, std::int64_t index, float* scratch) const {
    const std::int64_t head = index / m_choices;
    const std::int64_t choiceKeys = m_blocksTogether * kBlockKeys;
    RowArgs args =
        headRows(m_p, Operand::Key, first + head, index % m_choices * choiceKeys, choiceKeys, m_paddedDim);
    args.scratch = scratch;
    args.mean = m_headMeans + head * m_paddedDim;
    m_keyLikeness[index] = likenessOf(args);
}

std::int64_t SparseLinearPlan::chooseTop(const float* meanQuery, std::int64_t keyHead,
                                         std::int32_t* chosen) const {
    const std::int64_t thread = omp_get_thread_num(), count = m_chosenCount / m_blocksTogether;
    chooseBlocks(meanQuery, m_keyMeans + keyHead * m_choices * m_paddedDim, m_choices, m_paddedDim, count,
                 m_scores + thread * m_choices, m_order + thread * m_choices, chosen);
    return count;
}

std::int64_t SparseLinearPlan::predict(const RowArgs& queries, const float* meanQuery, std::int64_t keyHead,
                                       std::int64_t queryHead, std::int32_t* chosen) const {
    const std::int64_t thread = omp_get_thread_num();
    const BlockPrediction& by = predictionFor(queryHead);
    const PredictedKeys keys{m_keyMeans + keyHead * m_choices * m_paddedDim,
                             m_keyLikeness + keyHead * m_choices, by.similarity, m_choices};
    return predictBlocks(meanQuery, likenessOf(queries) > by.similarity, keys, m_paddedDim, m_p.scale, by.cdf,
                         m_scores + thread * m_choices, m_order + thread * m_choices, chosen);
}

void SparseLinearPlan::chooseFor(std::int64_t first, std::int64_t index, float* scratch) const {
    const std::int64_t groupHead = index / m_queryBlocks;
    RowArgs args = headRows(m_p, Operand::Query, first * m_headsPerKeyHead + groupHead,
                            index % m_queryBlocks * m_blockQueries, m_blockQueries, m_paddedDim);
    args.scratch = scratch;
    std::array<float, kMaxHeadDim> mean{};
    m_kernels.sumRows(args, mean.data());
    for (float& x : mean) x /= static_cast<float>(args.count);
    std::int32_t* chosen = m_chosen + index * m_chosenCount;
    const std::int64_t keyHead = groupHead / m_headsPerKeyHead;
    const std::int64_t choices =
        m_keyLikeness != nullptr
            ? predict(args, mean.data(), keyHead, first * m_headsPerKeyHead + groupHead, chosen)
            : chooseTop(mean.data(), keyHead, chosen);
    m_kept += choices;
    m_seen += m_choices;
    // Each choice becomes its blocks, from the last on, so that none is written over before it is read.
    const std::int64_t count = choices * m_blocksTogether;
    for (std::int64_t i = count - 1; i >= 0; --i)
        chosen[i] =
            static_cast<std::int32_t>(chosen[i / m_blocksTogether] * m_blocksTogether + i % m_blocksTogether);
    m_counts[index] = static_cast<std::int32_t>(count);
}

double SparseLinearPlan::keptShare() const {
    return m_seen == 0 ? 1 : static_cast<double>(m_kept) / static_cast<double>(m_seen);
}

void SparseLinearPlan::sumRun(std::int64_t first, std::int64_t index, const std::uint32_t* packedValues,
                              float* scratch) const {
    const std::int64_t head = index / m_runs;
    const std::int64_t firstKey = index % m_runs * kRunKeys;
    KeyValueArgs args{headRows(m_p, Operand::Key, first + head, firstKey, kRunKeys, m_paddedDim)};
    args.scratch = scratch;
    args.packedValues = m_values != nullptr ? valuesOfRun(first + head, firstKey, scratch)
                                            : packedValues + (head * m_keyBlocks * kBlockKeys + firstKey) /
                                                                 m_kernels.keysPerUnit * m_paddedDim;
    args.products = m_products + index * m_paddedDim * m_paddedDim;
    args.keySum = m_featureSums + index * m_paddedDim;
    m_kernels.sumKeyValues(args);
}

/// V as it came: what the tiles multiply is quantised.
const std::uint32_t* SparseLinearPlan::valuesOfRun(std::int64_t keyHead, std::int64_t firstKey,
                                                   float* scratch) const {
    const std::int64_t keyUnits = m_paddedDim / m_kernels.linearKeysPerUnit;
    std::uint32_t* values = m_values + omp_get_thread_num() * kRunKeys * keyUnits;
    const std::int64_t end = std::min(firstKey + kRunKeys, m_p.keys);
    for (std::int64_t key = firstKey; key < end; key += kBlockKeys) {
        PackArgs args{headRows(m_p, Operand::Value, keyHead, key, kBlockKeys, m_paddedDim)};
        args.scratch = scratch;
        args.units = values + (key - firstKey) * keyUnits;
        m_kernels.packLinearValues(args);
    }
    return values;
}

void SparseLinearPlan::packProducts(std::int64_t head, float* scratch) const {
    const std::int64_t square = std::int64_t{m_paddedDim} * m_paddedDim;
    float* products = m_products + head * m_runs * square;
    float* sums = m_featureSums + head * m_runs * m_paddedDim;
    for (std::int64_t run = 1; run < m_runs; ++run) {
        for (std::int64_t i = 0; i < square; ++i) products[i] += products[run * square + i];
        for (int d = 0; d < m_paddedDim; ++d) sums[d] += sums[run * m_paddedDim + d];
    }
    packMatrix(products, m_paddedDim, m_paddedDim, m_packed + head * m_matrixUnits, scratch);
}

void SparseLinearPlan::packMatrix(const float* matrix, std::int64_t pitch, int size, std::uint32_t* units,
                                  float* scratch) const {
    for (int row = 0; row < m_paddedDim; row += kBlockKeys) {
        PackArgs args;
        args.type = DataType::Float32;
        args.rows = matrix + row * pitch;
        args.rowStride = pitch;
        args.count = std::clamp(size - row, 0, kBlockKeys);
        args.dim = size;
        args.paddedDim = m_paddedDim;
        args.scratch = scratch;
        args.units = units + std::int64_t{row} * m_paddedDim / m_kernels.matrixDimsPerUnit;
        m_kernels.packMatrix(args);
    }
}

std::span<const std::int32_t> SparseLinearPlan::chosenOf(std::int64_t groupHead,
                                                         std::int64_t queryBlock) const {
    const std::int64_t index = groupHead * m_queryBlocks + queryBlock;
    const std::int32_t* chosen = m_chosen + index * m_chosenCount;
    auto count = static_cast<std::size_t>(m_counts[index]);
    while (chosen[count - 1] >= m_keyBlocks) --count;
    return {chosen, count};
}

void SparseLinearPlan::describe(std::int64_t first, std::int64_t groupHead, std::int64_t queryBlock,
                                TileArgs& args, LinearOperands& linear) const {
    const std::span<const std::int32_t> chosen = chosenOf(groupHead, queryBlock);
    args.blocks = chosen.data();
    args.blockCount = static_cast<int>(chosen.size());
    if (m_keyLikeness != nullptr)
        args.faint = static_cast<float>(predictionFor(first * m_headsPerKeyHead + groupHead).faint) * kLog2E;
    if (m_products == nullptr) return;
    const std::int64_t head = groupHead / m_headsPerKeyHead;
    linear.values = m_packed + head * m_matrixUnits;
    linear.keySum = m_featureSums + head * m_runs * m_paddedDim;
    linear.projection = m_projection;
    linear.bias = m_p.sparseLinear.bias;
    args.linear = &linear;
}

}  // namespace reelgrid::kernels::cpu
