#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "core/execution/execution.h"

namespace reelgrid {

/// Starts the first GPU for the process; skips the case, saying why, where there is none.
class OnGpu : public testing::Test {
  protected:
    void SetUp() override {
        const auto found = execution::executionOn("cuda");
        if (!found) GTEST_SKIP() << found.error().message;
        gpu = *found;
    }

    execution::Execution gpu;
};

/// Largest difference over the reference's largest value; NaN and other shapes never pass.
inline double relativeError(const at::Tensor& value, const at::Tensor& reference) {
    const at::Tensor v = value.cpu().to(at::kDouble), r = reference.cpu().to(at::kDouble);
    if (v.sizes() != r.sizes() || !v.isfinite().all().item<bool>()) return 1e30;
    return ((v - r).abs().max() / r.abs().max()).item<double>();
}

inline double cosine(const at::Tensor& value, const at::Tensor& reference) {
    const at::Tensor v = value.cpu().to(at::kDouble).flatten(), r = reference.cpu().to(at::kDouble).flatten();
    return (v.dot(r) / (v.norm() * r.norm())).item<double>();
}

}  // namespace reelgrid
