#include "core/comparison/earlier_result.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/file_check.h"
#include "core/base/folder.h"
#include "core/base/json.h"
#include "core/base/sha256.h"
#include "core/base/version.h"
#include "core/comparison/compared_frames.h"
#include "core/protocol/asked_backends.h"
#include "core/protocol/result_paths.h"
#include "core/result/clip_result.h"
#include "core/result/model_hashes.h"
#include "core/result/picture_hashes.h"
#include "kernels/backends/backend_list.h"

namespace reelgrid::comparison {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Why there is no file to read; empty: there is one.
std::string lackOf(const fs::path& file, const std::string& what) {
    const auto found = requireFile(file, std::numeric_limits<std::uint64_t>::max());
    if (found) return {};
    return found.error().code == ErrorCode::NotFound ? "its " + what + " is missing" : found.error().message;
}

std::string missingFile(const fs::path& clip) {
    for (const char* name :
         {protocol::kManifestFile, protocol::kTimingFile, protocol::kMetricsFile, protocol::kLatentsFile})
        if (std::string lack = lackOf(protocol::resultFolderOf(clip) / name, name); !lack.empty())
            return lack;
    return {};
}

/// Maps that nothing asks for do no harm; those that are asked for have to be there.
std::string lockstepDifference(const result::ClipResult& earlier, const catalog::RenderSettings& now) {
    for (const std::string& backend : now.lockstep)
        if (!earlier.metrics.lockstep || earlier.metrics.lockstep->find(backend) == nullptr)
            return "its metrics.json has no lockstep map of " + backend;
    return {};
}

/// A plug-in that was built anew since is another kernel under the same name.
std::string pluginDifference(const result::Manifest& manifest, const catalog::RenderSettings& now) {
    for (const std::string& name : protocol::askedBackends(now)) {
        const kernels::BackendInfo* backend = kernels::findBackend(name);
        const bool isPlugin = backend != nullptr && backend->plugin != nullptr;
        const result::PluginRecord* then = manifest.pluginOf(name);
        if (then == nullptr && !isPlugin) continue;
        if (then == nullptr || !isPlugin || then->sha256 != backend->plugin->description.sha256)
            return "its " + name + " was another plug-in's, or another build of it";
        if (const std::string& runtime = backend->plugin->description.runtime; then->runtime != runtime)
            return "its " + name + " ran in " + then->runtime + ", now it would in " + runtime;
    }
    return {};
}

/// What was left open and is decided as the render runs counts as decided the same way.
catalog::RenderSettings decidedAs(catalog::RenderSettings now, const protocol::RenderRequest& request,
                                  const result::Manifest& manifest) {
    const auto& then = manifest.request->vaeTiling;
    const bool wasOpen = !then || *then == protocol::kTilingAuto;
    if (now.vaeTiling == protocol::kTilingAuto && wasOpen) now.vaeTiling = manifest.settings->vaeTiling;
    if (now.offload == protocol::kOffloadAuto && manifest.request->offload == protocol::kOffloadAuto)
        now.offload = manifest.settings->offload;
    // Nor does the number of a GPU that nobody chose, of this machine or another.
    if (!request.device && !manifest.request->device && now.device.starts_with("cuda") &&
        manifest.settings->device.starts_with("cuda"))
        now.device = manifest.settings->device;
    // Not recorded by earlier versions, which had the two others alone.
    if (now.forceOutputSize && manifest.settings->forceOutputSize)
        now.pictureFit = manifest.settings->pictureFit;
    // A picture's shape decides the size; of another picture the hash is another.
    if (now.imgFilePath && now.pictureFit == protocol::kKeepShape &&
        manifest.request->width == request.width && manifest.request->height == request.height) {
        now.width = manifest.settings->width;
        now.height = manifest.settings->height;
    }
    return now;
}

std::string settingsDifference(catalog::RenderSettings then, const catalog::RenderSettings& now) {
    then.lockstep = now.lockstep;
    then.saveLatentsEvery = now.saveLatentsEvery;  // which leaves nothing behind
    // Kept frames that nobody asks for now are no difference.
    if (now.keepFrames == protocol::kKeepOff) then.keepFrames = now.keepFrames;
    // Files that nobody asks for now are no difference.
    if (!now.saveInputs)
        protocol::forEachRenderField([&](const protocol::RenderField& field, auto access) {
            if (field.decides == protocol::Decides::Captures) access(then) = access(now);
        });
    if (then == now) return {};
    const json before = protocol::fieldsJson(then);
    const json after = protocol::fieldsJson(now);
    for (const auto& [key, value] : after.items())
        if (!before.contains(key))
            return "it had no " + key;
        else if (before[key] != value)
            return "its " + key + " was " + showJson(before[key]);
    return "its settings were others";
}

/// A clip that was cut, replaced or left by another render is not the one that its manifest is about.
std::string clipDifference(const fs::path& clip, const result::Manifest& manifest) {
    if (manifest.clipSha256.empty()) return "its manifest.json has no clip_sha256";
    const auto hash = sha256OfFile(clip);
    if (!hash) return hash.error().message;
    return *hash == manifest.clipSha256 ? "" : "the clip is not the one that its manifest.json is about";
}

std::string pictureDifference(const catalog::RenderSettings& now, const result::Manifest& manifest) {
    const auto hashes = result::pictureHashes(now);
    if (!hashes) return hashes.error().message;
    if (*hashes == manifest.pictureHashes) return {};
    // They are latents, and the one of these files that is no picture.
    constexpr const char* kChainFrom = "chain_from";
    const auto latentsOf = [](const auto& all) {
        const auto found = all.find(kChainFrom);
        return found == all.end() ? std::string() : found->second;
    };
    return latentsOf(*hashes) != latentsOf(manifest.pictureHashes)
               ? "the latents of --chain-from have changed since"
               : "the picture that it was made from has changed since";
}

/// Captures that were moved, deleted or replaced by another render's are not the ones that are wanted.
std::string captureDifference(const fs::path& clip, const result::Manifest& manifest) {
    if (!manifest.captures) return "its manifest.json names no captures";
    const protocol::CaptureRecord& captures = *manifest.captures;
    const fs::path folder = protocol::resultFolderOf(clip) / captures.folder;
    const auto hash = sha256OfFile(folder / protocol::captureMetadataFile(captures.kernel));
    if (!hash) return hash.error().message;
    if (*hash != captures.metadataSha256)
        return "the captures in " + folder.string() + " are another render's";
    const auto files = entriesOf(folder);
    if (!files) return files.error().message;
    const auto there = std::uint64_t(std::ranges::count_if(*files, [&](const fs::directory_entry& file) {
        return file.path().filename().string().starts_with(protocol::captureFilePrefix(captures.kernel));
    }));
    if (there >= captures.saved) return {};
    return std::to_string(there) + " of its " + std::to_string(captures.saved) + " captures are in " +
           folder.string();
}

/// Frames that were kept are what comparing reads.
std::string keptFramesDifference(const fs::path& clip, const catalog::RenderSettings& now,
                                 const result::Manifest& manifest) {
    if (now.keepFrames == protocol::kKeepOff || !manifest.keptFrames) return {};
    return keptFramesFault(clip, manifest);
}

}  // namespace

