#pragma once

// How a tile of queries is handed to Tile, and the table of what an instruction set's source offers. Included
// by the sources of the instruction sets only (see attention_tile.h).

#include "kernels/cpu/attention/tiles/attention_tile.h"

namespace reelgrid::kernels::cpu {

template <class Isa, class Scores, class Values, class Linear, int Cols>
void attendColumns(const TileArgs& args) {
    using OneTile = Tile<Isa, Scores, Values, Linear, Cols>;
    OneTile tile;
    tile.start(args, args.scratch, args.scratch + kSharedScratch);
    const std::int64_t turns = (tile.end + OneTile::kTurnKeys - 1) / OneTile::kTurnKeys;
    for (std::int64_t turn = 0; turn < turns; ++turn)
        tile.turn((Scores::kLastFirst ? turns - 1 - turn : turn) * OneTile::kTurnKeys);
    tile.finish();
}

/// As few registers of queries as the tile needs: short sequences pay for the queries that they have.
template <class Isa, class Scores, class Values, class Linear>
void attendTile(const TileArgs& args) {
    static_assert(Isa::kCols == 3);
    if (args.count <= Isa::kLanes)
        attendColumns<Isa, Scores, Values, Linear, 1>(args);
    else if (args.count <= 2 * Isa::kLanes)
        attendColumns<Isa, Scores, Values, Linear, 2>(args);
    else
        attendColumns<Isa, Scores, Values, Linear, 3>(args);
}

template <class Isa, class Scores, class Values, class Linear = Values>
TileKernels tileKernels() {
    TileKernels kernels;
    kernels.instructionSet = Isa::kSet;
    kernels.oneTileQueries = Isa::kCols * Isa::kLanes;
    kernels.tileQueries = kernels.oneTileQueries;
    kernels.lanes = Isa::kLanes;
    kernels.scratchFloats = kSharedScratch + kTileScratch;
    kernels.dimsPerUnit = Scores::kDimsPerUnit;
    kernels.keysPerUnit = Values::kPerUnit;
    kernels.dimGrain = 16;  // whole registers at the output, whole units in int8
    kernels.packKeys = &Scores::packKeys;
    kernels.packValues = &packValues<Isa, Values>;
    kernels.attend = &attendTile<Isa, Scores, Values, Linear>;
    kernels.sumRows = &sumRows<Isa>;
    kernels.sumDirections = &sumDirections<Isa>;
    kernels.channelMaxima = &channelMaxima<Isa>;
    if constexpr (Scores::kScaled) kernels.scaleOfRows = &Scores::scaleOfRows;
    if constexpr (Scores::kSparse) {
        kernels.sumKeyValues = &sumKeyValues<Isa, Linear>;
        kernels.packMatrix = &PlainScores<Isa, Linear>::packKeys;
        kernels.matrixDimsPerUnit = Linear::kPerUnit;
        if constexpr (Values::kScaled) {
            kernels.packLinearValues = &packValues<Isa, PlainValues<Isa, Linear>>;
            kernels.linearKeysPerUnit = Linear::kPerUnit;
        }
    }
    return kernels;
}

}  // namespace reelgrid::kernels::cpu
