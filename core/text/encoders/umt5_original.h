#pragma once

#include <string>

#include "core/text/encoders/umt5_config.h"
#include "core/weights/weight_file.h"

namespace reelgrid::text {

/// What Wan's own umT5 checkpoint (models_t5_umt5-xxl-enc-bf16.pth) calls a parameter that transformers'
/// UMT5EncoderModel calls `name`: "blocks.0.ffn.gate.0.weight" for
/// "encoder.block.0.layer.1.DenseReluDense.wi_0.weight". The tensors are the same. Source: Wan's
/// wan/modules/t5.py, T5Encoder.
std::string originalUmt5Name(const std::string& name);

/// Whose names the tensors of an encoder have.
enum class Umt5Names { Transformers, Original };
Umt5Names umt5NamesOf(const weights::WeightSource& encoder);

/// One file comes without a configuration: its shapes say all of it. Throws Failure(InvalidData) naming
/// `where` and the tensor that is missing or impossible.
Umt5Config umt5ConfigOf(const weights::ShapeOf& shapeOf, Umt5Names names, const std::string& where);

}  // namespace reelgrid::text
