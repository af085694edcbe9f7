#pragma once

// How a tile of queries is handed to Tile, and the table of what an instruction set's source offers. Included
// by the sources of the instruction sets only (see attention_tile.h).

#include "kernels/cpu/attention/attention_tile.h"
#include "kernels/cpu/attention/matrix_tiles.h"

namespace reelgrid::kernels::cpu {

/// The queries [first, first + count) of `args`.
template <class Isa>
TileArgs partOf(const TileArgs& args, int first, int count) {
    TileArgs part = args;
    part.q = static_cast<const char*>(args.q) + first * args.qStride * sizeOf(args.type);
    part.out = static_cast<char*>(args.out) + first * args.outStride * sizeOf(args.type);
    if (args.lse != nullptr) part.lse = args.lse + first;
    part.firstQuery = args.firstQuery + first;
    part.count = args.count - first < count ? args.count - first : count;
    return part;
}

/// Up to `Tiles` tiles side by side over the same keys.
template <class Isa, class Scores, class Values, class Linear, int Cols, int Tiles>
void attendTiles(const TileArgs& args) {
    using OneTile = Tile<Isa, Scores, Values, Linear, Cols>;
    if constexpr (Isa::kTiled) loadFullTiles();
    OneTile tiles[Tiles];
    int count = 0;
    std::int64_t end = 0;
    for (int first = 0; first < args.count; first += OneTile::kPitch, ++count) {
        tiles[count].start(partOf<Isa>(args, first, OneTile::kPitch), args.scratch,
                           args.scratch + kSharedScratch + count * kTileScratch);
        if (tiles[count].end > end) end = tiles[count].end;
    }
    const std::int64_t turns = (end + OneTile::kTurnKeys - 1) / OneTile::kTurnKeys;
    for (std::int64_t turn = 0; turn < turns; ++turn)
        for (int t = 0; t < count; ++t)
            tiles[t].turn((Scores::kLastFirst ? turns - 1 - turn : turn) * OneTile::kTurnKeys);
    for (int t = 0; t < count; ++t) tiles[t].finish();
    if constexpr (Isa::kTiled) releaseTiles();
}

/// As few registers of queries as the tile needs: short sequences pay for the queries that they have.
template <class Isa, class Scores, class Values, class Linear>
void attendTile(const TileArgs& args) {
    static_assert(Isa::kCols == 3);
    if (args.count <= Isa::kLanes)
        attendTiles<Isa, Scores, Values, Linear, 1, 1>(args);
    else if (args.count <= 2 * Isa::kLanes)
        attendTiles<Isa, Scores, Values, Linear, 2, 1>(args);
    else
        attendTiles<Isa, Scores, Values, Linear, 3, Isa::kTilesTogether>(args);
}

template <class Isa, class Scores, class Values, class Linear = Values>
TileKernels tileKernels() {
    TileKernels kernels;
    kernels.instructionSet = Isa::kSet;
    kernels.oneTileQueries = Isa::kCols * Isa::kLanes;
    kernels.tileQueries = kernels.oneTileQueries * Isa::kTilesTogether;
    kernels.lanes = Isa::kLanes;
    kernels.scratchFloats = kSharedScratch + Isa::kTilesTogether * kTileScratch;
    kernels.dimsPerUnit = Scores::kDimsPerUnit;
    kernels.keysPerUnit = Values::kPerUnit;
    // Whole registers at the output, whole units in int8, whole tiles in depth.
    kernels.dimGrain = Isa::kTiled ? 16 * Scores::kDimsPerUnit : 16;
    kernels.packKeys = &Scores::packKeys;
    kernels.packValues = &packValues<Isa, Values>;
    kernels.attend = &attendTile<Isa, Scores, Values, Linear>;
    kernels.sumRows = &sumRows<Isa>;
    kernels.channelMaxima = &channelMaxima<Isa>;
    if constexpr (Scores::kScaled) kernels.scaleOfRows = &Scores::scaleOfRows;
    if constexpr (Scores::kSparse) {
        kernels.sumKeyValues = &sumKeyValues<Isa, Linear>;
        kernels.packMatrix = &PlainScores<Isa, Linear>::packKeys;
        kernels.matrixDimsPerUnit = Linear::kPerUnit;
    }
    return kernels;
}

}  // namespace reelgrid::kernels::cpu
