#pragma once

#include <filesystem>

namespace reelgrid::protocol {

/// Where a clip's companions are: F.mp4 -> F.files/.
std::filesystem::path resultFolderOf(const std::filesystem::path& clip);

/// Names inside a result folder.
inline constexpr const char* kTimingFile = "timing.json";
inline constexpr const char* kManifestFile = "manifest.json";
inline constexpr const char* kMetricsFile = "metrics.json";
inline constexpr const char* kCapturesFolder = "captures";
inline constexpr const char* kLatentsFile = "latents.safetensors";
/// The latents of a render that is not over, or that failed after them.
inline constexpr const char* kPartialLatentsFile = "latents.partial.safetensors";

}  // namespace reelgrid::protocol
