#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/text/encoders/umt5_config.h"

namespace reelgrid::text {

/// What Wan's own umT5 checkpoint (models_t5_umt5-xxl-enc-bf16.pth) calls a parameter that transformers'
/// UMT5EncoderModel calls `name`: "blocks.0.ffn.gate.0.weight" for
/// "encoder.block.0.layer.1.DenseReluDense.wi_0.weight". The tensors are the same. Source: Wan's
/// wan/modules/t5.py, T5Encoder.
std::string originalUmt5Name(const std::string& name);

/// The sizes of a tensor of the checkpoint by its own name; nothing when it has none of that name.
using ShapeOf = std::function<std::optional<std::vector<std::int64_t>>(const std::string& name)>;

/// Wan's checkpoint comes without a configuration: its shapes say all of it. Throws Failure(InvalidData)
/// naming `where` and the tensor that is missing or impossible.
Umt5Config originalUmt5Config(const ShapeOf& shapeOf, const std::string& where);

}  // namespace reelgrid::text
