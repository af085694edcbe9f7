#pragma once

#include <string>

#include "core/base/result.h"
#include "core/media/frame.h"

namespace reelgrid::cli {

/// "24", "23.976", "30000/1001". BadUsage for anything that isn't a rate from 1 to 240.
Result<media::Rational> frameRateFrom(const std::string& text);

}  // namespace reelgrid::cli
