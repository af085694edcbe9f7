#pragma once

#include <ATen/ATen.h>

#include <initializer_list>

#include "core/execution/linear_product.h"
#include "core/weights/weight_source.h"

namespace reelgrid::models {

/// What linear layers multiply.
enum class LinearProducts {
    AsStored,  ///< the model's dtype
    /// e4m3, each row of the weight and each token with a scale of its own: largest magnitude / 448. Where
    /// the device has no such products the same rounded values are multiplied in the model's dtype.
    Fp8,
};

/// Whether products of e4m3 run as such on the device.
bool multipliesFp8(at::Device device);

/// x Wᵀ + b, the checkpoint's `weight` and `bias`.
struct Linear {
    at::Tensor weight;     ///< [out, in]; e4m3, or such values in the model's dtype, once there is a scale
    at::Tensor bias;       ///< [out]
    at::Tensor scale_O{};  ///< fp32, of each row of an e4m3 weight; undefined else

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

    /// LinearProducts::Fp8 from now on. Nothing to do for a layer that isn't there.
    void roundToFp8();

    /// For a layer that stays where it is: its weight as products read it fastest there.
    void pack() {
        if (weight.defined()) weight = execution::packedForLinear(weight);
    }

    [[nodiscard]] at::Tensor operator()(const at::Tensor& x) const {
        return scale_O.defined() ? fp8Product(x, Before::Nothing) : execution::linear(x, weight, bias);
    }
    /// Of a layer that was rounded to FP8: its product with gelu(x) in its tanh form, for which a GPU needs
    /// no pass of its own.
    [[nodiscard]] at::Tensor ofGelu(const at::Tensor& x) const { return fp8Product(x, Before::GeluTanh); }

    /// Calls visit(tensor) for each, defined or not.
    template <class Visit>
    void eachTensor(const Visit& visit) {
        visit(weight);
        visit(bias);
        visit(scale_O);
    }

  private:
    enum class Before { Nothing, GeluTanh };
    [[nodiscard]] at::Tensor fp8Product(const at::Tensor& x, Before before) const;
};

}  // namespace reelgrid::models
