#pragma once

#include <ATen/ATen.h>

#include "core/weights/weight_source.h"

namespace reelgrid::models::wan {

/// x Wᵀ + b, the checkpoint's `weight` and `bias`.
struct Linear {
    at::Tensor weight;  ///< [out, in]
    at::Tensor bias;    ///< [out]

    static Linear load(const weights::WeightScope& scope, std::int64_t in, std::int64_t out) {
        return {scope("weight", {out, in}), scope("bias", {out})};
    }
    static Linear loadFp32(const weights::WeightScope& scope, std::int64_t in, std::int64_t out) {
        return {scope.fp32("weight", {out, in}), scope.fp32("bias", {out})};
    }
    /// Several layers of one input as one product.
    static Linear joined(std::initializer_list<Linear> parts) {
        std::vector<at::Tensor> weights, biases;
        for (const Linear& part : parts) {
            weights.push_back(part.weight);
            biases.push_back(part.bias);
        }
        return {at::cat(weights), at::cat(biases)};
    }

    [[nodiscard]] at::Tensor operator()(const at::Tensor& x) const { return at::linear(x, weight, bias); }
};

}  // namespace reelgrid::models::wan
