#pragma once

#include <ATen/ATen.h>

#include <cmath>
#include <string>

#include "core/weights/weight_source.h"

namespace reelgrid {

/// A checkpoint that needs no file: random values, made where they are used, of the sizes that
/// make_checkpoint.py gives them. The same for each model that asks for its parameters in the same order
/// after the same at::manual_seed().
class RandomWeights final : public weights::WeightSource {
  public:
    RandomWeights(at::Device device, at::ScalarType dtype)
        : m_options(at::TensorOptions().device(device)), m_dtype(dtype) {}

    at::Tensor require(const std::string& name, at::IntArrayRef shape) override {
        const at::Tensor value = at::randn(shape, m_options);
        const bool isNorm = name.find("norm") != std::string::npos && name.ends_with("weight");
        if ((isNorm && shape.size() == 1) || name.ends_with("gamma")) return (1 + 0.02 * value).to(m_dtype);
        if (shape.size() == 1) return (0.02 * value).to(m_dtype);
        const double inputs = static_cast<double>(value.numel()) / static_cast<double>(shape[0]);
        return (value / std::sqrt(inputs)).to(m_dtype);
    }
    /// Nothing that may be left out.
    [[nodiscard]] bool has(const std::string&) const override { return false; }

  private:
    at::TensorOptions m_options;
    at::ScalarType m_dtype;
};

}  // namespace reelgrid
