#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "core/execution/execution.h"
#include "core/weights/lora.h"

namespace reelgrid::denoising {

/// Where the network's blocks are while others compute (--offload).
enum class Offload { None, Blocks };
/// Whether the encoders of text and pictures stay in memory between the prompts.
enum class Encoders { Kept, FreedAfterUse };
/// What products of the transformer's linear layers, and of its time embedding, run in.
enum class Gemms { AsDtype, Fp8, Int8 };
enum class TimeGemms { Fp32, Bf16 };

/// How a model is loaded: what its layers and its VAE compute in, and where. A text encoder may take a wider
/// type.
struct LoadOptions {
    at::ScalarType dtype = at::kFloat;
    at::ScalarType vaeDtype = at::kFloat;
    execution::Execution execution{};
    std::vector<weights::Lora> loras{},
        secondLoras{};  ///< merged into the transformer; the second expert's, if there is one
    Offload offload = Offload::None;
    /// Ranks each of which holds one part of each block's weights (--shard-weights); 1: each holds all.
    int weightShards = 1;
    Encoders encoders = Encoders::Kept;
    Gemms gemms = Gemms::AsDtype;
    TimeGemms timeGemms = TimeGemms::Fp32;
};

}  // namespace reelgrid::denoising
