#pragma once

#include <string>

#include "core/catalog/render_settings.h"

namespace reelgrid::comparison {

/// The file name that the family's own tools give (ModelInfo::clipPrefix), "cogvideox-2b_sdpa.mp4"; without
/// one as in "wan_result_t2v_ulysses1_ringNone_compileFalse_attn_sdpa_480x832.mp4". labelOf() reads both.
std::string clipName(const families::ModelInfo& model, const catalog::RenderSettings& settings);

/// The same from a request; what it leaves to the model is 0 in the name.
std::string clipName(const families::ModelInfo& model, const protocol::RenderRequest& request);

}  // namespace reelgrid::comparison
