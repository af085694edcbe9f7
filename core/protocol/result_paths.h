#pragma once

#include <filesystem>
#include <string>

namespace reelgrid::protocol {

/// Where `compare` and --benchmark-output-directory put clips, inside a comparison's folder.
inline constexpr const char* kResultsFolder = "results";

/// Where a clip's companions are: F.mp4 -> F.files/.
std::filesystem::path resultFolderOf(const std::filesystem::path& clip);

/// Whether --profile-output is a folder's path, not the name of a trace among the clip's files.
bool isTraceFolder(const std::string& profileOutput);
/// Where a clip's trace goes: F.files/traces/NAME/trace_rank0.json.gz, in a folder of the user's own
/// FOLDER/F/trace_rank0.json.gz, so that the clips of a comparison don't overwrite each other's.
std::filesystem::path tracePathOf(const std::filesystem::path& clip, const std::string& profileOutput,
                                  int rank = 0);

/// Names inside a result folder.
inline constexpr const char* kTimingFile = "timing.json";
inline constexpr const char* kManifestFile = "manifest.json";
inline constexpr const char* kMetricsFile = "metrics.json";
inline constexpr const char* kTracesFolder = "traces";
inline constexpr const char* kCapturesFolder = "captures";
inline constexpr const char* kLatentsFile = "latents.safetensors";
/// The frames as they were computed, without loss.
inline constexpr const char* kFramesFile = "frames.mkv";
/// The latents of a render that is not over, or that failed after them.
inline constexpr const char* kPartialLatentsFile = "latents.partial.safetensors";
/// What --resume goes on from, and what says so, of a render that is not over.
inline constexpr const char* kResumeFile = "resume.safetensors";
inline constexpr const char* kUnfinishedFile = "unfinished.json";

}  // namespace reelgrid::protocol
