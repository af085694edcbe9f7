#pragma once

#include "core/text/encoders/t5_encoder.h"
#include "core/text/encoders/umt5_config.h"

namespace reelgrid::text {

/// A T5 encoder whose layers each have a position bias, which Umt5Config says.
using Umt5Encoder = T5Encoder;

}  // namespace reelgrid::text
