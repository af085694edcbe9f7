// Compiled with AVX-512 and AMX flags: nothing here runs unless instruction_set.cpp found the instructions.

#include "kernels/cpu/attention/amx/amx_packing.h"
#include "kernels/cpu/attention/amx/amx_rotation.h"
#include "kernels/cpu/attention/amx/amx_walk.h"

namespace reelgrid::kernels::cpu {
namespace {

template <class Scores, class Values, bool LastFirst, bool Sparse = false>
TileKernels amxTable() {
    TileKernels kernels;
    kernels.instructionSet = InstructionSet::Amx;
    kernels.oneTileQueries = kAmxQueries;
    kernels.tileQueries = kAmxQueries * kAmxTilesTogether;
    kernels.lanes = kAmxQueries;
    kernels.scratchFloats = (sizeof(AmxScratch) + kAmxTilesTogether * sizeof(AmxState)) / sizeof(float);
    kernels.dimsPerUnit = Scores::kDimsPerUnit;
    kernels.keysPerUnit = 2;
    // Whole tiles of Q in depth, whole pairs of tiles of O.
    kernels.dimGrain = 16 * Scores::kDimsPerUnit;
    kernels.packKeys = &packTileKeys<Scores>;
    kernels.packValues = &packTileValues<Values>;
    kernels.attend = &attendByTiles<Scores, Values, LastFirst, Sparse>;
    kernels.sumRows = &sumTileRows;
    kernels.channelMaxima = &tileChannelMaxima;
    if constexpr (Scores::kDimsPerUnit == 4)
        kernels.scaleOfRows = &int8ScaleOfRows;
    else if constexpr (Scores::kScaled)
        kernels.scaleOfRows = &Scores::scaleOfRows;
    if constexpr (Sparse) {
        kernels.sumKeyValues = &sumTiledKeyValues;
        kernels.packMatrix = &packTileKeys<AmxPlainScores>;
        kernels.matrixDimsPerUnit = AmxPlainScores::kDimsPerUnit;
    }
    return kernels;
}

TileKernels tiledKernels(Method method, DataType type) {
    const bool exact = type == DataType::BFloat16;
    switch (method) {
        case Method::Flash:
            if (exact) return amxTable<AmxPlainScores, Bf16Weights, false>();
            break;
        case Method::Flash3:
            if (exact) return amxTable<AmxPlainScores, Bf16Weights, true>();
            break;
        case Method::Sage1:
            return amxTable<AmxInt8Scores, Bf16Weights, false>();
        case Method::Flash3Sage:
            return amxTable<AmxInt8Scores, E4m3Weights<0>, false>();
        case Method::Flash3Fp8:
            return amxTable<AmxE4m3Scores, E4m3Weights<8>, true>();
        case Method::SparseLinear:
        case Method::SlidingTile:
        case Method::Radial:
        case Method::Sparge:  // no turn is left out: CallPlan asks for AVX-512's where one may be
            if (exact) return amxTable<AmxPlainScores, Bf16Weights, false, true>();
            break;
        case Method::Sage2:  // a tile's scores would have a scale each
        case Method::SageSparseLinear:
            break;
    }
    return avx512Kernels(method, type);
}

}  // namespace

TileKernels amxKernels(Method method, DataType type) {
    TileKernels kernels = tiledKernels(method, type);
    const TileKernels lanes = avx512Kernels(method, type);
    kernels.attendShort = lanes.attendShort;  // a head's rows don't fill tiles
    kernels.sumDirections = lanes.sumDirections;
    return kernels;
}

}  // namespace reelgrid::kernels::cpu
