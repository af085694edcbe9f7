#pragma once

#include <filesystem>
#include <vector>

#include "core/base/result.h"
#include "core/metrics/clip_metrics.h"
#include "core/result/manifest.h"
#include "core/result/timing.h"

namespace reelgrid::result {

/// Everything that a clip's companions say of it. What was not measured is absent.
struct ClipResult {
    std::vector<Timing> timings;  ///< one a repetition
    metrics::ClipMetrics metrics;
    Manifest manifest;

    /// One message for each companion that could not be read; the others count all the same.
    std::vector<Error> problems;
    /// The companions are another clip's, and left out (readResultOfFile() alone looks).
    bool isOfAnotherClip = false;

    /// The last repetition's times; null when there are none.
    [[nodiscard]] const Timing* timing() const { return timings.empty() ? nullptr : &timings.back(); }
};

/// manifest.json alone, empty where there is none. Io or InvalidData, naming the file.
Result<Manifest> readManifest(const std::filesystem::path& clip);

/// Reads timing.json, metrics.json and manifest.json of a clip, as far as they exist; figures of another clip
/// than the manifest's are left out, and a problem says so. Blocks on the disk; safe on any thread.
ClipResult readClipResult(const std::filesystem::path& clip);

/// Why the clip's timing.json, or its latents.safetensors, is not the one that its manifest is about; empty:
/// it is, or nothing says so. Reads the whole file.
std::string timingDifference(const std::filesystem::path& clip, const Manifest& manifest);
std::string latentsDifference(const std::filesystem::path& clip, const Manifest& manifest);

/// The same of a file that anybody may have put there: where its manifest is about another clip of this name
/// nothing of the companions counts, and about other times not those; a problem says so. Reads the whole
/// clip.
ClipResult readResultOfFile(const std::filesystem::path& clip);

/// The latents.safetensors that a render kept beside its clip. NotFound where clip or latents are missing,
/// Io, or InvalidData where its manifest is about another clip of this name or about other latents. Reads
/// both whole.
Result<std::filesystem::path> latentsOfClip(const std::filesystem::path& clip);

}  // namespace reelgrid::result
