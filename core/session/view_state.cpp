#include "core/session/view_state.h"

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "core/base/json.h"
#include "core/protocol/field_reader.h"
#include "core/session/limits.h"

namespace reelgrid::session {
namespace {

using nlohmann::json;
using protocol::FieldReader;

constexpr int kMaxFrames = 1 << 24;

template <class Enum, std::size_t N>
using Names = std::array<std::pair<Enum, const char*>, N>;

constexpr Names<ViewMode, 5> kModes{{{ViewMode::Grid, "grid"},
                                     {ViewMode::Wipe, "wipe"},
                                     {ViewMode::Difference, "difference"},
                                     {ViewMode::OnionSkin, "onion_skin"},
                                     {ViewMode::Flicker, "flicker"}}};
constexpr Names<DifferenceKind, 4> kDifferences{{{DifferenceKind::Signed, "signed"},
                                                 {DifferenceKind::Absolute, "absolute"},
                                                 {DifferenceKind::Amplified, "amplified"},
                                                 {DifferenceKind::HeatMap, "heat_map"}}};
constexpr Names<SyncBy, 2> kSyncs{{{SyncBy::Time, "time"}, {SyncBy::FrameIndex, "frame_index"}}};
constexpr Names<LoopKind, 3> kLoops{
    {{LoopKind::Off, "off"}, {LoopKind::Whole, "whole"}, {LoopKind::Range, "range"}}};
constexpr Names<MagnifiedPixels, 2> kMagnified{
    {{MagnifiedPixels::Nearest, "nearest"}, {MagnifiedPixels::Smooth, "smooth"}}};

template <class Enum, std::size_t N>
const char* nameOf(const Names<Enum, N>& names, Enum value) {
    for (const auto& [each, name] : names)
        if (each == value) return name;
    return names[0].second;
}

template <class Enum, std::size_t N>
void readName(FieldReader& fields, const char* key, const Names<Enum, N>& names, Enum& target) {
    std::string text = nameOf(names, target);
    fields.text(key, text, 64);
    std::string known;
    for (const auto& [each, name] : names) {
        if (text == name) {
            target = each;
            return;
        }
        known += (known.empty() ? "" : ", ") + std::string(name);
    }
    fields.fail(std::string(key) + " " + showJson(text) + ": one of " + known + " was needed");
}

void readNumber(FieldReader& fields, const char* key, double& target, double low, double high) {
    fields.number(key, target);
    if (!(target >= low && target <= high))
        fields.fail(std::string(key) + " " + showJson(target) + ": from " + showJson(low) + " to " +
                    showJson(high) + " was needed");
}

void readInteger(FieldReader& fields, const char* key, int& target, int low, int high) {
    fields.integer(key, target, low);
    if (target > high)
        fields.fail(std::string(key) + " " + std::to_string(target) + ": at most " + std::to_string(high) +
                    " was needed");
}

Result<WipeLine> readWipe(const json& object) {
    WipeLine wipe;
    FieldReader fields(object, "wipe", ErrorCode::InvalidData);
    readNumber(fields, "x", wipe.x, 0, 1);
    readNumber(fields, "y", wipe.y, 0, 1);
    readNumber(fields, "angle_degrees", wipe.angleDegrees, -360, 360);
    if (auto read = fields.finish(); !read) return read.error();
    return wipe;
}

Result<ZoomedPart> readZoom(const json& object) {
    ZoomedPart zoom;
    FieldReader fields(object, "zoom", ErrorCode::InvalidData);
    readNumber(fields, "size", zoom.size, 1.0 / 1024, 1);
    readNumber(fields, "x", zoom.x, 0, 1 - zoom.size);
    readNumber(fields, "y", zoom.y, 0, 1 - zoom.size);
    if (auto read = fields.finish(); !read) return read.error();
    return zoom;
}

Result<LoopRange> readRange(const json& object) {
    LoopRange range;
    FieldReader fields(object, "range", ErrorCode::InvalidData);
    fields.requireNumber("in_seconds", range.inSeconds);
    fields.requireNumber("out_seconds", range.outSeconds);
    readNumber(fields, "out_seconds", range.outSeconds, 0, kMaxSeconds);
    readNumber(fields, "in_seconds", range.inSeconds, 0, range.outSeconds);
    if (auto read = fields.finish(); !read) return read.error();
    return range;
}

Result<ClipOffset> readOffset(const json& object, std::size_t tile) {
    ClipOffset offset;
    FieldReader fields(object, "offset of tile " + std::to_string(tile), ErrorCode::InvalidData);
    readNumber(fields, "seconds", offset.seconds, -kMaxSeconds, kMaxSeconds);
    readInteger(fields, "frames", offset.frames, -kMaxFrames, kMaxFrames);
    if (auto read = fields.finish(); !read) return read.error();
    return offset;
}

/// Reads the part at `part` where there is one.
template <class Part, class Target>
Result<void> take(const json* part, Result<Part> (*read)(const json&), Target& target) {
    if (part == nullptr) return {};
    auto value = read(*part);
    if (!value) return value.error();
    target = *value;
    return {};
}

}  // namespace

json toJson(const ViewState& view) {
    json object = {
        {"mode", nameOf(kModes, view.mode)},
        {"solo", view.solo},
        {"reference", view.reference},
        {"other", view.other},
        {"columns", view.columns},
        {"wipe", {{"x", view.wipe.x}, {"y", view.wipe.y}, {"angle_degrees", view.wipe.angleDegrees}}},
        {"difference", nameOf(kDifferences, view.difference)},
        {"gain", view.gain},
        {"onion_opacity", view.onionOpacity},
        {"flicker_hz", view.flickerHz},
        {"zoom", {{"x", view.zoom.x}, {"y", view.zoom.y}, {"size", view.zoom.size}}},
        {"magnified", nameOf(kMagnified, view.magnified)},
        {"pixel_values", view.pixelValues},
        {"frame_numbers", view.frameNumbers},
        {"sync", nameOf(kSyncs, view.sync)},
        {"loop", nameOf(kLoops, view.loop)},
        {"speed", view.speed}};
    if (view.range)
        object["range"] = {{"in_seconds", view.range->inSeconds}, {"out_seconds", view.range->outSeconds}};
    if (!view.offsets.empty()) object["offsets"] = json::array();
    for (const ClipOffset& offset : view.offsets)
        object["offsets"].push_back({{"seconds", offset.seconds}, {"frames", offset.frames}});
    return object;
}

Result<ViewState> viewStateFromJson(const json& object) {
    ViewState view;
    FieldReader fields(object, "view", ErrorCode::InvalidData);
    readName(fields, "mode", kModes, view.mode);
    readInteger(fields, "solo", view.solo, -1, static_cast<int>(kMaxClips) - 1);
    readInteger(fields, "reference", view.reference, -1, static_cast<int>(kMaxClips) - 1);
    readInteger(fields, "other", view.other, -1, static_cast<int>(kMaxClips) - 1);
    readInteger(fields, "columns", view.columns, 0, kMaxColumns);
    readName(fields, "difference", kDifferences, view.difference);
    readNumber(fields, "gain", view.gain, 1, 255);
    readNumber(fields, "onion_opacity", view.onionOpacity, 0, 1);
    readNumber(fields, "flicker_hz", view.flickerHz, 0.1, 30);
    readName(fields, "magnified", kMagnified, view.magnified);
    fields.boolean("pixel_values", view.pixelValues);
    fields.boolean("frame_numbers", view.frameNumbers);
    readName(fields, "sync", kSyncs, view.sync);
    readName(fields, "loop", kLoops, view.loop);
    readNumber(fields, "speed", view.speed, 0.1, 4);
    const json* wipe = fields.object("wipe");
    const json* zoom = fields.object("zoom");
    const json* range = fields.object("range");
    const json* offsets = fields.array("offsets", kMaxClips);
    if (auto read = fields.finish(); !read) return read.error();

    if (auto read = take(wipe, readWipe, view.wipe); !read) return read.error().in("view");
    if (auto read = take(zoom, readZoom, view.zoom); !read) return read.error().in("view");
    if (auto read = take(range, readRange, view.range); !read) return read.error().in("view");
    if (view.loop == LoopKind::Range && !view.range)
        return Error{ErrorCode::InvalidData, "view: loop \"range\" without \"range\""};
    for (std::size_t tile = 0; offsets != nullptr && tile < offsets->size(); ++tile) {
        auto offset = readOffset((*offsets)[tile], tile);
        if (!offset) return offset.error().in("view");
        view.offsets.push_back(*offset);
    }
    return view;
}

}  // namespace reelgrid::session
