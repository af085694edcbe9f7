#pragma once

#include <functional>
#include <memory>

#include "core/denoising/load_options.h"
#include "core/models/layers/blocks.h"
#include "core/models/layers/time_products.h"
#include "core/weights/lora.h"

namespace reelgrid::denoising {

/// Where the options put a transformer's blocks, and what they multiply.
models::BlockOptions blockOptions(const LoadOptions& options);
/// What the options have the timestep's embedding multiplied in.
models::TimeProducts timeProducts(const LoadOptions& options);

/// Once a transformer was made of `source`, which has the LoRAs `loras` merged in: the source where its
/// blocks go on reading it, else null. `visitBlocks` takes every block's parameters once. Throws
/// Failure(InvalidData) for a LoRA of which something has no place in the model.
std::unique_ptr<weights::LoraWeights> keptSource(std::unique_ptr<weights::LoraWeights> source,
                                                 const std::vector<weights::Lora>& loras,
                                                 const LoadOptions& options,
                                                 const std::function<void()>& visitBlocks);

}  // namespace reelgrid::denoising
