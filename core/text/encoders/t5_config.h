#pragma once

#include <cstdint>

#include "core/weights/model_config.h"

namespace reelgrid::text {

/// config.json of a transformers UMT5EncoderModel. Defaults are transformers'.
struct Umt5Config {
    std::int64_t vocabSize = 0;
    std::int64_t modelSize = 0;
    std::int64_t headSize = 0;
    std::int64_t feedForwardSize = 0;
    std::int64_t layers = 0;
    std::int64_t heads = 0;
    std::int64_t relativeBuckets = 32;
    std::int64_t relativeMaxDistance = 128;
    double normEpsilon = 1e-6;

    [[nodiscard]] std::int64_t innerSize() const { return heads * headSize; }

    /// Throws Failure(InvalidData) for a missing or impossible value, Failure(Unsupported) for another
    /// architecture or feed-forward than umT5's gated GELU.
    static Umt5Config read(const weights::ModelConfig& config);
};

}  // namespace reelgrid::text
