#pragma once

#include "core/text/encoders/t5_config.h"

namespace reelgrid::text {

/// config.json of a transformers UMT5EncoderModel.
struct Umt5Config : T5Config {
    /// As T5Config's, for umT5.
    static Umt5Config read(const weights::ModelConfig& config);
};

}  // namespace reelgrid::text
