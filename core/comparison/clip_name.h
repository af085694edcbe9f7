#pragma once

#include <string>

#include "core/catalog/render_settings.h"

namespace reelgrid::comparison {

/// The file name that run_wan gives, which label patterns know:
/// wan_result_t2v_ulysses1_ringNone_compileFalse_attn_sdpa_480x832.mp4. The family is the model's ("wan2.1").
std::string clipName(const std::string& family, const catalog::RenderSettings& settings);

/// The same from a request; what it leaves to the model is 0 in the name.
std::string clipName(const std::string& family, const protocol::RenderRequest& request);

}  // namespace reelgrid::comparison
