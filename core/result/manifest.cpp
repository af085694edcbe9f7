#include "core/result/manifest.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/protocol/attention_name.h"
#include "core/protocol/field_reader.h"
#include "core/protocol/result_paths.h"
#include "core/protocol/step_cache_json.h"
#include "core/result/call_map_json.h"
#include "core/result/json_numbers.h"
#include "core/result/repeatability.h"

namespace reelgrid::result {
namespace {

using nlohmann::json;
using protocol::CallRecord;
using protocol::FieldReader;

json callJson(const CallRecord& call) {
    json object = {{"module", protocol::nameOf(call.kind)},
                   {"requested", call.requested},
                   {"used", call.used},
                   {"why", call.why},
                   {"calls", call.calls}};
    if (call.seconds) object["seconds"] = *call.seconds;
    if (call.kept) object["kept"] = *call.kept;
    return object;
}

Result<CallRecord> callFromJson(const json& object) {
    CallRecord call;
    std::string module = protocol::nameOf(call.kind);
    FieldReader fields(object, "attention", ErrorCode::InvalidData);
    fields.text("module", module, kMaxNameBytes);
    fields.requireText("requested", call.requested, kMaxNameBytes);
    fields.requireText("used", call.used, kMaxNameBytes);
    fields.text("why", call.why);
    fields.integer("calls", call.calls);
    fields.number("seconds", call.seconds);
    fields.number("kept", call.kept);
    const auto kind = protocol::moduleKindFrom(module);
    if (!kind)
        fields.fail("module " + showJson(json(module)) + ": self, cross, joint or temporal was needed");
    if (auto read = fields.finish(); !read) return read.error();
    call.kind = *kind;
    return call;
}

json captureJson(const protocol::CaptureRecord& captures) {
    json object = {{"folder", captures.folder}, {"kernel", captures.kernel}, {"rank", captures.rank},
                   {"saved", captures.saved},   {"calls", captures.calls},   {"bytes", captures.bytes},
                   {"why", captures.why}};
    if (!captures.metadataSha256.empty()) object["metadata_sha256"] = captures.metadataSha256;
    return object;
}

Result<void> readCaptures(const json* object, Manifest& manifest) {
    if (object == nullptr) return {};
    protocol::CaptureRecord& captures = manifest.captures.emplace();
    FieldReader fields(*object, "captures", ErrorCode::InvalidData);
    fields.text("folder", captures.folder);
    fields.text("kernel", captures.kernel, kMaxNameBytes);
    fields.integer("rank", captures.rank, 0);
    fields.integer("saved", captures.saved);
    fields.integer("calls", captures.calls);
    fields.integer("bytes", captures.bytes);
    fields.text("why", captures.why);
    fields.text("metadata_sha256", captures.metadataSha256, kMaxNameBytes);
    return fields.finish();
}

/// Names and texts: versions, hashes.
Result<std::map<std::string, std::string>> textsFromJson(const json* object, const std::string& what,
                                                         std::size_t maxBytes = kMaxNameBytes) {
    std::map<std::string, std::string> texts;
    if (object == nullptr) return texts;
    FieldReader fields(*object, what, ErrorCode::InvalidData);
    for (const auto& [name, value] : object->items()) {
        if (texts.size() >= kMaxEntries || name.size() > kMaxNameBytes) continue;
        fields.requireText(name.c_str(), texts[name], maxBytes);
    }
    if (auto read = fields.finish(); !read) return read.error();
    return texts;
}

/// Counts and steps.
Result<std::vector<int>> integersFromJson(const json& list, const std::string& what) {
    std::vector<int> numbers;
    for (const json& number : list) {
        constexpr int kMost = std::numeric_limits<int>::max();
        const bool fits = number.is_number_unsigned()
                              ? number.get<std::uint64_t>() <= std::uint64_t{kMost}
                              : number.is_number_integer() && number.get<std::int64_t>() >= 0 &&
                                    number.get<std::int64_t>() <= kMost;
        if (!fits)
            return Error{ErrorCode::InvalidData, what + ": " + showJson(number) +
                                                     ": a whole number from 0 to " + std::to_string(kMost) +
                                                     " was needed"};
        numbers.push_back(number.get<int>());
    }
    return numbers;
}

Result<void> readModel(const json* object, Manifest& manifest) {
    if (object == nullptr) return {};
    FieldReader fields(*object, "model", ErrorCode::InvalidData);
    fields.text("id", manifest.modelId);
    const json* hashes = fields.object("hashes");
    const json* paths = fields.object("paths");
    if (auto read = fields.finish(); !read) return read;
    auto texts = textsFromJson(hashes, "hashes");
    if (!texts) return texts.error();
    manifest.modelHashes = *std::move(texts);
    auto elsewhere = textsFromJson(paths, "paths", kMaxPathBytes);
    if (!elsewhere) return elsewhere.error();
    manifest.modelPaths = *std::move(elsewhere);
    return {};
}

Result<void> readDevice(const json* object, Manifest& manifest) {
    if (object == nullptr) return {};
    FieldReader fields(*object, "device", ErrorCode::InvalidData);
    fields.text("type", manifest.device, kMaxNameBytes);
    fields.text("name", manifest.deviceName, kMaxNameBytes);
    fields.integer("threads", manifest.threads);
    fields.text("instruction_set", manifest.instructionSet, kMaxNameBytes);
    fields.text("processor", manifest.processor, kMaxNameBytes);
    return fields.finish();
}

json profileJson(const ProfileRecord& profile) {
    return {{"trace", profile.trace},
            {"first_step", profile.firstStep},
            {"steps", profile.steps},
            {"decode", profile.decode}};
}

Result<void> readProfile(const json* object, Manifest& manifest) {
    if (object == nullptr) return {};
    ProfileRecord& profile = manifest.profile.emplace();
    FieldReader fields(*object, "profile", ErrorCode::InvalidData);
    fields.text("trace", profile.trace);
    fields.integer("first_step", profile.firstStep, 0);
    fields.integer("steps", profile.steps, 0);
    fields.boolean("decode", profile.decode);
    return fields.finish();
}

json stepCacheJson(const StepCacheRecord& cache) {
    json object = {{"threshold", cache.cache.threshold},
                   {"passes", cache.passes},
                   {"skipped", cache.skipped},
                   {"skipped_per_step", cache.skippedPerStep}};
    if (cache.cache.method != protocol::StepCache::Method::FirstBlock)
        object["cache"] = protocol::toJson(cache.cache);
    return object;
}

Result<void> readStepCache(const json* object, Manifest& manifest) {
    if (object == nullptr) return {};
    StepCacheRecord& cache = manifest.stepCache.emplace();
    FieldReader fields(*object, "step_cache", ErrorCode::InvalidData);
    fields.requireNumber("threshold", cache.cache.threshold);
    fields.integer("passes", cache.passes, 0);
    fields.integer("skipped", cache.skipped, 0);
    const json* perStep = fields.array("skipped_per_step", kMaxEntries);
    if (auto read = fields.finish(); !read) return read;
    if (const auto named = object->find("cache"); named != object->end()) {
        auto read = protocol::stepCacheFromJson(*named);
        if (!read) return Error{ErrorCode::InvalidData, read.error().message};
        cache.cache = *std::move(read);
    }
    if (perStep == nullptr) return {};
    auto numbers = integersFromJson(*perStep, "skipped_per_step");
    if (!numbers) return numbers.error();
    cache.skippedPerStep = *std::move(numbers);
    return {};
}

json pluginJson(const PluginRecord& plugin) {
    json object = {{"backend", plugin.backend}, {"file", plugin.file}, {"sha256", plugin.sha256}};
    if (!plugin.version.empty()) object["version"] = plugin.version;
    if (!plugin.interpreter.empty()) object["interpreter"] = plugin.interpreter;
    if (!plugin.runtime.empty()) object["runtime"] = plugin.runtime;
    return object;
}

json memoryJson(const MemoryRecord& memory) {
    json object = {{"offload", memory.offload}};
    if (memory.weightShards > 1) object["weight_shards"] = memory.weightShards;
    if (memory.predictedPeak) object["predicted_peak_bytes"] = *memory.predictedPeak;
    if (memory.measuredPeak) object["measured_peak_bytes"] = *memory.measuredPeak;
    return object;
}

Result<void> readMemory(const json* object, Manifest& manifest) {
    if (object == nullptr) return {};
    MemoryRecord& memory = manifest.memory.emplace();
    FieldReader fields(*object, "memory", ErrorCode::InvalidData);
    fields.text("offload", memory.offload, kMaxNameBytes);
    fields.integer("weight_shards", memory.weightShards);
    for (const auto& [key, bytes] : {std::pair{"predicted_peak_bytes", &memory.predictedPeak},
                                     std::pair{"measured_peak_bytes", &memory.measuredPeak}}) {
        if (!object->contains(key)) continue;
        fields.integer(key, bytes->emplace());
    }
    return fields.finish();
}

Result<void> readKeptFrames(const json* object, Manifest& manifest) {
    if (object == nullptr) return {};
    KeptFrames& kept = manifest.keptFrames.emplace();
    FieldReader fields(*object, "kept_frames", ErrorCode::InvalidData);
    fields.integer("bytes", kept.bytes);
    fields.requireText("sha256", kept.sha256, kMaxNameBytes);
    return fields.finish();
}

Result<void> readGemms(const json* object, Manifest& manifest) {
    if (object == nullptr) return {};
    GemmRecord& gemms = manifest.gemms.emplace();
    FieldReader fields(*object, "gemms", ErrorCode::InvalidData);
    fields.text("requested", gemms.requested, kMaxNameBytes);
    fields.text("used", gemms.used, kMaxNameBytes);
    fields.text("why", gemms.why);
    return fields.finish();
}

Result<void> readTemporal(const json* object, Manifest& manifest) {
    if (object == nullptr) return {};
    TemporalRecord& temporal = manifest.temporal.emplace();
    FieldReader fields(*object, "temporal", ErrorCode::InvalidData);
    fields.text("form", temporal.form, kMaxNameBytes);
    fields.number("alpha", temporal.alpha);
    fields.text("why", temporal.why);
    return fields.finish();
}

Result<void> readPlugins(const json* plugins, Manifest& manifest) {
    for (std::size_t i = 0; plugins != nullptr && i < plugins->size(); ++i) {
        PluginRecord& plugin = manifest.plugins.emplace_back();
        FieldReader fields((*plugins)[i], "plugin", ErrorCode::InvalidData);
        fields.requireText("backend", plugin.backend, kMaxNameBytes);
        fields.text("file", plugin.file);
        fields.text("sha256", plugin.sha256, kMaxNameBytes);
        fields.text("version", plugin.version, kMaxNameBytes);
        fields.text("interpreter", plugin.interpreter);
        fields.text("runtime", plugin.runtime, kMaxNameBytes);
        if (auto read = fields.finish(); !read) return read;
    }
    return {};
}

Result<void> readRender(const json* request, const json* settings, Manifest& manifest) {
    if (request != nullptr) {
        auto read = protocol::renderRequestFromJson(*request);
        if (!read) return read.error();
        manifest.request = *std::move(read);
    }
    if (settings != nullptr) {
        catalog::RenderSettings known;
        auto read = protocol::readRenderSettings(*settings, known);
        if (!read) return read.error();
        manifest.settings = std::move(known);
    }
    return {};
}

}  // namespace

const PluginRecord* Manifest::pluginOf(const std::string& backend) const {
    for (const PluginRecord& plugin : plugins)
        if (plugin.backend == backend) return &plugin;
    return nullptr;
}

std::string Manifest::usedAttention(protocol::ModuleKind kind) const {
    std::vector<std::string> used;
    for (const CallRecord& call : attention)
        if (call.kind == kind && std::ranges::find(used, call.used) == used.end()) used.push_back(call.used);
    std::string joined;
    for (const std::string& name : used) joined += (joined.empty() ? "" : "+") + name;
    return joined;
}

std::string Manifest::attentionName() const {
    if (!request) return {};
    return protocol::attentionName(*request);
}

json toJson(const Manifest& manifest) {
    json attention = json::array();
    for (const CallRecord& call : manifest.attention) attention.push_back(callJson(call));
    json object = {{"versions", manifest.versions},
                   {"device", {{"type", manifest.device}, {"threads", manifest.threads}}},
                   {"model", {{"id", manifest.modelId}, {"hashes", manifest.modelHashes}}},
                   {"attention", std::move(attention)},
                   {"frames_sha256", manifest.framesSha256},
                   {"clip_sha256", manifest.clipSha256}};
    const Repeatability repeats = repeatabilityOf(manifest.attention, manifest.plugins);
    object["repeats"] = {{"same_bits", repeats.sameBits}, {"why", repeats.whyNot}};
    for (const PluginRecord& plugin : manifest.plugins) object["plugins"].push_back(pluginJson(plugin));
    if (!manifest.timingSha256.empty()) object["timing_sha256"] = manifest.timingSha256;
    if (!manifest.latentsSha256.empty()) object["latents_sha256"] = manifest.latentsSha256;
    if (!manifest.modelPaths.empty()) object["model"]["paths"] = manifest.modelPaths;
    if (!manifest.machine.empty()) object["machine"] = manifest.machine;
    if (!manifest.engine.empty()) object["engine"] = manifest.engine;
    if (!manifest.deviceName.empty()) object["device"]["name"] = manifest.deviceName;
    if (!manifest.instructionSet.empty()) object["device"]["instruction_set"] = manifest.instructionSet;
    if (!manifest.processor.empty()) object["device"]["processor"] = manifest.processor;
    if (manifest.stepCache) object["step_cache"] = stepCacheJson(*manifest.stepCache);
    if (!manifest.pictureHashes.empty()) object["pictures"] = manifest.pictureHashes;
    if (!manifest.resumedAt.empty()) object["resumed_at"] = manifest.resumedAt;
    if (manifest.profile) object["profile"] = profileJson(*manifest.profile);
    if (!manifest.calls.maps.empty()) object["calls"] = toJson(manifest.calls);
    if (manifest.captures) object["captures"] = captureJson(*manifest.captures);
    if (manifest.keptFrames)
        object["kept_frames"] = {{"file", protocol::kFramesFile},
                                 {"bytes", manifest.keptFrames->bytes},
                                 {"sha256", manifest.keptFrames->sha256}};
    if (manifest.memory) object["memory"] = memoryJson(*manifest.memory);
    if (manifest.gemms)
        object["gemms"] = {{"requested", manifest.gemms->requested},
                           {"used", manifest.gemms->used},
                           {"why", manifest.gemms->why}};
    if (!manifest.remarks.empty()) object["remarks"] = manifest.remarks;
    if (manifest.temporal)
        object["temporal"] = {{"form", manifest.temporal->form},
                              {"alpha", manifest.temporal->alpha},
                              {"why", manifest.temporal->why}};
    if (manifest.request) object["request"] = protocol::toJson(*manifest.request);
    if (manifest.settings) {
        object["settings"] = protocol::fieldsJson(*manifest.settings);
        object["seed"] = manifest.settings->seed;
    }
    return object;
}

Result<Manifest> manifestFromJson(const json& object) {
    Manifest manifest;
    FieldReader fields(object, "manifest", ErrorCode::InvalidData);
    const json* request = fields.object("request");
    const json* settings = fields.object("settings");
    const json* versions = fields.object("versions");
    const json* device = fields.object("device");
    const json* model = fields.object("model");
    const json* pictures = fields.object("pictures");
    const json* attention = fields.array("attention", kMaxEntries);
    const json* plugins = fields.array("plugins", kMaxEntries);
    const json* calls = fields.object("calls");
    const json* profile = fields.object("profile");
    const json* captures = fields.object("captures");
    const json* keptFrames = fields.object("kept_frames");
    const json* memory = fields.object("memory");
    const json* gemms = fields.object("gemms");
    const json* temporal = fields.object("temporal");
    const json* stepCache = fields.object("step_cache");
    const json* resumedAt = fields.array("resumed_at", kMaxEntries);
    const json* remarks = fields.array("remarks", kMaxEntries);
    fields.text("machine", manifest.machine, kMaxNameBytes);
    fields.text("engine", manifest.engine, kMaxNameBytes);
    fields.text("frames_sha256", manifest.framesSha256, kMaxNameBytes);
    fields.text("clip_sha256", manifest.clipSha256, kMaxNameBytes);
    fields.text("timing_sha256", manifest.timingSha256, kMaxNameBytes);
    fields.text("latents_sha256", manifest.latentsSha256, kMaxNameBytes);
    if (auto read = fields.finish(); !read) return read.error();
    for (std::size_t i = 0; attention != nullptr && i < attention->size(); ++i) {
        auto call = callFromJson((*attention)[i]);
        if (!call) return call.error();
        manifest.attention.push_back(*std::move(call));
    }
    for (std::size_t i = 0; remarks != nullptr && i < remarks->size(); ++i) {
        if (!(*remarks)[i].is_string())
            return Error{ErrorCode::InvalidData, "manifest: remarks: a list of texts was needed"};
        manifest.remarks.push_back((*remarks)[i]);
    }
    if (calls != nullptr) {
        auto maps = callMapsFromJson(*calls);
        if (!maps) return maps.error();
        manifest.calls = *std::move(maps);
    }
    auto texts = textsFromJson(versions, "versions");
    if (!texts) return texts.error();
    manifest.versions = *std::move(texts);
    auto hashes = textsFromJson(pictures, "pictures");
    if (!hashes) return hashes.error();
    manifest.pictureHashes = *std::move(hashes);
    if (auto read = readDevice(device, manifest); !read) return read.error();
    if (auto read = readCaptures(captures, manifest); !read) return read.error();
    if (auto read = readKeptFrames(keptFrames, manifest); !read) return read.error();
    if (auto read = readMemory(memory, manifest); !read) return read.error();
    if (auto read = readGemms(gemms, manifest); !read) return read.error();
    if (auto read = readTemporal(temporal, manifest); !read) return read.error();
    if (auto read = readModel(model, manifest); !read) return read.error();
    if (auto read = readPlugins(plugins, manifest); !read) return read.error();
    if (auto read = readProfile(profile, manifest); !read) return read.error();
    if (auto read = readRender(request, settings, manifest); !read) return read.error();
    if (auto read = readStepCache(stepCache, manifest); !read) return read.error();
    if (resumedAt != nullptr) {
        auto steps = integersFromJson(*resumedAt, "resumed_at");
        if (!steps) return steps.error();
        manifest.resumedAt = *std::move(steps);
    }
    return manifest;
}

}  // namespace reelgrid::result
