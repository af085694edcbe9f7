#include "core/fleet/channel.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/base64.h"
#include "core/base/hex.h"
#include "core/base/json.h"
#include "core/protocol/field_reader.h"
#include "core/protocol/worker_message.h"

namespace reelgrid::fleet {
namespace {

using nlohmann::json;
using protocol::FieldReader;

constexpr std::size_t kMostNameBytes = 1024, kMostWords = 256;

json typed(const char* type) {
    return {{"v", protocol::kProtocolVersion}, {"type", type}};
}

json asJson(const FileBegins& file) {
    json object = typed("file");
    object.update({{"name", file.name}, {"bytes", file.bytes}, {"sha256", file.sha256}});
    return object;
}
json asJson(const FilePiece& piece) {
    json object = typed("piece");
    object["bytes"] = toBase64(piece.bytes);
    return object;
}
json asJson(const WorkerBegins& begins) {
    json object = typed("begin");
    object["arguments"] = begins.arguments;
    return object;
}
json asJson(const ModelDescribed& model) {
    json object = typed("model");
    object.update({{"name", model.name},
                   {"folder", model.folder},
                   {"family", model.family},
                   {"bytes", model.bytes},
                   {"hashes", model.hashes}});
    return object;
}
json asJson(const TimeIsUp&) {
    return typed("time_is_up");
}

Result<ChannelMessage> fileFrom(const json& object) {
    FileBegins file;
    FieldReader fields(object, "file", ErrorCode::InvalidData);
    fields.requireText("name", file.name, kMostNameBytes);
    fields.integer("bytes", file.bytes);
    fields.requireText("sha256", file.sha256, kSha256Digits);
    if (!isSafeName(file.name))
        fields.fail("name " + showJson(json(file.name)) + ": a relative one was needed");
    if (!isHex(file.sha256, kSha256Digits)) fields.fail("sha256: 64 hex digits were needed");
    if (auto read = fields.finish(); !read) return read.error();
    return ChannelMessage(std::move(file));
}

Result<ChannelMessage> pieceFrom(const json& object) {
    std::string text;
    FieldReader fields(object, "piece", ErrorCode::InvalidData);
    fields.requireText("bytes", text, protocol::kMaxLineBytes);
    auto bytes = fromBase64(text);
    if (!bytes) fields.fail("bytes: base64 was needed");
    if (auto read = fields.finish(); !read) return read.error();
    return ChannelMessage(FilePiece{*std::move(bytes)});
}

Result<ChannelMessage> beginFrom(const json& object) {
    WorkerBegins begins;
    FieldReader fields(object, "begin", ErrorCode::InvalidData);
    const json* words = fields.array("arguments", kMostWords, true);
    if (auto read = fields.finish(); !read) return read.error();
    for (const json& word : *words) {
        if (!word.is_string()) return Error{ErrorCode::InvalidData, "begin: arguments: texts were needed"};
        begins.arguments.push_back(word.get<std::string>());
    }
    return ChannelMessage(std::move(begins));
}

Result<ChannelMessage> modelFrom(const json& object) {
    ModelDescribed model;
    FieldReader fields(object, "model", ErrorCode::InvalidData);
    fields.requireText("name", model.name, kMostNameBytes);
    fields.requireText("folder", model.folder);
    fields.requireText("family", model.family, kMostNameBytes);
    fields.integer("bytes", model.bytes);
    const json* hashes = fields.object("hashes", true);
    if (auto read = fields.finish(); !read) return read.error();
    for (const auto& [name, hash] : hashes->items()) {
        if (!hash.is_string() || !isHex(hash.get<std::string>(), kSha256Digits) ||
            model.hashes.size() >= kMostWords)
            return Error{ErrorCode::InvalidData, "model: hashes: 64 hex digits each were needed"};
        model.hashes[name] = hash.get<std::string>();
    }
    return ChannelMessage(std::move(model));
}

}  // namespace

std::string toLine(const ChannelMessage& message) {
    return printJson(std::visit([](const auto& one) { return asJson(one); }, message));
}

Result<std::optional<ChannelMessage>> channelMessageFrom(const std::string& line) {
    const auto object = parseJson(line, "message");
    if (!object) return object.error();
    std::string type;
    int version = 0;
    if (!object->is_object()) return Error{ErrorCode::InvalidData, "message: a JSON object was needed"};
    FieldReader fields(*object, "message", ErrorCode::InvalidData);
    fields.requireText("type", type, kMostNameBytes);
    fields.integer("v", version);
    if (version != protocol::kProtocolVersion)
        fields.fail("v " + std::to_string(version) + ": " + std::to_string(protocol::kProtocolVersion) +
                    " was needed");
    if (auto read = fields.finish(); !read) return read.error();
    const auto some = [](Result<ChannelMessage> read) -> Result<std::optional<ChannelMessage>> {
        if (!read) return read.error();
        return std::optional(*std::move(read));
    };
    if (type == "file") return some(fileFrom(*object));
    if (type == "piece") return some(pieceFrom(*object));
    if (type == "begin") return some(beginFrom(*object));
    if (type == "model") return some(modelFrom(*object));
    if (type == "time_is_up") return some(ChannelMessage(TimeIsUp{}));
    return std::optional<ChannelMessage>();
}

bool isSafeName(const std::string& name) {
    constexpr std::size_t kMostPartBytes = 255;
    const std::filesystem::path path(name);
    if (name.empty() || path.is_absolute() || name.find('\0') != std::string::npos) return false;
    return std::ranges::all_of(path, [](const std::filesystem::path& part) {
        const std::string text = part.string();
        return !text.empty() && text.front() != '.' && text.size() <= kMostPartBytes;
    });
}

}  // namespace reelgrid::fleet
