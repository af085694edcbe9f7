#include "core/suite/manifest_part.h"

#include <array>

namespace reelgrid::suite {
namespace {

using nlohmann::json;

constexpr std::array kComparedFields{"settings", "model",   "pictures", "versions",
                                     "device",   "machine", "plugins"};

}  // namespace

result::Manifest comparedPart(const result::Manifest& manifest) {
    result::Manifest part;
    part.settings = manifest.settings;
    part.versions = manifest.versions;
    part.device = manifest.device;
    part.deviceName = manifest.deviceName;
    part.machine = manifest.machine;
    part.threads = manifest.threads;
    part.instructionSet = manifest.instructionSet;
    part.processor = manifest.processor;
    part.modelId = manifest.modelId;
    part.modelHashes = manifest.modelHashes;
    part.pictureHashes = manifest.pictureHashes;
    part.plugins = manifest.plugins;
    return part;
}

json comparedJson(const result::Manifest& manifest) {
    const json all = result::toJson(comparedPart(manifest));
    json part = json::object();
    for (const char* key : kComparedFields)
        if (const auto value = all.find(key); value != all.end()) part[key] = *value;
    return part;
}

json alikeIn(const json& a, const json& b) {
    json alike = json::object();
    for (const auto& [key, value] : a.items()) {
        const auto other = b.find(key);
        if (other == b.end()) continue;
        if (value == *other)
            alike[key] = value;
        else if (value.is_object() && other->is_object())
            alike[key] = alikeIn(value, *other);
    }
    return alike;
}

json besides(const json& whole, const json& alike) {
    json rest = json::object();
    for (const auto& [key, value] : whole.items()) {
        const auto known = alike.find(key);
        if (known == alike.end()) {
            rest[key] = value;
        } else if (value != *known) {
            rest[key] = besides(value, *known);
        }
    }
    return rest;
}

}  // namespace reelgrid::suite
