#pragma once

#include <cstdint>
#include <string>

#include "core/weights/model_config.h"

namespace reelgrid::text {

/// Which layers have a relative position bias of their own; others use the one before.
enum class PositionBias { FirstLayer, EveryLayer };

/// config.json of a transformers T5EncoderModel of T5 1.1. Defaults are transformers'.
struct T5Config {
    std::int64_t vocabSize = 0;
    std::int64_t modelSize = 0;
    std::int64_t headSize = 0;
    std::int64_t feedForwardSize = 0;
    std::int64_t layers = 0;
    std::int64_t heads = 0;
    std::int64_t relativeBuckets = 32;
    std::int64_t relativeMaxDistance = 128;
    double normEpsilon = 1e-6;
    PositionBias positionBias = PositionBias::FirstLayer;

    [[nodiscard]] std::int64_t innerSize() const { return heads * headSize; }

    /// Throws Failure(InvalidData) for a missing or impossible value, Failure(Unsupported) for another
    /// architecture or feed-forward than T5 1.1's gated GELU.
    static T5Config read(const weights::ModelConfig& config);

  protected:
    static T5Config readAs(const std::string& modelType, const weights::ModelConfig& config);
};

}  // namespace reelgrid::text
