#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/attention/dispatcher.h"
#include "core/base/result.h"
#include "core/catalog/render_settings.h"
#include "core/pipeline/stage_clock.h"
#include "core/protocol/render_request.h"

namespace reelgrid::pipeline {

/// What a finished render says of itself.
struct RunRecord {
    protocol::RenderRequest request;
    catalog::RenderSettings settings;
    std::string modelId;
    std::map<std::string, std::string> hashes;
    std::vector<attention::CallRecord> attention;
    std::string framesSha256;
};

/// manifest.json: request, resolved settings, seed, versions, device, model, attention, frames_sha256.
nlohmann::json manifestJson(const RunRecord& record);

/// timing.json: one entry a repetition; pipe_time is text + denoise + decode, as the reference scripts
/// measure it, and vae_decode_time runs from the end of the last step to the end of the pipe.
nlohmann::json timingJson(const std::vector<Timing>& repetitions);

}  // namespace reelgrid::pipeline
