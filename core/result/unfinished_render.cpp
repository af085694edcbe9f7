#include "core/result/unfinished_render.h"

#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>

#include "core/base/json.h"
#include "core/base/pending_file.h"
#include "core/protocol/field_reader.h"
#include "core/protocol/ranks.h"
#include "core/protocol/result_paths.h"

namespace reelgrid::result {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kMostBytes = std::size_t{1} << 20;

fs::path unfinishedFileOf(const fs::path& clip) {
    return protocol::resultFolderOf(clip) / protocol::kUnfinishedFile;
}

/// As one word of a POSIX shell.
std::string shellWord(const std::string& text) {
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,+=@%";
    if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
    std::string word = "'";
    for (const char letter : text) word += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    return word + "'";
}

std::string wordOf(const json& value) {
    if (value.is_string()) return shellWord(value.get<std::string>());
    if (value.is_object())
        return value.contains("cache") ? value["cache"].get<std::string>() + "@FILE" : "FILE";
    if (!value.is_array()) return value.dump();
    std::string joined;
    for (const json& name : value) joined += (joined.empty() ? "" : ",") + name.get<std::string>();
    return shellWord(joined);
}

std::string statusOf(const UnfinishedRender& render) {
    const std::string steps = " of " + std::to_string(render.steps) + " steps";
    if (render.stepsKept == 0)
        return "a render that has not ended, none" + steps + " kept yet: if no process writes it any more, " +
               "render again";
    return "a render that has not ended, " + std::to_string(render.stepsKept) + steps +
           " kept: if no process writes it any more, go on with the command in \"resume\"";
}

}  // namespace

Result<void> writeUnfinished(const fs::path& clip, const UnfinishedRender& render) {
    json object = {{"reelgrid_unfinished", 1},
                   {"status", statusOf(render)},
                   {"steps_kept", render.stepsKept},
                   {"steps", render.steps},
                   {"request", protocol::toJson(render.request)}};
    if (render.stepsKept > 0) {
        object["latents"] = protocol::kResumeFile;
        object["resume"] = resumeCommand(render.request);
    }
    return writeFile(unfinishedFileOf(clip), printJsonIndented(object));
}

Result<std::optional<UnfinishedRender>> readUnfinished(const fs::path& clip) {
    const fs::path file = unfinishedFileOf(clip);
    auto object = readJsonObject(file, kMostBytes);
    if (!object && object.error().code == ErrorCode::NotFound) return std::optional<UnfinishedRender>();
    if (!object) return object.error();
    UnfinishedRender render;
    protocol::FieldReader fields(*object, file.string(), ErrorCode::InvalidData);
    fields.integer("steps_kept", render.stepsKept, 0);
    fields.integer("steps", render.steps, 0);
    const json* request = fields.object("request", /*required=*/true);
    if (auto read = fields.finish(); !read) return read.error();
    auto asked = protocol::renderRequestFromJson(*request);
    if (!asked) return asked.error().in(file.string());
    render.request = *std::move(asked);
    return std::optional(std::move(render));
}

void removeUnfinished(const fs::path& clip) {
    std::error_code ignored;
    fs::remove(protocol::resultFolderOf(clip) / protocol::kResumeFile, ignored);
    fs::remove(unfinishedFileOf(clip), ignored);
}

void removeUnfinishedWithoutSteps(const fs::path& clip) {
    std::error_code ignored;
    if (!fs::exists(protocol::resultFolderOf(clip) / protocol::kResumeFile, ignored))
        fs::remove(unfinishedFileOf(clip), ignored);
}

std::string obstacleToResuming(const catalog::RenderSettings& settings) {
    if (settings.saveLatentsEvery == 0) return "--save-latents-every 0";
    if (settings.numRepetitions > 1) return "--num-repetitions " + std::to_string(settings.numRepetitions);
    if (settings.saveInputs) return "--save-inputs";
    if (!settings.lockstep.empty()) return "--lockstep";
    if (settings.profileOutput) return "--profile-output";
    // Each rank has its part of what is kept.
    if (settings.stepCache.isOn() && protocol::ranksOf(settings) > 1) return "--step-cache on several ranks";
    return {};
}

std::string resumeCommand(const protocol::RenderRequest& request) {
    std::string command = "reelgrid-cli render --model " + shellWord(request.model);
    const json given = protocol::fieldsJson(request), usual = protocol::fieldsJson(protocol::RenderRequest{});
    protocol::forEachRenderField([&](const protocol::RenderField& field, auto) {
        const auto value = given.find(field.key);
        if (value == given.end()) return;
        // Models may have a prompt of their own, which an empty one isn't.
        const bool isPrompt = std::string_view(field.key) == "prompt";
        if (!isPrompt && usual.contains(field.key) && usual[field.key] == *value) return;
        command += " " + optionOf(field);
        if (!value->is_boolean()) command += " " + wordOf(*value);
    });
    if (const auto ranks = protocol::ranksOf(request); ranks > 1)
        command += " --nproc " + std::to_string(ranks);
    return command + " --output " + shellWord(request.output) + " --resume";
}

}  // namespace reelgrid::result
