#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/session/clip_measurements.h"

namespace reelgrid::cli {

/// {"clip", "files", "timing", "metrics", "manifest"}: a finished clip with its companions as they are.
nlohmann::json clipJson(const std::filesystem::path& clip);

/// "denoise 8.1 s, decode 3.2 s, …".
std::string timingLine(const session::RunTiming& run);

/// "self-attention: sdpa 16 calls, fav2 48 calls; cross-attention: sdpa 64 calls in place of fav2":
/// what served the calls.
std::string attentionLine(const session::ClipMeasurements& measured);

/// One line for each backend that took another's place ("self-attention: fav2 was asked for, sdpa ran 4 calls
/// (head dim 512, …)") or left out a part of itself.
std::vector<std::string> attentionRemarks(const session::ClipMeasurements& measured);

}  // namespace reelgrid::cli
