#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/result/clip_result.h"

namespace reelgrid::comparison {

/// {"clip", "files", "timing", "metrics", "manifest"}: a finished clip with its companions, as far as it has
/// them.
nlohmann::json clipJson(const std::filesystem::path& clip, const result::ClipResult& result);

/// "denoise 8.1 s, decode 3.2 s, …".
std::string timingLine(const result::Timing& timing);

/// "profiled: steps 4 to 5 and the decode in traces/a/trace_rank0.json.gz; their times have the profiler's in
/// them".
std::string profileLine(const result::ProfileRecord& profile);

/// "cache-0.08: 18 of 40 passes skipped all blocks but the first".
std::string stepCacheLine(const result::StepCacheRecord& cache);

/// "self-attention: sdpa 16 calls, fav2 48 calls; cross-attention: sdpa 64 calls in place of fav2":
/// what served the calls.
std::string attentionLine(const result::Manifest& manifest);

/// "lockstep, mean relative L1 of attention: fav2 0.0021, sagev1 0.013".
std::string lockstepLine(const metrics::LockstepMap& map);

/// One line for each backend that took another's place ("self-attention: fav2 was asked for, sdpa ran 4 calls
/// (head dim 512, …)") or left out a part of itself, and for each that was sparse how much it kept; before
/// them what the model says (Manifest::remarks).
std::vector<std::string> attentionRemarks(const result::Manifest& manifest);

/// "the VAE decoded in tiles of 256 pixels, …": tiles that weren't asked for are a different picture. Empty
/// when `asked` has them, or when there were none.
std::string tilingLine(const catalog::RenderSettings& asked, const result::Manifest& manifest);

/// "captures: the inputs of 10 of 640 attention calls, 67.5 MiB in /…/captures", and why there are fewer than
/// were asked for; empty when none were.
std::string captureLine(const std::filesystem::path& clip, const result::Manifest& manifest);

}  // namespace reelgrid::comparison
