#include "core/comparison/render_differences.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "core/base/json.h"
#include "core/base/one_line.h"
#include "core/protocol/asked_backends.h"
#include "core/protocol/attention_name.h"
#include "core/protocol/backend_option.h"
#include "core/protocol/lora_choice.h"

namespace reelgrid::comparison {
namespace {

using nlohmann::json;
using protocol::Decides;
using protocol::RenderField;
using result::Manifest;
using Texts = std::map<std::string, std::string>;

constexpr const char *kHashes = "model.hashes.", *kPictures = "pictures.";

/// Neither picture nor cost, or another field's business.
constexpr std::array kDecideNothing{"device", "force_output_size", "save_latents_every", "chain_save",
                                    "recipe", "lockstep",          "input_dir"};

/// The LoRAs' files by their names: what they hold is told by hashes.
std::vector<std::string> namesOf(std::vector<std::string> loras) {
    for (std::string& text : loras)
        if (auto choice = protocol::LoraChoice::from(text)) {
            choice->file = std::filesystem::path(choice->file).filename().string();
            text = choice->text();
        }
    return loras;
}

/// Parameters of the backends that are asked for.
std::vector<std::string> optionsInUse(const catalog::RenderSettings& settings) {
    const std::set<std::string> asked = protocol::askedBackends(settings);
    std::vector<std::string> options;
    for (const protocol::BackendOptionChoice& choice : protocol::choicesIn(settings.backendOption))
        if (asked.contains(choice.backend))
            options.push_back(choice.backend + "." + choice.key + "=" + choice.value);
    std::ranges::sort(options);
    return options;
}

/// The settings as far as they decide anything, and the model.
json decidingFields(const Manifest& manifest) {
    const catalog::RenderSettings& settings = *manifest.settings;
    json fields = protocol::fieldsJson(settings);
    for (const char* key : kDecideNothing) fields.erase(key);
    if (!settings.lora.empty()) fields["lora"] = namesOf(settings.lora);
    if (!settings.lora2.empty()) fields["lora_2"] = namesOf(settings.lora2);
    if (!protocol::asksForSparse(settings)) fields.erase("sla_topk");
    fields.erase("backend_option");
    if (auto options = optionsInUse(settings); !options.empty())
        fields["backend_option"] = std::move(options);
    if (settings.vaeTiling == protocol::kTilingOff) fields.erase("vae_tile_px");
    // Models that are told how much is to move are told the frame rate, too.
    if (!settings.motionBucketId) fields.erase("fps");
    for (const char* degree : {"ulysses_degree", "ring_degree", "cfg_parallel"})
        if (fields.value(degree, 1) == 1) fields.erase(degree);
    if (settings.profileOutput)
        fields["profile_output"] = true;
    else
        for (const char* key : {"profile_wait", "profile_warmup", "profile_active"}) fields.erase(key);
    if (!settings.saveInputs)
        protocol::forEachRenderField([&](const RenderField& field, auto) {
            if (field.decides == Decides::Captures) fields.erase(field.key);
        });
    fields["model"] = manifest.modelId;
    return fields;
}

/// Leaves out names of files whose contents are known on both sides: those are compared.
void leaveOutHashed(json& fields, const Manifest& here, const Manifest& there) {
    if (!here.modelHashes.empty() && here.modelHashes == there.modelHashes) fields.erase("model");
    protocol::forEachRenderField([&](const RenderField& field, auto) {
        const auto areKnown = [&](const Texts& own, const Texts& other) {
            return own.contains(field.key) && other.contains(field.key);
        };
        if ((field.isModelPart && areKnown(here.modelHashes, there.modelHashes)) ||
            areKnown(here.pictureHashes, there.pictureHashes))
            fields.erase(field.key);
    });
}

json valueAt(const json& fields, const std::string& key) {
    const auto found = fields.find(key);
    return found == fields.end() ? json() : *found;
}

bool differIn(const std::vector<FieldDifference>& differences, const char* field) {
    return std::ranges::find(differences, field, &FieldDifference::field) != differences.end();
}

/// "lora 1: detail.safetensors" is what the field lora names.
const char* fieldOfHash(const std::string& name) {
    if (name.starts_with("lora_2 ")) return "lora_2";
    return name.starts_with("lora ") ? "lora" : "model";
}

void addHashes(const Texts& here, const Texts& there, const char* prefix,
               std::vector<FieldDifference>& differences) {
    Texts names = here;
    names.insert(there.begin(), there.end());
    for (const auto& [name, ignored] : names) {
        const auto own = here.find(name), other = there.find(name);
        if (own != here.end() && other != there.end() && own->second == other->second) continue;
        differences.push_back({prefix + name, own == here.end() ? json() : json(own->second),
                               other == there.end() ? json() : json(other->second)});
    }
}

/// Whether the field decides time or memory alone. Without kept frames figures are of decoded clips.
bool decidesCostAlone(const std::string& key) {
    if (key == "fps" || key == "keep_frames") return false;
    bool decides = false;
    protocol::forEachRenderField([&](const RenderField& field, auto) {
        if (key == field.key)
            decides = field.decides == Decides::Nothing || field.decides == Decides::Captures;
    });
    return decides;
}

std::string shown(const FieldDifference& difference, const json& value) {
    constexpr std::size_t kHashDigits = 8;
    if (value.is_null()) return "none";
    const bool isHash = difference.field.starts_with(kHashes) || difference.field.starts_with(kPictures);
    return isHash && value.is_string() ? value.get<std::string>().substr(0, kHashDigits) : showJson(value);
}

}  // namespace

std::string textOf(const FieldDifference& difference) {
    return nameInOneLine(difference.field) + " " + shown(difference, difference.here) + " here, " +
           shown(difference, difference.there) + " there";
}

RenderDifferences differencesBetween(const Manifest& here, const Manifest& there,
                                     const std::set<std::string>& varied) {
    RenderDifferences found;
    if (here.settings == there.settings && here.modelId == there.modelId &&
        here.modelHashes == there.modelHashes && here.pictureHashes == there.pictureHashes)
        return found;
    json own = decidingFields(here), other = decidingFields(there);
    for (json* fields : {&own, &other}) {
        leaveOutHashed(*fields, here, there);
        for (const std::string& key : varied) fields->erase(key);
    }
    json keys = own;
    keys.update(other);
    for (const auto& [key, ignored] : keys.items()) {
        FieldDifference difference{key, valueAt(own, key), valueAt(other, key)};
        if (difference.here == difference.there) continue;
        (decidesCostAlone(key) ? found.cost : found.picture).push_back(std::move(difference));
    }
    // Of another model, or other LoRAs, all hashes are others.
    if (!here.modelHashes.empty() && !there.modelHashes.empty()) {
        std::vector<FieldDifference> files;
        addHashes(here.modelHashes, there.modelHashes, kHashes, files);
        std::erase_if(files, [&](const FieldDifference& file) {
            return differIn(found.picture, fieldOfHash(file.field.substr(std::string_view(kHashes).size())));
        });
        found.picture.insert(found.picture.end(), files.begin(), files.end());
    }
    for (const auto& [field, hash] : here.pictureHashes)
        if (const auto same = there.pictureHashes.find(field);
            same != there.pictureHashes.end() && same->second != hash)
            found.picture.push_back({kPictures + field, hash, same->second});
    return found;
}

}  // namespace reelgrid::comparison
