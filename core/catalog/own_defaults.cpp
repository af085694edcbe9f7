#include "core/catalog/own_defaults.h"

#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/catalog/choice_words.h"
#include "core/devices/device_name.h"
#include "core/protocol/field_reader.h"
#include "core/protocol/render_request.h"

namespace reelgrid::catalog {
namespace {

/// A key that the file may have, and what its value has to be.
struct Rule {
    const char* key;
    bool isKept;
    std::string needed;
};

Rule sideRule(const char* key, int side, int before, const families::ModelInfo& model) {
    if (model.isSizeFixed) return {key, side == before, std::to_string(before) + ", this model's only one,"};
    return {key, model.sizes.allows(side), model.sizes.words()};
}

/// One of those that there are on any device.
Rule nameRule(const char* key, const std::string& name, const std::vector<std::string>& names) {
    return {key, isAmong(names, name), oneOf(names)};
}

/// Of the defaults as they are now, and as the family had them `before`.
std::vector<Rule> rulesOf(const families::ModelInfo& model, const families::RenderDefaults& before) {
    const families::RenderDefaults& now = model.defaults;
    const std::vector<std::string> dtypes{"fp32", "bf16", "fp16"};
    return {{"task", model.task(now.task) != nullptr, "for this model " + oneOf(model.taskNames())},
            sideRule("width", now.width, before.width, model),
            sideRule("height", now.height, before.height, model),
            {"num_frames", model.frames.allows(now.numFrames), model.frames.words()},
            {"device", devices::deviceNamed(now.device).ok(), "cpu, cuda or cuda:N"},
            nameRule("dtype", now.dtype, dtypes),
            nameRule("vae_dtype", now.vaeDtype, dtypes),
            nameRule("generator", now.generator, {"cpu", "cuda"}),
            nameRule("vae_tiling", now.vaeTiling,
                     {protocol::kTilingAuto, protocol::kTilingOn, protocol::kTilingOff}),
            {"vae_tile_px", !model.takes("vae_tiling") || now.vaeTilePx % model.sizes.sizeMultiple == 0,
             "a multiple of " + std::to_string(model.sizes.sizeMultiple)}};
}

}  // namespace

Result<void> readOwnDefaults(const std::filesystem::path& file, families::ModelInfo& model) {
    std::error_code failed;
    if (!std::filesystem::exists(file, failed)) return {};
    constexpr std::size_t kMostBytes = std::size_t{1} << 20;
    auto own = readJsonObject(file, kMostBytes, RepeatedKeys::Refused);
    if (!own) return own.error();
    protocol::FieldReader fields(*own, file.string(), ErrorCode::InvalidData);
    fields.text("title", model.title);
    if (auto read = fields.finish(); !read) return read;
    const families::RenderDefaults before = model.defaults;
    if (auto read = protocol::readRenderDefaults(*own, file.string(), model.defaults); !read) return read;
    for (const Rule& rule : rulesOf(model, before))
        if (const auto value = own->find(rule.key); value != own->end() && !value->is_null() && !rule.isKept)
            return Error{ErrorCode::InvalidData, file.string() + ": " + rule.key + " " + showJson(*value) +
                                                     ": " + rule.needed + " was needed"};
    return {};
}

}  // namespace reelgrid::catalog
