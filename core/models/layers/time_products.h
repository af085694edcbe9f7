#pragma once

#include "core/models/layers/linear.h"

namespace reelgrid::models {

/// What the products of the timestep's embedding run in: fp32 in every dtype, or bf16.
enum class TimeProducts { Fp32, Bf16 };

/// A layer of that embedding.
inline Linear loadTimeLinear(const weights::WeightScope& scope, std::int64_t in, std::int64_t out,
                             TimeProducts products) {
    Linear linear = Linear::loadFp32(scope, in, out);
    if (products == TimeProducts::Fp32) return linear;
    return {linear.weight.to(at::kBFloat16), linear.bias.to(at::kBFloat16)};
}

}  // namespace reelgrid::models
