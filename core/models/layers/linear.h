#pragma once

#include <ATen/ATen.h>

#include <initializer_list>
#include <vector>

#include "core/execution/linear_product.h"
#include "core/weights/weight_source.h"

namespace reelgrid::models {

/// What linear layers multiply.
enum class LinearProducts {
    AsStored,  ///< the model's dtype
    /// e4m3, each row of the weight and each token with a scale of its own: largest magnitude / 448. Where
    /// the device has no such products the same rounded values are multiplied in the model's dtype.
    Fp8,
    /// int8, each 128 × 128 of the weight and of the tokens by their channels with a scale of its own:
    /// largest magnitude / 128 (kernels/cpu/transformer/int8_linear.h). Checkpoints that are stored so keep
    /// their integers. Where the device has no such products the same rounded values are multiplied in the
    /// model's dtype.
    Int8,
};

/// Whether products of e4m3, of int8 with tokens in the dtype, run as such on the device.
bool multipliesFp8(at::Device device);
bool multipliesInt8(at::Device device, at::ScalarType dtype);

/// A weight as a checkpoint stores it in integers (weights/int8_blocks.h), possibly on a map of its file.
struct StoredInt8 {
    at::Tensor integers_OI;  ///< int8
    at::Tensor scales;       ///< [⌈out / 128⌉, ⌈in / 128⌉]
};

/// x Wᵀ + b, the checkpoint's `weight` and `bias`.
struct Linear {
    at::Tensor weight;     ///< [out, in]; e4m3, or such values in the model's dtype, once there is a scale
    at::Tensor bias;       ///< [out]
    at::Tensor scale_O{};  ///< fp32, of each row of an e4m3 weight; undefined else
    /// fp32 [⌈in / 128⌉, out padded], of a weight that is packed int8, whose bias then is fp32; undefined
    /// else
    at::Tensor blockScales_KO{};
    /// fp32 [⌈out / 128⌉, ⌈in / 128⌉], of an int8 weight [out, in] on a GPU, whose bias then is fp32;
    /// undefined else
    at::Tensor blockScales_OK{};
    /// Of the rows of the weight in their order, where its checkpoint has them.
    std::vector<StoredInt8> stored{};
    /// Whether inputs are rounded to int8 although the device multiplies them in the model's dtype.
    bool roundsInputs = false;

    static Linear load(const weights::WeightScope& scope, std::int64_t in, std::int64_t out);
    static Linear loadFp32(const weights::WeightScope& scope, std::int64_t in, std::int64_t out) {
        return {scope.fp32("weight", {out, in}), scope.fp32("bias", {out})};
    }
    /// Several layers of one input as one product.
    static Linear joined(std::initializer_list<Linear> parts) {
        std::vector<at::Tensor> weights, biases;
        std::vector<StoredInt8> stored;
        for (const Linear& part : parts) {
            weights.push_back(part.weight);
            biases.push_back(part.bias);
            stored.insert(stored.end(), part.stored.begin(), part.stored.end());
        }
        Linear joined{at::cat(weights), at::cat(biases)};
        if (stored.size() == parts.size()) joined.stored = std::move(stored);
        return joined;
    }

    /// LinearProducts::Fp8 from now on. Nothing to do for a layer that isn't there.
    void roundToFp8();
    /// The same to LinearProducts::Int8.
    void roundToInt8();

    /// For a layer that stays where it is: its weight as products read it fastest there.
    void pack() {
        if (weight.defined() && !isInt8()) weight = execution::packedForLinear(weight);
    }

    [[nodiscard]] at::Tensor operator()(const at::Tensor& x) const {
        if (scale_O.defined()) return fp8Product(x, Before::Nothing);
        return isInt8() || roundsInputs ? int8Product(x, Before::Nothing)
                                        : execution::linear(x, weight, bias);
    }
    /// Whether inputs are rounded on the way in a pass that takes gelu along: ofGelu().
    [[nodiscard]] bool takesGelu() const { return scale_O.defined() || blockScales_OK.defined(); }
    /// Of such a layer: its product with gelu(x) in its tanh form.
    [[nodiscard]] at::Tensor ofGelu(const at::Tensor& x) const {
        return scale_O.defined() ? fp8Product(x, Before::GeluTanh) : int8Product(x, Before::GeluTanh);
    }
    /// Whether the weight is in integers.
    [[nodiscard]] bool isInt8() const { return blockScales_KO.defined() || blockScales_OK.defined(); }

    /// Calls visit(tensor) for each, defined or not.
    template <class Visit>
    void eachTensor(const Visit& visit) {
        visit(weight);
        visit(bias);
        visit(scale_O);
        visit(blockScales_KO);
        visit(blockScales_OK);
    }

  private:
    enum class Before { Nothing, GeluTanh };
    [[nodiscard]] at::Tensor fp8Product(const at::Tensor& x, Before before) const;
    [[nodiscard]] at::Tensor int8Product(const at::Tensor& x, Before before) const;
    [[nodiscard]] at::Tensor int8ProductOnGpu(const at::Tensor& x_NC, Before before) const;
};

}  // namespace reelgrid::models
