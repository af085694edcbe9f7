#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/denoising/load_options.h"
#include "core/models/layers/blocks.h"
#include "core/models/layers/time_products.h"
#include "core/weights/lora.h"

namespace reelgrid::denoising {

/// Where the options put a network's blocks, and what they multiply.
models::BlockOptions blockOptions(const LoadOptions& options);
/// What the options have the timestep's embedding multiplied in.
models::TimeProducts timeProducts(const LoadOptions& options);

/// The checkpoints that a network's parts are in.
using WeightSources = std::vector<std::unique_ptr<weights::LoraWeights>>;

/// Once a network was made of `sources`, which have the LoRAs `loras` merged in: the sources where its blocks
/// go on reading them, else none. `visitBlocks` takes every block's parameters once. Throws
/// Failure(InvalidData) for a LoRA of which something has no place in the model.
WeightSources keptSources(WeightSources sources, const std::vector<weights::Lora>& loras,
                          const LoadOptions& options, const std::function<void()>& visitBlocks);

}  // namespace reelgrid::denoising
