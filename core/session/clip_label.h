#pragma once

#include <string>

#include "core/session/clip_measurements.h"

namespace reelgrid::session {

/// What a tile of a clip says: `attention` (protocol::attentionName), and whatever ran in its place:
/// "fav2 (ran sdpa)", "fav2+policy (ran fav2+sdpa; cross-attention ran sdpa)".
std::string clipLabel(const std::string& attention, const ClipMeasurements& measured);

}  // namespace reelgrid::session
