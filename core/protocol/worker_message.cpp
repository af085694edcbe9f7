#include "core/protocol/worker_message.h"

#include <nlohmann/json.hpp>

#include "core/base/base64.h"
#include "core/base/json.h"
#include "core/protocol/field_reader.h"

namespace reelgrid::protocol {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxIdBytes = 128;
constexpr std::size_t kMostWays = 32;

json message(const char* type) {
    return {{"v", kProtocolVersion}, {"type", type}};
}

json message(const char* type, const std::string& id) {
    json object = message(type);
    object["id"] = id;
    return object;
}

json asJson(const RenderCommand& command) {
    json object = message("render", command.id);
    object["request"] = toJson(command.request);
    return object;
}
json asJson(const ForecastCommand& command) {
    json object = message("forecast", command.id);
    object["request"] = toJson(command.request);
    return object;
}
json asJson(const CancelCommand& command) {
    return message("cancel", command.id);
}
json asJson(const QuitCommand&) {
    return message("quit");
}
json asJson(const WorkerReady& event) {
    json object = message("ready");
    object["version"] = event.version;
    return object;
}
json asJson(const JobStarted& event) {
    return message("started", event.id);
}
json asJson(const JobProgress& event) {
    json object = message("progress", event.id);
    object["stage"] = event.now.stage;
    object["done"] = event.now.done;
    object["total"] = event.now.total;
    object["elapsed_seconds"] = event.now.elapsedSeconds;
    if (event.now.etaSeconds >= 0) object["eta_seconds"] = event.now.etaSeconds;
    if (event.now.predictedPeakBytes > 0) object["predicted_peak_bytes"] = event.now.predictedPeakBytes;
    return object;
}
json asJson(const JobPreview& event) {
    json object = message("preview", event.id);
    object["step"] = event.now.step;
    object["steps"] = event.now.steps;
    object["width"] = event.now.width;
    object["height"] = event.now.height;
    object["rgb"] = toBase64(event.now.rgb);
    return object;
}
json asJson(const JobDone& event) {
    json object = message("done", event.id);
    object["clip"] = event.clip;
    return object;
}
json asJson(const JobFailed& event) {
    json object = message("failed", event.id);
    object["error"] = {{"code", nameOf(event.error.code)}, {"message", event.error.message}};
    return object;
}
json asJson(const JobCancelled& event) {
    return message("cancelled", event.id);
}
json asJson(const Forecast& event) {
    const RenderForecast& forecast = event.forecast;
    json object = message("forecast", event.id);
    object["device"] = forecast.device;
    object["offload"] = forecast.offload;
    if (forecast.peakBytes) object["peak_bytes"] = *forecast.peakBytes;
    if (!forecast.stage.empty()) object["stage"] = forecast.stage;
    if (forecast.freeBytes) object["free_bytes"] = *forecast.freeBytes;
    if (forecast.keptFrameBytes > 0) object["kept_frame_bytes"] = forecast.keptFrameBytes;
    object["ways"] = forecast.ways;
    if (forecast.tiles) object["tiles"] = true;
    return object;
}

/// The object on a line, its version checked, and its type.
struct Envelope {
    json object;
    std::string type;
};

Result<Envelope> openLine(const std::string& line) {
    if (line.size() > kMaxLineBytes)
        return Error{ErrorCode::InvalidData, "message of " + std::to_string(line.size()) +
                                                 " bytes: at most " + std::to_string(kMaxLineBytes) +
                                                 " were expected"};
    auto parsed = parseJson(line, "message");
    if (!parsed) return parsed.error();
    Envelope envelope{*std::move(parsed), {}};
    int version = 0;
    FieldReader fields(envelope.object, "message", ErrorCode::InvalidData);
    fields.integer("v", version);
    fields.requireText("type", envelope.type, kMaxIdBytes);
    if (auto read = fields.finish(); !read) return read.error();
    if (version != kProtocolVersion)
        return Error{ErrorCode::InvalidData, "message of protocol version " + std::to_string(version) +
                                                 ": version " + std::to_string(kProtocolVersion) +
                                                 " was needed"};
    return envelope;
}

Error unknownType(const std::string& type) {
    return {ErrorCode::InvalidData, "message of unknown type " + showJson(json(type))};
}

/// The message once all its fields are read, or the first error among them.
template <class Variant, class T>
Result<Variant> finished(const FieldReader& fields, T&& message) {
    if (auto read = fields.finish(); !read) return read.error();
    return Variant(std::forward<T>(message));
}

template <class Command>
Result<WorkerCommand> requestCommand(FieldReader& fields) {
    Command command;
    fields.requireText("id", command.id, kMaxIdBytes);
    const json* request = fields.object("request", true);
    if (auto read = fields.finish(); !read) return read.error();
    auto parsed = renderRequestFromJson(*request);
    if (!parsed) return parsed.error();
    command.request = *std::move(parsed);
    return WorkerCommand(std::move(command));
}

Result<WorkerEvent> failedEvent(FieldReader& fields) {
    JobFailed event;
    fields.requireText("id", event.id, kMaxIdBytes);
    const json* error = fields.object("error", true);
    if (auto read = fields.finish(); !read) return read.error();
    FieldReader inner(*error, "error", ErrorCode::InvalidData);
    std::string code;
    inner.requireText("code", code, kMaxIdBytes);
    inner.requireText("message", event.error.message);
    event.error.code = errorCodeFromName(code);
    return finished<WorkerEvent>(inner, std::move(event));
}

Result<WorkerEvent> progressEvent(FieldReader& fields) {
    JobProgress event;
    fields.requireText("id", event.id, kMaxIdBytes);
    fields.requireText("stage", event.now.stage, kMaxIdBytes);
    fields.integer("done", event.now.done, 0);
    fields.integer("total", event.now.total, 0);
    fields.number("elapsed_seconds", event.now.elapsedSeconds);
    fields.number("eta_seconds", event.now.etaSeconds);
    fields.integer("predicted_peak_bytes", event.now.predictedPeakBytes);
    return finished<WorkerEvent>(fields, std::move(event));
}

/// The pixels are checked against the size: what is wrong with them is no reason to stop a render.
Result<WorkerEvent> previewEvent(FieldReader& fields) {
    JobPreview event;
    std::string rgb;
    fields.requireText("id", event.id, kMaxIdBytes);
    fields.integer("step", event.now.step, 0);
    fields.integer("steps", event.now.steps, 0);
    fields.integer("width", event.now.width, 0);
    fields.integer("height", event.now.height, 0);
    fields.requireText("rgb", rgb, kMaxLineBytes);
    if (event.now.width > kMaxPreviewSide || event.now.height > kMaxPreviewSide)
        fields.fail("preview of " + std::to_string(event.now.width) + "x" + std::to_string(event.now.height) +
                    ": at most " + std::to_string(kMaxPreviewSide) + " pixels a side were expected");
    if (auto read = fields.finish(); !read) return read.error();
    auto pixels = fromBase64(rgb);
    if (!pixels) fields.fail("rgb: base64 was needed");
    const std::size_t frame = event.now.frameBytes();
    if (pixels && (frame == 0 || pixels->empty() || pixels->size() % frame != 0))
        fields.fail("rgb: " + std::to_string(pixels->size()) + " bytes; whole frames of " +
                    std::to_string(frame) + " were needed");
    if (auto read = fields.finish(); !read) return read.error();
    event.now.rgb = *std::move(pixels);
    return finished<WorkerEvent>(fields, std::move(event));
}

Result<WorkerEvent> forecastEvent(const json& object, FieldReader& fields) {
    Forecast event;
    RenderForecast& forecast = event.forecast;
    fields.requireText("id", event.id, kMaxIdBytes);
    fields.requireText("device", forecast.device, kMaxIdBytes);
    fields.requireText("offload", forecast.offload, kMaxIdBytes);
    fields.text("stage", forecast.stage);
    if (object.contains("peak_bytes")) fields.integer("peak_bytes", forecast.peakBytes.emplace());
    if (object.contains("free_bytes")) fields.integer("free_bytes", forecast.freeBytes.emplace());
    fields.integer("kept_frame_bytes", forecast.keptFrameBytes);
    fields.boolean("tiles", forecast.tiles);
    if (const json* ways = fields.array("ways", kMostWays)) {
        for (const json& way : *ways) {
            if (!way.is_string()) fields.fail("ways: texts were needed");
            forecast.ways.push_back(way.is_string() ? way.get<std::string>() : std::string());
        }
    }
    return finished<WorkerEvent>(fields, std::move(event));
}

template <class Event>
Result<WorkerEvent> idEvent(FieldReader& fields) {
    Event event;
    fields.requireText("id", event.id, kMaxIdBytes);
    return finished<WorkerEvent>(fields, std::move(event));
}

}  // namespace

