#include "core/result/same_denoising.h"

#include <nlohmann/json.hpp>

#include "core/base/json.h"

namespace reelgrid::result {
namespace {

using nlohmann::json;
using protocol::Decides;
using Texts = std::map<std::string, std::string>;

/// What a step's latents depend on. The device is told by its kind and name: one GPU is as good as another
/// of its make.
json settingsOf(const Manifest& manifest) {
    json known = manifest.settings ? protocol::fieldsJson(*manifest.settings) : json::object();
    protocol::forEachRenderField([&](const protocol::RenderField& field, auto) {
        if (field.decides == Decides::Nothing || field.decides == Decides::Captures) known.erase(field.key);
    });
    for (const char* key : {"device", "vae_dtype", "vae_tiling", "vae_tile_px"}) known.erase(key);
    return known;
}

std::string wasAndIs(const std::string& what, const json& before, const json& after) {
    return "its " + what + " was " + (before.is_null() ? "none" : showJson(before)) + ", now it is " +
           (after.is_null() ? "none" : showJson(after));
}

/// Of two objects the first member that differs.
std::string firstDifference(const json& then, const json& now, const std::string& prefix = {}) {
    for (const json* side : {&now, &then})
        for (const auto& [key, ignored] : side->items()) {
            const json before = then.value(key, json()), after = now.value(key, json());
            if (before != after) return wasAndIs(prefix + key, before, after);
        }
    return {};
}

/// Hashes say little to a person.
std::string changedFiles(const Texts& then, const Texts& now, const std::string& whose) {
    for (const Texts* side : {&now, &then})
        for (const auto& [name, ignored] : *side) {
            const auto before = then.find(name), after = now.find(name);
            if (before == then.end() || after == now.end() || before->second != after->second)
                return whose + name + " has changed since";
        }
    return {};
}

Texts pluginFiles(const Manifest& manifest) {
    Texts files;
    for (const PluginRecord& plugin : manifest.plugins) files[plugin.backend] = plugin.sha256;
    return files;
}

/// "cuda:1" → "cuda"
std::string deviceKindOf(const std::string& device) {
    return device.substr(0, device.find(':'));
}

json machineOf(const Manifest& manifest) {
    json machine = {{"device", deviceKindOf(manifest.device)}, {"device's name", manifest.deviceName}};
    // A sum's order is decided by both.
    if (deviceKindOf(manifest.device) == "cpu") {
        machine["number of threads"] = manifest.threads;
        machine["instruction set"] = manifest.instructionSet;
    }
    return machine;
}

}  // namespace

std::string differenceInDenoising(const Manifest& then, const Manifest& now) {
    if (std::string other = firstDifference(settingsOf(then), settingsOf(now)); !other.empty()) return other;
    if (std::string other = firstDifference(then.versions, now.versions, "version of "); !other.empty())
        return other;
    if (std::string other = firstDifference(machineOf(then), machineOf(now)); !other.empty()) return other;
    if (std::string other = changedFiles(then.modelHashes, now.modelHashes, "the model's "); !other.empty())
        return other;
    if (std::string other = changedFiles(then.pictureHashes, now.pictureHashes, "the picture of ");
        !other.empty())
        return other;
    return changedFiles(pluginFiles(then), pluginFiles(now), "the plug-in of ");
}

}  // namespace reelgrid::result
