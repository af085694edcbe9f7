#include "core/session/session_json.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/json.h"
#include "core/protocol/field_reader.h"
#include "core/session/clip_path.h"
#include "core/session/limits.h"
#include "core/session/vote_hashes.h"

namespace reelgrid::session {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using protocol::FieldReader;

constexpr std::size_t kMaxLabelBytes = 1024;
constexpr std::size_t kMaxVotes = 100'000;

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
    // One frame may repeat: both are its time.
    if (loop.inSeconds < 0 || loop.inSeconds > loop.outSeconds)
        return invalid("loop: in_seconds " + std::to_string(loop.inSeconds) + ": from 0 to out_seconds " +
                       std::to_string(loop.outSeconds) + " was needed");
    return std::optional(loop);
}

Result<BlindVote> readVote(const json& object, const std::string& what,
                           const std::vector<SessionClip>& clips) {
    int first = -1;
    int second = -1;
    std::string preferred;
    BlindVote vote;
    FieldReader fields(object, what, ErrorCode::InvalidData);
    fields.integer("first", first, 0);
    fields.integer("second", second, 0);
    fields.requireText("preferred", preferred, kMaxLabelBytes);
    readHashes(fields, vote);
    if (auto read = fields.finish(); !read) return read.error();
    const int count = int(clips.size());
    if (first < 0 || first >= count || second < 0 || second >= count || first == second)
        return invalid(what + ": clips " + std::to_string(first) + " and " + std::to_string(second) +
                       ": two of 0 to " + std::to_string(count - 1) + " were needed");
    vote.first = clips[std::size_t(first)].path;
    vote.second = clips[std::size_t(second)].path;
    for (const auto& [preference, name] : kPreferenceNames)
        if (preferred == name) {
            vote.preference = preference;
            return vote;
        }
    return invalid(what + ": preferred " + showJson(preferred) + ": first, second or neither was needed");
}

Result<std::vector<BlindVote>> readVotes(const json* list, const std::vector<SessionClip>& clips) {
    std::vector<BlindVote> votes;
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
        auto vote = readVote((*list)[i], "blind vote " + std::to_string(i + 1), clips);
        if (!vote) return vote.error();
        votes.push_back(*std::move(vote));
    }
    return votes;
}

Result<ChartsShown> readCharts(const json* object) {
    ChartsShown charts;
    if (object == nullptr) return charts;
    FieldReader fields(*object, "charts", ErrorCode::InvalidData);
    fields.text("measure", charts.measure, kMaxLabelBytes);
    fields.text("times", charts.times, kMaxLabelBytes);
    if (auto read = fields.finish(); !read) return read.error();
    return charts;
}

/// The request's pictures, by the same rule as its clips: those below the session's folder move with it.
constexpr std::array kPictures{"img_file_path", "last_img_file_path"};

Result<void> resolvePictures(protocol::RenderRequest& request, const fs::path& folder) {
    for (std::optional<std::string>* picture : {&request.imgFilePath, &request.lastImgFilePath}) {
        if (!*picture) continue;
        auto resolved = resolveClipPath(**picture, folder);
        if (!resolved) return resolved.error().in("picture");
        *picture = resolved->path.string();
    }
    return {};
}

json clipJson(const SessionClip& clip, const fs::path& folder) {
    json object = {{"path", storedClipPath(clip.path, folder)}, {"label", clip.label}};
    if (!clip.attentionType.empty()) object["attention_type"] = clip.attentionType;
    if (clip.offsetSeconds != 0) object["offset_seconds"] = clip.offsetSeconds;
    return object;
}

json votesJson(const Session& session) {
    const auto indexOf = [&](const fs::path& clip) {
        return std::ranges::find(session.clips, clip, &SessionClip::path) - session.clips.begin();
    };
    const auto count = std::ptrdiff_t(session.clips.size());
    json votes = json::array();
    for (const BlindVote& vote : session.blindVotes) {
        const auto first = indexOf(vote.first);
        const auto second = indexOf(vote.second);
        if (first == count || second == count) continue;
        json& written = votes.emplace_back(
            json{{"first", first}, {"second", second}, {"preferred", nameOf(vote.preference)}});
        writeHashes(vote, written);
    }
    return votes;
}

json chartsJson(const ChartsShown& charts) {
    json object = json::object();
    if (!charts.measure.empty()) object["measure"] = charts.measure;
    if (!charts.times.empty()) object["times"] = charts.times;
    return object;
}

}  // namespace

json toJson(const Session& session, const fs::path& folder) {
    protocol::RenderRequest request = session.request;
    request.output.clear();
    request.resume = false;
    protocol::forgetFilesToWrite(request);
    json object = {{"reelgrid_session", kSessionVersion},
                   {"columns", session.columns},
                   {"playhead_seconds", session.playheadSeconds},
                   {"request", toJson(request)}};
    object["request"].erase("output");
    for (const char* picture : kPictures)
        if (object["request"].contains(picture))
            object["request"][picture] =
                storedClipPath(object["request"][picture].get<std::string>(), folder);
    if (session.loop)
        object["loop"] = {{"in_seconds", session.loop->inSeconds}, {"out_seconds", session.loop->outSeconds}};
    if (session.view) object["view"] = toJson(*session.view);
    if (session.charts != ChartsShown()) object["charts"] = chartsJson(session.charts);
    object["clips"] = json::array();
    for (const SessionClip& clip : session.clips) object["clips"].push_back(clipJson(clip, folder));
    if (json votes = votesJson(session); !votes.empty()) object["blind_votes"] = std::move(votes);
    return object;
}

Result<LoadedSession> sessionFromJson(const json& object, const fs::path& folder) {
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
    const json* view = fields.object("view");
    const json* charts = fields.object("charts");
    const json* votes = fields.array("blind_votes", kMaxVotes);
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
    if (view != nullptr) {
        auto read = viewStateFromJson(*view);
        if (!read) return read.error();
        session.view = *std::move(read);
    }
    auto shown = readCharts(charts);
    if (!shown) return shown.error();
    session.charts = *std::move(shown);
    auto preferred = readVotes(votes, session.clips);
    if (!preferred) return preferred.error();
    session.blindVotes = *std::move(preferred);
    if (request != nullptr) {
        auto read = protocol::renderRequestFromJson(*request);
        if (!read) return invalid(read.error().message);
        session.request = *std::move(read);
        session.request.output.clear();  // a file must not choose what gets overwritten
        session.request.resume = false;
        if (auto found = resolvePictures(session.request, folder); !found) return found.error();
        protocol::forgetFilesToWrite(session.request);
    }
    return loaded;
}

}  // namespace reelgrid::session
