#include "core/measurements/capture_results.h"

#include <tuple>

#include "core/measurements/kept_map_reader.h"
#include "core/measurements/list_reader.h"

namespace reelgrid::measurements {
namespace {

using nlohmann::json;
using protocol::FieldReader;

void readCapture(FieldReader& fields, CaptureRow& row) {
    fields.requireText("file", row.file);
    fields.text("kernel", row.kernel);
    fields.text("module", row.module);
    fields.text("branch", row.branch);
    fields.requireText("dtype", row.dtype);
    fields.integer("call_idx", row.callIndex, 0);
    fields.integer("layer", row.layer, 0);
    fields.integer("step", row.step, 0);
    const json* ofQ = fields.array("q_shape", 4, true);
    const json* ofK = fields.array("k_shape", 4, true);
    for (const auto& [list, target] : {std::pair{ofQ, &row.q}, {ofK, &row.k}}) {
        auto sizes = sizesFrom(list, "shape");
        if (!sizes || (list != nullptr && sizes->size() != 4))
            fields.fail(sizes ? "shape: four sizes were needed" : sizes.error().message);
        else
            *target = *std::move(sizes);
    }
}

void readOutlier(FieldReader& fields, ChannelOutlier& row) {
    fields.integer("head", row.head, 0);
    fields.integer("channel", row.channel, 0);
    fields.requireNumber("absmax", row.absMax);
    fields.requireNumber("x_median", row.timesMedian);
}

Result<TensorFigures> tensorFrom(const json* object, const std::string& name) {
    if (object == nullptr) return Error{ErrorCode::InvalidData, name + ": an object was needed"};
    TensorFigures figures;
    FieldReader fields(*object, name, ErrorCode::InvalidData);
    fields.requireNumber("elements", figures.elements);
    fields.requireNumber("nans", figures.nans);
    fields.requireNumber("infinities", figures.infinities);
    fields.number("mean", figures.mean);
    fields.number("std", figures.deviation);
    fields.number("absmax", figures.absMax);
    fields.number("min", figures.low);
    fields.number("max", figures.high);
    fields.integer("head", figures.head, 0);
    const json* histogram = fields.array("histogram", 4096, true);
    const json* channels = fields.array("channel_absmax", 4096, true);
    const json* outliers = fields.array("outliers", 4096, true);
    if (auto read = fields.finish(); !read) return read.error();
    for (const auto& [list, target] :
         {std::pair{histogram, &figures.histogram}, {channels, &figures.channelAbsMax}}) {
        auto numbers = numbersFrom(list, name);
        if (!numbers) return numbers.error();
        *target = *std::move(numbers);
    }
    auto rows = rowsFrom<ChannelOutlier>(*outliers, name + ": outlier", readOutlier);
    if (!rows) return rows.error();
    figures.outliers = *std::move(rows);
    return figures;
}

Result<MapBlocks> mapFrom(const json& object) {
    constexpr int kMostBlocks = 512;
    MapBlocks map;
    FieldReader fields(object, "attention map", ErrorCode::InvalidData);
    fields.integer("head", map.head, 0);
    fields.integer("rows", map.rows, 1);
    fields.integer("columns", map.columns, 1);
    fields.integer("queries_per_block", map.queriesPerBlock, 0);
    fields.requireNumber("queries", map.queries);
    fields.requireNumber("keys", map.keys);
    const json* means = fields.array("means", kMostBlocks, true);
    if (auto read = fields.finish(); !read) return read.error();
    if (map.rows > kMostBlocks || map.columns > kMostBlocks || int(means->size()) != map.rows)
        return Error{ErrorCode::InvalidData, "attention map: " + std::to_string(map.rows) +
                                                 " rows, at most 512, were needed, there are " +
                                                 std::to_string(means->size())};
    for (const json& row : *means) {
        auto numbers = numbersFrom(&row, "attention map: a row");
        if (!numbers) return numbers.error();
        if (int(numbers->size()) != map.columns)
            return Error{ErrorCode::InvalidData, "attention map: rows of " + std::to_string(map.columns) +
                                                     " numbers were needed, one has " +
                                                     std::to_string(numbers->size())};
        map.means.insert(map.means.end(), numbers->begin(), numbers->end());
    }
    return map;
}

}  // namespace

Result<CaptureList> captureListFrom(const json& document) {
    CaptureList list;
    FieldReader fields(document, "captures", ErrorCode::InvalidData);
    fields.requireText("folder", list.folder);
    const json* captures = fields.array("captures", kMostRows, true);
    const json* unreadable = fields.array("unreadable", kMostRows, true);
    if (auto read = fields.finish(); !read) return read.error();
    auto rows = rowsFrom<CaptureRow>(*captures, "capture", readCapture);
    if (!rows) return rows.error();
    list.captures = *std::move(rows);
    auto errors = rowsFrom<std::string>(*unreadable, "unreadable", [](FieldReader& row, std::string& line) {
        row.requireText("error", line);
    });
    if (!errors) return errors.error();
    list.unreadable = *std::move(errors);
    return list;
}

Result<CaptureDetails> captureDetailsFrom(const json& document) {
    CaptureDetails details;
    FieldReader fields(document, "capture", ErrorCode::InvalidData);
    const json* capture = fields.object("capture", true);
    const json* tensors = fields.object("tensors", true);
    const json* map = fields.object("attention_map", true);
    const json* kept = fields.object("kept_blocks");
    if (auto read = fields.finish(); !read) return read.error();
    FieldReader row(*capture, "capture", ErrorCode::InvalidData);
    readCapture(row, details.capture);
    if (auto read = row.finish(); !read) return read.error();
    FieldReader three(*tensors, "tensors", ErrorCode::InvalidData);
    const std::tuple<const char*, TensorFigures*> targets[] = {
        {"q", &details.q}, {"k", &details.k}, {"v", &details.v}};
    for (const auto& [name, target] : targets) {
        auto figures = tensorFrom(three.object(name), name);
        if (!figures) return figures.error().in("capture");
        *target = *std::move(figures);
    }
    auto blocks = mapFrom(*map);
    if (!blocks) return blocks.error();
    details.map = *std::move(blocks);
    if (kept != nullptr) {
        auto read = keptMapFrom(*kept);
        if (!read) return read.error();
        details.kept = *std::move(read);
    }
    return details;
}

}  // namespace reelgrid::measurements
