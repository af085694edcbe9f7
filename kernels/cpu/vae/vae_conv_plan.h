#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/vae/vae_conv.h"

namespace reelgrid::kernels {

constexpr int kTile = 4;                             ///< output pixels along a tile's edge
constexpr int kTileInput = kTile + 2;                ///< input pixels along its edge
constexpr int kPositions = kTileInput * kTileInput;  ///< products of one tile and channel pair
constexpr int kTileBlock = 8;                        ///< tiles of a task are filled up to a multiple of it

/// Output channels computed together: three vectors of the machine's widest, or what divides O. The packed
/// weights are ordered by it, so it depends on nothing but O and the machine.
struct ChannelBlock {
    int lanes = 8;    ///< of a vector
    int vectors = 1;  ///< of a block
    [[nodiscard]] int width() const { return lanes * vectors; }
};

inline ChannelBlock channelBlockOf(int outChannels, int widestLanes) {
    for (const int lanes : {16, 8}) {
        if (lanes > widestLanes) continue;
        for (const int vectors : {3, 2}) {
            if (outChannels % (lanes * vectors) == 0) return {lanes, vectors};
        }
        if (outChannels % lanes == 0 && outChannels % 24 != 0) return {lanes, 1};
    }
    return {8, 1};
}

/// How the picture is cut into tasks, and where a task's buffers are.
struct VaeConvPlan {
    int tileRows, tileColumns;  ///< of the whole picture
    int taskRows, taskColumns;  ///< tiles of one task (fewer at the far edges)
    int tasksDown, tasksAcross;
    int paddedTiles;             ///< of one task, a multiple of kTileBlock
    std::size_t patchFloats;     ///< one activated input patch
    std::size_t positionStride;  ///< floats between the positions of a transformed frame
    std::size_t sumStride;       ///< floats between the positions of the sums

    VaeConvPlan(const VaeConv& conv, int blockWidth);

    [[nodiscard]] std::size_t transformedFloats() const { return std::size_t(kPositions) * positionStride; }
    [[nodiscard]] std::size_t sumFloats() const { return std::size_t(kPositions) * sumStride; }
    [[nodiscard]] std::size_t scratchFloats(const VaeConv& conv) const {
        return patchFloats + std::size_t(conv.timeTaps) * transformedFloats() + sumFloats();
    }
};

}  // namespace reelgrid::kernels
