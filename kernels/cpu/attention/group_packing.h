#pragma once

#include <cstdint>

#include "kernels/cpu/attention/call_plan.h"
#include "kernels/cpu/attention/group_memory.h"

namespace reelgrid::kernels::cpu {

/// What goes before the products: means, scales and packed keys and values of one group of heads.
class GroupPacking {
  public:
    GroupPacking(const CallPlan& plan, const GroupMemory& memory) : m_plan(plan), m_memory(memory) {}

    /// Called by a Team's every thread, or by one that is Alone (crew.h). `first` counts key heads over the
    /// whole batch.
    /// afterBlock(i) runs when block i of the group's keys and values, in the order of its heads, was packed:
    /// it is still in the cache.
    template <class Crew, class AfterBlock>
    void run(const Crew& crew, std::int64_t first, float* scratch, const AfterBlock& afterBlock) const {
        const MethodTraits& traits = m_plan.traits;
        const bool maxima = traits.valueScales != ValueScales::None;
        const SequenceStatistics& given = m_plan.problem.sequence;
        if (traits.centresKeys && given.keyMean == nullptr)
            crew.spread(m_plan.blocks, [&](std::int64_t i) { sumBlock(first, i, scratch); });
        if (maxima && given.valueMaxima == nullptr)
            crew.spread(m_plan.blocks, [&](std::int64_t i) { findMaxima(first, i, scratch); });
        if (m_plan.queryScales > 0) {
            crew.each(m_plan.headsPerKeyHead * m_plan.queryScales,
                      [&](std::int64_t i) { scaleQueries(first, i, scratch); });
            crew.each(1, [&](std::int64_t head) {
                if (traits.centresKeys) meanOfHead(first, head);
                if (maxima) valueScalesOfHead(first, head);
            });
        }
        if (traits.scaleBlocks.keys > kBlockKeys)
            crew.each(m_plan.keyScales, [&](std::int64_t i) { scaleKeys(first, i, scratch); });
        crew.each(m_plan.blocks, [&](std::int64_t i) {
            packBlock(first, i, scratch);
            afterBlock(i);
        });
    }

    /// Points a tile of the group's query head at what was packed for it.
    void describe(std::int64_t groupHead, TileArgs& args) const;

  private:
    [[nodiscard]] RowArgs keyRows(std::int64_t keyHead, std::int64_t firstKey, std::int64_t count,
                                  float* scratch) const;
    [[nodiscard]] RowArgs valueBlock(std::int64_t keyHead, std::int64_t block, float* scratch) const;
    [[nodiscard]] const float* meanOf(std::int64_t groupHead) const;
    void sumBlock(std::int64_t first, std::int64_t index, float* scratch) const;
    void findMaxima(std::int64_t first, std::int64_t index, float* scratch) const;
    /// A head's D values of the whole sequence, and zeros behind them.
    void copyGiven(const float* given, std::int64_t keyHead, float* to) const;
    void meanOfHead(std::int64_t first, std::int64_t head) const;
    void valueScalesOfHead(std::int64_t first, std::int64_t head) const;
    void scaleQueries(std::int64_t first, std::int64_t index, float* scratch) const;
    void scaleKeys(std::int64_t first, std::int64_t index, float* scratch) const;
    void scaleClasses(const RowArgs& block, int rows, int classes, float factor, float* entries) const;
    void packBlock(std::int64_t first, std::int64_t index, float* scratch) const;

    const CallPlan& m_plan;
    const GroupMemory& m_memory;
};

}  // namespace reelgrid::kernels::cpu
