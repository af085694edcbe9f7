#pragma once

// Shape legend: F frames, P pixels, C channels.

#include <ATen/ATen.h>

#include "core/weights/weight_source.h"

namespace reelgrid::models {

/// x + y that the next layer makes while it reads both.
struct PendingSum {
    at::Tensor x_FPC, y_FPC;

    [[nodiscard]] at::Tensor value() const { return x_FPC + y_FPC; }
    /// still + share · (x + y − still).
    [[nodiscard]] at::Tensor blendedInto(const at::Tensor& still_FPC, double share) const;
};

/// A layer norm over channels, in the model's dtype: on a GPU one pass over memory with the sums before and
/// behind it.
struct TokenNorm {
    at::Tensor weight_C, bias_C;

    static TokenNorm load(const weights::WeightScope& scope, std::int64_t channels) {
        return {scope("weight", {channels}), scope("bias", {channels})};
    }
    /// Calls visit(tensor) for each.
    template <class Visit>
    void eachTensor(const Visit& visit) {
        visit(weight_C);
        visit(bias_C);
    }
    /// Of x [F, P, C]; with shift_F1C it is added to what comes out.
    [[nodiscard]] at::Tensor operator()(const at::Tensor& x_FPC, const at::Tensor& shift_F1C = {}) const;

    struct OfSum {
        at::Tensor sum_FPC, normed_FPC;
    };
    /// Of x + y; y is [F, P, C] or, of frames, [F, 1, C].
    [[nodiscard]] OfSum ofSum(const PendingSum& sum, const at::Tensor& shift_F1C = {}) const;
    /// Of x + y + everywhere, which is [1, 1, C].
    [[nodiscard]] OfSum ofSumAndRow(const PendingSum& sum, const at::Tensor& everywhere_11C) const;

  private:
    struct Terms {
        at::Tensor x_FPC, y, everywhere_11C, shift_F1C;
    };
    [[nodiscard]] bool usesGpuKernel(const at::Tensor& x_FPC) const;
    [[nodiscard]] OfSum onGpu(const Terms& terms) const;
};

/// h · gelu(gate), h and gate the halves of x's channels.
at::Tensor gatedGelu(const at::Tensor& x);

}  // namespace reelgrid::models