std::string EarlierResults::modelDifference(const catalog::RenderSettings& settings,
                                            const std::map<std::string, std::string>& hashesThen) {
    const auto hashesNow = modelHashes(m_model, settings, m_hasher);
    if (!hashesNow) return hashesNow.error().message;
    for (const auto& [component, hash] : *hashesNow) {
        const auto then = hashesThen.find(component);
        if (then == hashesThen.end()) return "its manifest.json has no hash of the model's " + component;
        if (then->second != hash) return "the model's " + component + " has changed since";
    }
    return {};
}

std::string EarlierResults::difference(const protocol::RenderRequest& request,
                                       const catalog::RenderSettings& settings) {
    const fs::path clip = request.output;
    if (std::string missing = missingFile(clip); !missing.empty()) return missing;
    const result::ClipResult earlier = result::readClipResult(clip);
    if (!earlier.problems.empty()) return earlier.problems.front().message;
    if (earlier.timings.empty()) return "its timing.json has no times";
    if (earlier.metrics.frames == 0) return "its metrics.json has no frames";

    const result::Manifest& manifest = earlier.manifest;
    const auto version = manifest.versions.find("reelgrid");
    if (version == manifest.versions.end() || version->second != kVersion)
        return "it was made by another version";
    if (!manifest.request || !manifest.settings) return "its manifest.json doesn't say what was rendered";
    if (manifest.request->model != request.model)
        return "its model was " + showJson(json(manifest.request->model));
    if (std::string other = settingsDifference(*manifest.settings, decidedAs(settings, request, manifest));
        !other.empty())
        return other;
    if (std::string other = pluginDifference(manifest, settings); !other.empty()) return other;
    if (settings.profileOutput)
        if (std::string lack = lackOf(protocol::tracePathOf(clip, *settings.profileOutput), "trace");
            !lack.empty())
            return lack;
    if (std::string other = pictureDifference(settings, manifest); !other.empty()) return other;
    if (std::string other = lockstepDifference(earlier, settings); !other.empty()) return other;
    if (std::string other = clipDifference(clip, manifest); !other.empty()) return other;
    if (std::string other = result::timingDifference(clip, manifest); !other.empty()) return other;
    if (std::string other = result::latentsDifference(clip, manifest); !other.empty()) return other;
    if (std::string other = keptFramesDifference(clip, settings, manifest); !other.empty()) return other;
    if (settings.saveInputs)
        if (std::string other = captureDifference(clip, manifest); !other.empty()) return other;
    return modelDifference(settings, manifest.modelHashes);
}

EarlierResult EarlierResults::look(const protocol::RenderRequest& request,
                                   const catalog::RenderSettings& settings) {
    std::error_code failed;
    if (!fs::exists(request.output, failed)) return {};
    const std::string why = difference(request, settings);
    return {why.empty() ? EarlierResult::State::Same : EarlierResult::State::Other, why};
}

}  // namespace reelgrid::comparison
