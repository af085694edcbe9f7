#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/capture/attention_map.h"
#include "core/capture/captured_call.h"
#include "core/capture/tensor_statistics.h"

// What `captures --json` prints; a number that isn't finite is null.

namespace reelgrid::capture {

/// "fp32", "bf16", "fp16"
const char* dtypeName(const CapturedCall& call);

/// What a capture is, without its values.
nlohmann::json toJson(const CapturedCall& call);
/// `head`: whose channels are listed.
nlohmann::json toJson(const TensorStatistics& statistics, std::int64_t head);
nlohmann::json toJson(const AttentionMap& map);

}  // namespace reelgrid::capture
