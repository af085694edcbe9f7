#include "core/benchmark/vae_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/benchmark/statistics.h"
#include "core/benchmark/synthetic_video.h"

namespace reelgrid::benchmark {
namespace {

using nlohmann::json;

json toJson(const VaePass& pass) {
    json object = {{"s_p50", median(pass.seconds)},
                   {"s_min", std::ranges::min(pass.seconds)},
                   {"s_max", std::ranges::max(pass.seconds)},
                   {"seconds", pass.seconds}};
    if (pass.peakBytes) object["peak_bytes"] = *pass.peakBytes;
    return object;
}

json toJson(const VaeRow& row) {
    json object = {{"configuration", row.configuration.name},
                   {"dtype", row.configuration.dtype == at::kFloat ? "fp32" : "bf16"},
                   {"tiled", row.configuration.tiling.has_value()}};
    if (!row.error.empty()) {
        object["error"] = row.error;
        return object;
    }
    object["load_s"] = row.loadSeconds;
    object["encode"] = toJson(row.encode);
    object["decode"] = toJson(row.decode);
    if (row.latentsSnr) object["latents_snr_db"] = *row.latentsSnr;
    if (row.decodePsnr) object["decode_psnr_db"] = *row.decodePsnr;
    if (row.clipPsnr) object["clip_psnr_db"] = *row.clipPsnr;
    return object;
}

VaePass passFrom(const json& object) {
    VaePass pass{object.at("seconds"), std::nullopt};
    if (object.contains("peak_bytes")) pass.peakBytes = object["peak_bytes"].get<std::uint64_t>();
    return pass;
}

}  // namespace

std::vector<std::int64_t> VaeReport::videoShape() const {
    return {1, 3, wanted.clip.frames, wanted.clip.height, wanted.clip.width};
}

std::vector<std::int64_t> VaeReport::latentsShape() const {
    const std::int64_t edge = shape.spatialFactor;
    return {1, shape.zDim, (wanted.clip.frames - 1) / shape.temporalFactor + 1, wanted.clip.height / edge,
            wanted.clip.width / edge};
}

json toJson(const VaeReport& report) {
    json document = {
        {"system", toJson(report.system)},
        {"model", {{"id", report.model}, {"weights", report.weights}, {"bytes", report.weightBytes}}},
        {"input", kSyntheticVideo},
        {"shapes", {{"video", report.videoShape()}, {"latents", report.latentsShape()}}},
        {"tile",
         {{"px", report.wanted.tiling.rows.tilePixels},
          {"stride_px", report.wanted.tiling.rows.stridePixels}}},
        {"warmup", report.wanted.warmup},
        {"repetitions", report.wanted.repetitions},
        {"rows", json::array()},
        {"absent", json::array()}};
    const vae::Tiling& tiling = report.wanted.tiling;
    if (tiling.columns != tiling.rows)
        document["tile"].update(
            {{"width_px", tiling.columns.tilePixels}, {"stride_width_px", tiling.columns.stridePixels}});
    for (const VaeRow& row : report.rows) document["rows"].push_back(toJson(row));
    for (const AbsentVaeRow& row : report.absent)
        document["absent"].push_back({{"configuration", row.name}, {"why", row.why}});
    return document;
}

Result<VaeRow> firstRowOf(const json& document, const std::string& name) {
    VaeRow row;
    row.configuration.name = name;
    try {
        const json& measured = document.at("rows").at(0);
        row.error = measured.value("error", "");
        if (!row.error.empty()) return row;
        row.encode = passFrom(measured.at("encode"));
        row.decode = passFrom(measured.at("decode"));
        row.loadSeconds = measured.at("load_s");
        row.clipPsnr = measured.at("clip_psnr_db").get<double>();
    } catch (const json::exception& failure) {
        return Error{ErrorCode::InvalidData, "VAE benchmark: " + std::string(failure.what())};
    }
    return row;
}

}  // namespace reelgrid::benchmark
