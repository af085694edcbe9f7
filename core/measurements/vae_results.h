#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace reelgrid::measurements {

/// Encoding or decoding in one configuration.
struct VaePass {
    double secondsP50 = 0, secondsMin = 0, secondsMax = 0;
    std::optional<double> peakBytes;
};

struct VaeRow {
    std::string configuration;  ///< "fp32", "tiled bf16"
    std::string error;          ///< why it didn't run; else the passes are there
    std::optional<VaePass> encode, decode;
    std::optional<double> latentsSnrDb, decodePsnrDb, clipPsnrDb;
};

/// What `bench vae` measured.
struct VaeResults {
    std::string model;
    std::vector<std::int64_t> video;  ///< 1, 3, T, H, W
    int tilePixels = 0;
    int repetitions = 0;
    std::vector<VaeRow> rows;
};

Result<VaeResults> vaeResultsFrom(const nlohmann::json& document);

}  // namespace reelgrid::measurements
