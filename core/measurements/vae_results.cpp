#include "core/measurements/vae_results.h"

#include "core/measurements/list_reader.h"

namespace reelgrid::measurements {
namespace {

using nlohmann::json;
using protocol::FieldReader;

std::optional<VaePass> passFrom(FieldReader& row, const char* key) {
    const json* object = row.object(key);
    if (object == nullptr) return std::nullopt;
    FieldReader fields(*object, key, ErrorCode::InvalidData);
    VaePass pass;
    fields.requireNumber("s_p50", pass.secondsP50, 0);
    fields.requireNumber("s_min", pass.secondsMin, 0);
    fields.requireNumber("s_max", pass.secondsMax, 0);
    fields.number("peak_bytes", pass.peakBytes, 0);
    if (auto read = fields.finish(); !read) row.fail(read.error().message);
    return pass;
}

void readVaeRow(FieldReader& fields, VaeRow& row) {
    fields.requireText("configuration", row.configuration);
    fields.text("error", row.error);
    row.encode = passFrom(fields, "encode");
    row.decode = passFrom(fields, "decode");
    fields.number("latents_snr_db", row.latentsSnrDb);
    fields.number("decode_psnr_db", row.decodePsnrDb);
    fields.number("clip_psnr_db", row.clipPsnrDb);
}

}  // namespace

Result<VaeResults> vaeResultsFrom(const json& document) {
    VaeResults results;
    FieldReader fields(document, "VAE benchmark", ErrorCode::InvalidData);
    fields.integer("repetitions", results.repetitions, 0);
    const json* model = fields.object("model", true);
    const json* shapes = fields.object("shapes", true);
    const json* tile = fields.object("tile", true);
    const json* rows = fields.array("rows", kMostRows, true);
    if (auto read = fields.finish(); !read) return read.error();
    FieldReader ofModel(*model, "VAE benchmark: model", ErrorCode::InvalidData);
    ofModel.requireText("id", results.model);
    FieldReader ofTile(*tile, "VAE benchmark: tile", ErrorCode::InvalidData);
    ofTile.integer("px", results.tilePixels, 0);
    FieldReader ofShapes(*shapes, "VAE benchmark: shapes", ErrorCode::InvalidData);
    const json* video = ofShapes.array("video", 5, true);
    for (const FieldReader* reader : {&ofModel, &ofTile, &ofShapes})
        if (auto read = reader->finish(); !read) return read.error();
    auto sizes = sizesFrom(video, "VAE benchmark: video");
    if (!sizes) return sizes.error();
    results.video = *std::move(sizes);
    auto read = rowsFrom<VaeRow>(*rows, "VAE benchmark: row", readVaeRow);
    if (!read) return read.error();
    results.rows = *std::move(read);
    return results;
}

}  // namespace reelgrid::measurements
