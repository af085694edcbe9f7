#include "core/comparison/clip_origin.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/json.h"
#include "core/base/number_text.h"
#include "core/comparison/caption.h"
#include "core/comparison/clip_labels.h"
#include "core/comparison/comfy_graph.h"
#include "core/comparison/parameters_text.h"
#include "core/protocol/result_paths.h"
#include "core/result/clip_result.h"

namespace reelgrid::comparison {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string* textOf(std::span<const media::TextTag> tags, std::string_view name) {
    const auto found = std::ranges::find(tags, name, &media::TextTag::name);
    return found == tags.end() ? nullptr : &found->text;
}

/// A JSON object; null for anything else.
json objectIn(const std::string& text) {
    auto parsed = parseJson(text, "tag", JsonDialect::Python);
    return parsed && parsed->is_object() ? *std::move(parsed) : json();
}

/// VideoHelperSuite's comment: its graph is an object, or text that holds one.
json graphInComment(const std::string& comment) {
    const json object = objectIn(comment);
    if (!object.is_object()) return {};
    const auto prompt = object.find("prompt");
    if (prompt == object.end()) return {};
    if (prompt->is_string()) return objectIn(prompt->get_ref<const std::string&>());
    return prompt->is_object() ? *prompt : json();
}

std::optional<ClipOrigin> originOfFile(const fs::path& file) {
    const auto tags = media::readTextTags(file);
    return tags ? originFromTags(*tags) : std::nullopt;
}

/// "a_00001.png" beside "a_00001.mp4" and "a_00001-audio.mp4".
fs::path pictureBeside(const fs::path& clip) {
    constexpr std::string_view kWithSound = "-audio";
    std::string stem = clip.stem().string();
    if (stem.ends_with(kWithSound)) stem.resize(stem.size() - kWithSound.size());
    return clip.parent_path() / (stem + ".png");
}

}  // namespace

std::string ClipOrigin::text() const {
    std::string all;
    const auto add = [&all](const std::string& part) {
        if (!part.empty()) all += (all.empty() ? "" : " · ") + part;
    };
    add(model);
    add(sampler.empty() || scheduler.empty() ? sampler + scheduler : sampler + " " + scheduler);
    if (steps) add(std::to_string(*steps) + (*steps == 1 ? " step" : " steps"));
    if (cfg) add("cfg " + significant(*cfg, 6));
    if (seed) add("seed " + std::to_string(*seed));
    return all;
}

std::optional<ClipOrigin> originFromTags(std::span<const media::TextTag> tags) {
    const std::string* comment = textOf(tags, "comment");
    if (const std::string* prompt = textOf(tags, "prompt"))
        if (auto origin = originOfGraph(objectIn(*prompt))) return origin;
    if (comment != nullptr)
        if (auto origin = originOfGraph(graphInComment(*comment))) return origin;
    for (const std::string* parameters : {textOf(tags, "parameters"), comment})
        if (parameters != nullptr)
            if (auto origin = originOfParameters(*parameters)) return origin;
    return std::nullopt;
}

std::optional<ClipOrigin> originOf(const fs::path& clip) {
    std::error_code failed;
    if (fs::exists(protocol::resultFolderOf(clip) / protocol::kManifestFile, failed)) return std::nullopt;
    if (auto origin = originOfFile(clip)) return origin;
    return originOfFile(pictureBeside(clip));
}

std::string labelWithOrigin(const fs::path& clip) {
    const Caption ran = captionOf(result::readResultOfFile(clip).manifest);
    if (!ran.name.empty()) return ran.labelled(labelOf(clip));
    const auto origin = originOf(clip);
    const std::string text = origin ? origin->text() : "";
    return labelOf(clip) + (text.empty() ? "" : " · " + text);
}

}  // namespace reelgrid::comparison