std::string toLine(const WorkerCommand& command) {
    return std::visit([](const auto& one) { return printJson(asJson(one)); }, command);
}

std::string toLine(const WorkerEvent& event) {
    return std::visit([](const auto& one) { return printJson(asJson(one)); }, event);
}

Result<WorkerCommand> commandFromLine(const std::string& line) {
    auto envelope = openLine(line);
    if (!envelope) return envelope.error();
    const std::string& type = envelope->type;
    FieldReader fields(envelope->object, type, ErrorCode::InvalidData);
    if (type == "quit") return WorkerCommand(QuitCommand{});
    if (type == "cancel") {
        CancelCommand command;
        fields.requireText("id", command.id, kMaxIdBytes);
        return finished<WorkerCommand>(fields, std::move(command));
    }
    if (type == "render") return requestCommand<RenderCommand>(fields);
    if (type == "forecast") return requestCommand<ForecastCommand>(fields);
    return unknownType(type);
}

Result<WorkerEvent> eventFromLine(const std::string& line) {
    auto envelope = openLine(line);
    if (!envelope) return envelope.error();
    const std::string& type = envelope->type;
    FieldReader fields(envelope->object, type, ErrorCode::InvalidData);
    if (type == "ready") {
        WorkerReady event;
        fields.requireText("version", event.version, kMaxIdBytes);
        return finished<WorkerEvent>(fields, std::move(event));
    }
    if (type == "started") return idEvent<JobStarted>(fields);
    if (type == "cancelled") return idEvent<JobCancelled>(fields);
    if (type == "progress") return progressEvent(fields);
    if (type == "preview") return previewEvent(fields);
    if (type == "failed") return failedEvent(fields);
    if (type == "forecast") return forecastEvent(envelope->object, fields);
    if (type != "done") return unknownType(type);
    JobDone event;
    fields.requireText("id", event.id, kMaxIdBytes);
    fields.requireText("clip", event.clip);
    return finished<WorkerEvent>(fields, std::move(event));
}

}  // namespace reelgrid::protocol
