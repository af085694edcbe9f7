#include "kernels/cpu/attention/group_packing.h"

#include <algorithm>
#include <cmath>

#include "kernels/cpu/attention/head_rows.h"

namespace reelgrid::kernels::cpu {

RowArgs GroupPacking::keyRows(std::int64_t keyHead, std::int64_t firstKey, std::int64_t count,
                              float* scratch) const {
    RowArgs args = headRows(m_plan.problem, Operand::Key, keyHead, firstKey, count, m_plan.paddedDim);
    args.scratch = scratch;
    args.signs = m_plan.signs;
    return args;
}

RowArgs GroupPacking::valueBlock(std::int64_t keyHead, std::int64_t block, float* scratch) const {
    RowArgs args =
        headRows(m_plan.problem, Operand::Value, keyHead, block * kBlockKeys, kBlockKeys, m_plan.paddedDim);
    args.scratch = scratch;
    return args;
}

const float* GroupPacking::meanOf(std::int64_t groupHead) const {
    return m_plan.traits.centresKeys ? m_memory.keyMeans + groupHead * m_plan.paddedDim : nullptr;
}

void GroupPacking::sumBlock(std::int64_t first, std::int64_t index, float* scratch) const {
    m_plan.kernels.sumRows(
        keyRows(first + index / m_plan.blocks, index % m_plan.blocks * kBlockKeys, kBlockKeys, scratch),
        m_memory.keySums + index * m_plan.paddedDim);
}

void GroupPacking::findMaxima(std::int64_t first, std::int64_t index, float* scratch) const {
    m_plan.kernels.channelMaxima(valueBlock(first + index / m_plan.blocks, index % m_plan.blocks, scratch),
                                 m_memory.valueMaxima + index * m_plan.paddedDim);
}

void GroupPacking::copyGiven(const float* given, std::int64_t keyHead, float* to) const {
    const std::int64_t dim = m_plan.problem.headDim;
    std::fill(std::copy_n(given + keyHead * dim, dim, to), to + m_plan.paddedDim, 0.0F);
}

void GroupPacking::meanOfHead(std::int64_t first, std::int64_t head) const {
    if (const float* given = m_plan.problem.sequence.keyMean; given != nullptr)
        return copyGiven(given, first + head, m_memory.keyMeans + head * m_plan.paddedDim);
    meanOfSums(m_memory.keySums + head * m_plan.blocks * m_plan.paddedDim, m_plan.blocks, m_plan.paddedDim,
               m_plan.problem.keys, m_memory.keyMeans + head * m_plan.paddedDim);
}

void GroupPacking::valueScalesOfHead(std::int64_t first, std::int64_t head) const {
    const int dims = m_plan.paddedDim;
    float* scales = m_memory.valueScales + head * dims;
    if (const float* given = m_plan.problem.sequence.valueMaxima; given != nullptr) {
        copyGiven(given, first + head, scales);
    } else {
        const float* maxima = m_memory.valueMaxima + head * m_plan.blocks * dims;
        std::copy(maxima, maxima + dims, scales);
        for (std::int64_t block = 1; block < m_plan.blocks; ++block)
            for (int d = 0; d < dims; ++d) scales[d] = std::max(scales[d], maxima[block * dims + d]);
    }
    if (m_plan.traits.valueScales == ValueScales::PerHead)
        std::fill(scales, scales + dims, *std::max_element(scales, scales + dims));
    for (int d = 0; d < dims; ++d) scales[d] /= m_plan.traits.largestValue;
}

void GroupPacking::scaleQueries(std::int64_t first, std::int64_t index, float* scratch) const {
    const std::int64_t rows = m_plan.traits.scaleBlocks.queries;
    RowArgs args =
        headRows(m_plan.problem, Operand::Query, first * m_plan.headsPerKeyHead + index / m_plan.queryScales,
                 index % m_plan.queryScales * rows, rows, m_plan.paddedDim);
    args.scratch = scratch;
    args.signs = m_plan.signs;
    const float factor = m_plan.problem.scale * kLog2E;
    if (m_plan.traits.hasClasses())
        scaleClasses(args, static_cast<int>(rows), m_plan.traits.scaleClasses.queries, factor,
                     m_memory.queryScales + index * rows);
    else
        m_memory.queryScales[index] = m_plan.kernels.scaleOfRows(args, factor);
}

/// One entry for each of a block's rows, those too that the sequence lacks: what the rows of its class share.
void GroupPacking::scaleClasses(const RowArgs& block, int rows, int classes, float factor,
                                float* entries) const {
    const int rowsTogether = kClassRows / classes;
    for (int first = 0; first < kClassRows; first += rowsTogether) {
        float scale = 0;
        for (int row = first; row < first + rowsTogether && row < block.count; ++row) {
            RowArgs args = block;
            args.rows = static_cast<const char*>(block.rows) + row * block.rowStride * sizeOf(block.type);
            args.rowStride = block.rowStride * kClassRows;
            args.count = (block.count - row + kClassRows - 1) / kClassRows;
            const float own = m_plan.kernels.scaleOfRows(args, factor);
            if (!(own <= scale)) scale = own;  // a NaN, too, which then stays
            if (std::isnan(scale)) break;
        }
        for (int row = first; row < rows; row += kClassRows) std::fill_n(entries + row, rowsTogether, scale);
    }
}

void GroupPacking::scaleKeys(std::int64_t first, std::int64_t index, float* scratch) const {
    const std::int64_t rows = m_plan.traits.scaleBlocks.keys;
    const std::int64_t head = index / m_plan.keyScales;
    const std::int64_t firstKey = index % m_plan.keyScales * rows;
    RowArgs args = keyRows(first + head, firstKey, rows, scratch);
    args.mean = meanOf(head);
    if (m_plan.traits.hasClasses())
        return scaleClasses(args, static_cast<int>(rows), m_plan.traits.scaleClasses.keys, 1.0F,
                            m_memory.keyScales + head * m_plan.keyGrains + firstKey);
    std::fill_n(m_memory.keyScales + head * m_plan.keyGrains + firstKey / kScaleGrain, rows / kScaleGrain,
                m_plan.kernels.scaleOfRows(args, 1.0F));
}

void GroupPacking::packBlock(std::int64_t first, std::int64_t index, float* scratch) const {
    const std::int64_t head = index / m_plan.blocks;
    const std::int64_t block = index % m_plan.blocks;
    if (m_plan.traits.scaleBlocks.keys == kBlockKeys) scaleKeys(first, index, scratch);
    PackArgs keys{keyRows(first + head, block * kBlockKeys, kBlockKeys, scratch)};
    keys.mean = meanOf(head);
    keys.units = m_memory.keys + index * m_plan.keyBlockUnits;
    if (m_memory.keyScales != nullptr) {
        keys.scales = m_memory.keyScales + head * m_plan.keyGrains + block * kBlockKeys / m_plan.keyGrain;
        keys.dotStarts = m_memory.dotStarts + index * kBlockKeys;
    }
    m_plan.kernels.packKeys(keys);
    PackArgs values{valueBlock(first + head, block, scratch)};
    values.units = m_memory.values + index * m_plan.valueBlockUnits;
    if (m_memory.valueScales != nullptr) values.scales = m_memory.valueScales + head * m_plan.paddedDim;
    m_plan.kernels.packValues(values);
}

void GroupPacking::describe(std::int64_t groupHead, TileArgs& args) const {
    const std::int64_t keyHead = groupHead / m_plan.headsPerKeyHead;
    args.packedKeys = m_memory.keys + keyHead * m_plan.blocks * m_plan.keyBlockUnits;
    args.packedValues = m_memory.values + keyHead * m_plan.blocks * m_plan.valueBlockUnits;
    args.scoreBias = m_memory.scoreBias;
    args.signs = m_plan.signs;
    args.keyMean = meanOf(keyHead);
    if (m_memory.keyScales != nullptr) {
        args.scaleQueries = m_plan.traits.hasClasses() ? 1 : m_plan.traits.scaleBlocks.queries;
        args.queryScales = m_memory.queryScales + groupHead * m_plan.queryEntries;
        args.keyScales = m_memory.keyScales + keyHead * m_plan.keyGrains;
        args.dotStarts = m_memory.dotStarts + keyHead * m_plan.blocks * kBlockKeys;
    }
    if (m_memory.valueScales != nullptr) args.valueScales = m_memory.valueScales + keyHead * m_plan.paddedDim;
}

}  // namespace reelgrid::kernels::cpu
