#include "core/session/session.h"

#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/base/pending_file.h"
#include "core/protocol/field_reader.h"
#include "core/session/clip_path.h"

namespace reelgrid::session {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using protocol::FieldReader;

constexpr std::size_t kMaxFileBytes = std::size_t{16} << 20;
constexpr std::size_t kMaxClips = 256;
constexpr std::size_t kMaxLabelBytes = 1024;
constexpr std::size_t kMaxPathBytes = 4096;
constexpr int kMaxColumns = 64;
constexpr double kMaxSeconds = 7 * 24 * 3600.0;

Error invalid(const std::string& what) {
    return {ErrorCode::InvalidData, what};
}

Result<void> checkSeconds(const std::string& what, double value, double low) {
    if (value >= low && value <= kMaxSeconds) return {};
    return invalid(what + " " + std::to_string(value) + ": seconds from " + std::to_string(int(low)) +
                   " to " + std::to_string(int(kMaxSeconds)) + " were needed");
}

Result<SessionClip> readClip(const json& object, const std::string& what, const fs::path& folder,
                             std::vector<fs::path>& outside) {
    SessionClip clip;
    std::string path;
    FieldReader fields(object, what, ErrorCode::InvalidData);
    fields.requireText("path", path, kMaxPathBytes);
    fields.text("label", clip.label, kMaxLabelBytes);
    fields.text("attention_type", clip.attentionType, kMaxLabelBytes);
    fields.number("offset_seconds", clip.offsetSeconds);
    if (auto read = fields.finish(); !read) return read.error();
    if (auto fits = checkSeconds(what + ": offset_seconds", clip.offsetSeconds, -kMaxSeconds); !fits)
        return fits.error();
    auto resolved = resolveClipPath(path, folder);
    if (!resolved) return resolved.error().in(what);
    clip.path = resolved->path;
    if (resolved->where == ClipPlace::Outside) outside.push_back(clip.path);
    return clip;
}

Result<std::optional<LoopRange>> readLoop(const json* object) {
    if (object == nullptr) return std::optional<LoopRange>();
    LoopRange loop;
    FieldReader fields(*object, "loop", ErrorCode::InvalidData);
    fields.requireNumber("in_seconds", loop.inSeconds);
    fields.requireNumber("out_seconds", loop.outSeconds);
    if (auto read = fields.finish(); !read) return read.error();
    if (auto fits = checkSeconds("loop: out_seconds", loop.outSeconds, 0); !fits) return fits.error();
    if (loop.inSeconds < 0 || loop.inSeconds >= loop.outSeconds)
        return invalid("loop: in_seconds " + std::to_string(loop.inSeconds) +
                       ": from 0 to less than out_seconds " + std::to_string(loop.outSeconds) +
                       " was needed");
    return std::optional(loop);
}

Result<LoadedSession> readSession(const json& object, const fs::path& folder) {
    if (!object.is_object() || !object.contains("reelgrid_session"))
        return invalid("not a ReelGrid session (no \"reelgrid_session\")");
    int version = 0;
    LoadedSession loaded;
    Session& session = loaded.session;
    FieldReader fields(object, "session", ErrorCode::InvalidData);
    fields.integer("reelgrid_session", version);
    if (auto read = fields.finish(); !read) return read.error();
    if (version != kSessionVersion)
        return invalid("session version " + std::to_string(version) + ": this program reads version " +
                       std::to_string(kSessionVersion));

    const json* clips = fields.array("clips", kMaxClips, true);
    const json* loop = fields.object("loop");
    const json* request = fields.object("request");
    fields.integer("columns", session.columns, 0);
    fields.number("playhead_seconds", session.playheadSeconds);
    if (auto read = fields.finish(); !read) return read.error();
    if (session.columns > kMaxColumns)
        return invalid("columns " + std::to_string(session.columns) + ": at most " +
                       std::to_string(kMaxColumns) + " were needed");
    if (auto fits = checkSeconds("playhead_seconds", session.playheadSeconds, 0); !fits) return fits.error();

    for (std::size_t i = 0; i < clips->size(); ++i) {
        auto clip = readClip((*clips)[i], "clip " + std::to_string(i + 1), folder, loaded.outside);
        if (!clip) return clip.error();
        session.clips.push_back(*std::move(clip));
    }
    auto range = readLoop(loop);
    if (!range) return range.error();
    session.loop = *range;
    if (request != nullptr) {
        auto read = protocol::renderRequestFromJson(*request);
        if (!read) return invalid(read.error().message);
        session.request = *std::move(read);
        session.request.output.clear();  // a file must not choose what gets overwritten
        protocol::forgetFilesToWrite(session.request);
    }
    return loaded;
}

json clipJson(const SessionClip& clip, const fs::path& folder) {
    json object = {{"path", storedClipPath(clip.path, folder)}, {"label", clip.label}};
    if (!clip.attentionType.empty()) object["attention_type"] = clip.attentionType;
    if (clip.offsetSeconds != 0) object["offset_seconds"] = clip.offsetSeconds;
    return object;
}

fs::path folderOf(const fs::path& file) {
    std::error_code failed;
    const fs::path absolute = fs::absolute(file, failed);
    return (failed ? file : absolute).lexically_normal().parent_path();
}

}  // namespace

Result<LoadedSession> loadSession(const fs::path& file) {
    auto text = readFile(file, kMaxFileBytes);
    if (!text) return text.error();
    auto parsed = parseJson(*text, file.string());
    if (!parsed) return parsed.error();
    auto loaded = readSession(*parsed, folderOf(file));
    if (!loaded) return loaded.error().in(file.string());
    return loaded;
}

Result<void> saveSession(const Session& session, const fs::path& file) {
    protocol::RenderRequest request = session.request;
    request.output.clear();
    protocol::forgetFilesToWrite(request);
    json object = {{"reelgrid_session", kSessionVersion},
                   {"columns", session.columns},
                   {"playhead_seconds", session.playheadSeconds},
                   {"request", toJson(request)}};
    object["request"].erase("output");
    if (session.loop)
        object["loop"] = {{"in_seconds", session.loop->inSeconds}, {"out_seconds", session.loop->outSeconds}};
    object["clips"] = json::array();
    for (const SessionClip& clip : session.clips) object["clips"].push_back(clipJson(clip, folderOf(file)));
    return writeFile(file, printJsonIndented(object));
}

}  // namespace reelgrid::session
