#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/attention/method.h"
#include "kernels/attention/problem.h"
#include "kernels/cpu/attention/tile_kernels.h"

namespace reelgrid::kernels::cpu {

/// What sla, sagesla and sparge need before their tiles run: which blocks each block of queries attends to,
/// and the linear branch's sums over all keys. Memory: a row of blocks per block of queries, D × D per run of
/// keys.
class SparseLinearPlan {
  public:
    /// `group`: most key heads of a prepare(). Memory is the calling thread's and serves its next plan too.
    SparseLinearPlan(const AttentionProblem& problem, const MethodTraits& traits, const TileKernels& kernels,
                     int paddedDim, std::int64_t group, int threads, float* scratch);

    /// Of one block of a group's keys, in the order of its heads; all of them before prepare().
    void sumBlock(std::int64_t first, std::int64_t index, float* scratch) const;

    /// Called by a Team's every thread, or by one that is Alone (crew.h). `first` counts key heads over the
    /// whole batch.
    template <class Crew>
    void prepare(const Crew& crew, std::int64_t first, const std::uint32_t* packedValues, float* scratch) {
        crew.each(1, [&](std::int64_t head) { centreHead(head); });
        if (m_keyLikeness != nullptr)
            crew.each(m_choices, [&](std::int64_t i) { compareKeys(first, i, scratch); });
        if (m_products != nullptr)
            crew.spread(m_runs, [&](std::int64_t i) { sumRun(first, i, packedValues, scratch); });
        crew.each(m_headsPerKeyHead * m_queryBlocks, [&](std::int64_t i) { chooseFor(first, i, scratch); });
        if (m_products != nullptr) crew.each(1, [&](std::int64_t head) { packProducts(head, scratch); });
    }

    /// Fills in what a tile of `queryBlock` needs; `linear` must outlive `args`.
    void describe(std::int64_t first, std::int64_t groupHead, std::int64_t queryBlock, TileArgs& args,
                  LinearOperands& linear) const;

    /// The blocks of kBlockKeys keys that `queryBlock` attends to, ascending, after prepare().
    [[nodiscard]] std::span<const std::int32_t> chosenOf(std::int64_t groupHead,
                                                         std::int64_t queryBlock) const;

    /// Of all pairs of blocks that were looked at until now, what was kept.
    [[nodiscard]] double keptShare() const;

  private:
    void centreHead(std::int64_t head) const;
    void compareKeys(std::int64_t first, std::int64_t index, float* scratch) const;
    void chooseFor(std::int64_t first, std::int64_t index, float* scratch) const;
    [[nodiscard]] std::int64_t chooseTop(const float* meanQuery, std::int64_t keyHead,
                                         std::int32_t* chosen) const;
    [[nodiscard]] std::int64_t predict(const RowArgs& queries, const float* meanQuery, std::int64_t keyHead,
                                       std::int64_t queryHead, std::int32_t* chosen) const;
    [[nodiscard]] double likenessOf(const RowArgs& rows) const;
    /// Of a query head, counted over the whole batch.
    [[nodiscard]] const BlockPrediction& predictionFor(std::int64_t queryHead) const {
        return m_predictions[static_cast<std::size_t>(queryHead) % m_predictions.size()];
    }
    void sumRun(std::int64_t first, std::int64_t index, const std::uint32_t* packedValues,
                float* scratch) const;
    [[nodiscard]] const std::uint32_t* valuesOfRun(std::int64_t keyHead, std::int64_t firstKey,
                                                   float* scratch) const;
    void packProducts(std::int64_t head, float* scratch) const;
    void packMatrix(const float* matrix, std::int64_t pitch, int size, std::uint32_t* units,
                    float* scratch) const;

    const AttentionProblem& m_p;
    TileKernels m_kernels;
    int m_paddedDim;
    std::int64_t m_headsPerKeyHead;
    std::int64_t m_blockQueries;    ///< that share their choice
    std::int64_t m_keyBlocks;       ///< of kBlockKeys, as keys are packed
    std::int64_t m_blocksTogether;  ///< of those, that are chosen or left out together
    std::int64_t m_choices;         ///< such groups of blocks
    std::int64_t m_queryBlocks;
    std::int64_t
        m_chosenCount;    ///< most key blocks of a block of queries, the last group's as if it were whole
    std::int64_t m_runs;  ///< of keys, per head
    std::int64_t m_matrixUnits;                  ///< of a packed D × D matrix
    float* m_keySums = nullptr;                  ///< [heads][keyBlocks][paddedDim]
    float* m_keyMeans = nullptr;                 ///< [heads][paddedDim][choices]
    float* m_headMeans = nullptr;                ///< [heads][paddedDim]
    std::vector<BlockPrediction> m_predictions;  ///< where blocks are predicted: one, or one a query head
    double* m_keyLikeness = nullptr;             ///< [heads][choices], where blocks are predicted
    float* m_scores = nullptr;                   ///< [threads][choices]
    std::int32_t* m_order = nullptr;             ///< [threads][choices]
    std::int32_t* m_chosen = nullptr;            ///< [query heads][queryBlocks][chosenCount]
    std::int32_t* m_counts = nullptr;            ///< [query heads][queryBlocks]
    mutable std::atomic<std::int64_t> m_kept = 0, m_seen = 0;  ///< pairs of blocks
    float* m_products = nullptr;                               ///< [heads][runs][paddedDim][paddedDim]
    float* m_featureSums = nullptr;                            ///< [heads][runs][paddedDim]
    std::uint32_t* m_values = nullptr;      ///< [threads]: V of a run, where the tiles' is quantised
    std::uint32_t* m_packed = nullptr;      ///< [heads][matrixUnits]
    std::uint32_t* m_projection = nullptr;  ///< [matrixUnits]
};

}  // namespace reelgrid::kernels::cpu
