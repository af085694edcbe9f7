#pragma once

// How a call's queries are handed to AmxTile. Included by attention_amx.cpp only.

#include "kernels/cpu/attention/amx/amx_linear.h"
#include "kernels/cpu/attention/amx/amx_tile.h"

namespace reelgrid::kernels::cpu {
namespace {

/// The queries [first, first + count) of `args`.
inline TileArgs partOf(const TileArgs& args, int first, int count) {
    TileArgs part = args;
    part.q = queryAt(args, first);
    part.out = static_cast<char*>(args.out) + first * args.outStride * sizeOf(args.type);
    if (args.lse != nullptr) part.lse = args.lse + first;
    part.firstQuery = args.firstQuery + first;
    part.count = args.count - first < count ? args.count - first : count;
    return part;
}

/// Tiles of queries that share what was fetched of K and V, and the keys that they walk before the next tile
/// does: half a megabyte at d128.
constexpr int kAmxTilesTogether = 16;
constexpr std::int64_t kAmxStretchKeys = 1024;

template <class Scores, class Values, bool LastFirst, bool Sparse>
void attendByTiles(const TileArgs& args) {
    using One = AmxTile<Scores, Values, LastFirst, Sparse>;
    startTiles();
    auto& scratch = *reinterpret_cast<AmxScratch*>(args.scratch);
    auto* states = reinterpret_cast<AmxState*>(args.scratch + sizeof(AmxScratch) / sizeof(float));
    One tiles[kAmxTilesTogether];
    int count = 0;
    std::int64_t end = 0;
    for (int first = 0; first < args.count; first += kAmxQueries, ++count) {
        tiles[count].start(partOf(args, first, kAmxQueries), scratch, states[count]);
        if (tiles[count].end() > end) end = tiles[count].end();
    }
    const std::int64_t turns = (end + One::kTurnKeys - 1) / One::kTurnKeys;
    const std::int64_t stretch = count == 1 ? turns : kAmxStretchKeys / One::kTurnKeys;
    for (std::int64_t first = 0; first < turns; first += stretch)
        for (int t = 0; t < count; ++t)
            tiles[t].walk(first, first + stretch < turns ? first + stretch : turns, turns);
    for (int t = 0; t < count; ++t) {
        const float* branch = nullptr;
        if constexpr (Sparse)
            if (args.linear != nullptr)
                branch = AmxLinearBranch{tiles[t].args(), scratch, states[t]}.compute();
        tiles[t].finish(branch);
    }
    endTiles();
}

}  // namespace
}  // namespace reelgrid::kernels::cpu
