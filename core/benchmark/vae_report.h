#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/benchmark/system.h"
#include "core/benchmark/vae_benchmark.h"

namespace reelgrid::benchmark {

/// A configuration of the reference benchmark that wasn't run.
struct AbsentVaeRow {
    std::string name;
    std::string why;
};

struct VaeReport {
    System system;
    std::string model;    ///< as it was asked for
    std::string weights;  ///< where they are
    std::uint64_t weightBytes = 0;
    VaeCase wanted;
    vae::VaeShape shape;
    std::vector<VaeRow> rows;
    std::vector<AbsentVaeRow> absent;

    [[nodiscard]] std::vector<std::int64_t> videoShape() const;    ///< [1, 3, T, H, W]
    [[nodiscard]] std::vector<std::int64_t> latentsShape() const;  ///< [1, z, T', H', W']
};

/// {"system", "model", "input", "shapes", "tile" (its rows; "width_px" and
/// "stride_width_px" where its columns are others), "warmup", "repetitions", "rows": [{"configuration",
/// "dtype", "tiled", "load_s", "encode": {"s_p50", "s_min", "s_max", "seconds", "peak_bytes"}, "decode": {…},
/// "latents_snr_db", "decode_psnr_db", "clip_psnr_db"}], "absent": [{"configuration", "why"}]}; a row that
/// couldn't run has "error" in place of figures. What was not measured is absent.
nlohmann::json toJson(const VaeReport& report);

/// The first row, fp32's, of a document that another process measured, under another name. Error InvalidData
/// naming what is missing.
Result<VaeRow> firstRowOf(const nlohmann::json& document, const std::string& name);

}  // namespace reelgrid::benchmark
