#pragma once

#include <memory>
#include <string>
#include <utility>

#include "core/weights/weight_file.h"

namespace reelgrid::models::wan {

/// A checkpoint whose patch embedding may be stored as the linear layer of a patch that it is, [C, patch's
/// values], where a convolution's weight [C, channels, frames, rows, columns] is asked for: the same values
/// in the same order. TurboDiffusion's networks store it so.
class LinearPatchWeights final : public weights::WeightSource {
  public:
    explicit LinearPatchWeights(weights::WeightFile file) : m_file(std::move(file)) {}

    at::Tensor require(const std::string& name, at::IntArrayRef shape) override {
        const auto stored = m_file.shapeOf(name);
        if (shape.size() != 5 || !stored || stored->size() != 2) return m_file.weights->require(name, shape);
        const std::int64_t values = shape[1] * shape[2] * shape[3] * shape[4];
        return m_file.weights->require(name, {shape[0], values}).reshape(shape);
    }
    [[nodiscard]] bool has(const std::string& name) const override { return m_file.weights->has(name); }
    [[nodiscard]] std::string whereIs(const std::string& name) const override {
        return m_file.weights->whereIs(name);
    }

  private:
    weights::WeightFile m_file;
};

}  // namespace reelgrid::models::wan
