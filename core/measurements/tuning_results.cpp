#include "core/measurements/tuning_results.h"

#include "core/measurements/list_reader.h"
#include "core/protocol/attention_policy_json.h"

namespace reelgrid::measurements {
namespace {

using nlohmann::json;
using protocol::FieldReader;

void readPoint(FieldReader& fields, TuningPoint& point) {
    fields.number("seconds", point.seconds, 0);
    fields.number("quality", point.quality);
}

void readMeasured(FieldReader& row, TuningRow& render) {
    const json* object = row.object("measured", true);
    if (object == nullptr) return;
    FieldReader fields(*object, "measured", ErrorCode::InvalidData);
    readPoint(fields, render.measured);
    fields.number("psnr", render.psnr);
    fields.number("ssim", render.ssim, -kMostCosine, kMostCosine);
    fields.number("l1", render.l1, 0);
    fields.number("cosine", render.cosine, -kMostCosine, kMostCosine);
    if (auto read = fields.finish(); !read) row.fail(read.error().message);
}

void readRender(FieldReader& row, TuningRow& render) {
    std::string kind;
    row.requireText("name", render.name);
    row.text("kind", kind);
    render.isPolicy = kind == "policy";
    row.text("clip", render.clip);
    row.boolean("meets_budget", render.meetsBudget);
    readMeasured(row, render);
    if (const json* object = row.object("predicted")) {
        FieldReader fields(*object, "predicted", ErrorCode::InvalidData);
        render.predicted.emplace();
        readPoint(fields, *render.predicted);
        if (auto read = fields.finish(); !read) row.fail(read.error().message);
    }
    if (const json* object = row.object("policy", true)) {
        auto policy = protocol::attentionPolicyFromJson(*object);
        if (policy)
            render.policy = *std::move(policy);
        else
            row.fail(policy.error().message);
    }
}

}  // namespace

Result<TuningResults> tuningResultsFrom(const json& document) {
    TuningResults results;
    FieldReader fields(document, "tuning", ErrorCode::InvalidData);
    fields.requireText("budget", results.budget);
    fields.requireText("quality", results.quality);
    fields.text("seconds_of", results.secondsOf);
    fields.text("prompt", results.prompt);
    fields.text("verdict", results.verdict);
    fields.text("chosen", results.chosen);
    const json* renders = fields.array("renders", kMostRows, true);
    const json* curve = fields.array("curve", kMostRows, true);
    if (auto read = fields.finish(); !read) return read.error();
    auto rows = rowsFrom<TuningRow>(*renders, "tuning: render", readRender);
    if (!rows) return rows.error();
    results.renders = *std::move(rows);
    auto points = rowsFrom<TuningPoint>(*curve, "tuning: point of the curve", readPoint);
    if (!points) return points.error();
    results.curve = *std::move(points);
    return results;
}

}  // namespace reelgrid::measurements
