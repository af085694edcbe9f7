#pragma once

#include <ATen/ATen.h>

#include <cstdint>

#include "core/models/wan/blocks.h"
#include "core/models/wan/config.h"

namespace reelgrid::models::wan {

/// Parameters of a transformer.
struct ParameterCounts {
    std::int64_t block = 0;      ///< of one block, in the model's dtype
    std::int64_t blockFp32 = 0;  ///< of one block, in fp32 in every dtype: norms, modulation
    std::int64_t rest = 0;       ///< of all that is no block
    std::int64_t restFp32 = 0;
};
ParameterCounts parameterCounts(const WanTransformerConfig& config);

/// Of the weights that lie on the device, with the blocks' where the options put them.
std::uint64_t weightBytes(const WanTransformerConfig& config, at::ScalarType dtype, at::Device device,
                          const BlockOptions& options);

/// Of the keys and values that every layer has of so many prompts, each of so many positions.
std::uint64_t textBytes(const WanTransformerConfig& config, at::ScalarType dtype, std::int64_t prompts,
                        std::int64_t positions);

/// What a forward pass works in beside these.
std::uint64_t activationBytes(const WanTransformerConfig& config, at::ScalarType dtype, std::int64_t tokens);

}  // namespace reelgrid::models::wan
