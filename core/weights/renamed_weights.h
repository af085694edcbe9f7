#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "core/weights/weight_source.h"

namespace reelgrid::weights {

/// A checkpoint that calls its tensors otherwise: `nameIn` says what it calls the one that is asked for.
class RenamedWeights final : public WeightSource {
  public:
    using NameIn = std::function<std::string(const std::string& name)>;

    RenamedWeights(std::unique_ptr<WeightSource> checkpoint, NameIn nameIn)
        : m_checkpoint(std::move(checkpoint)), m_nameIn(std::move(nameIn)) {}

    at::Tensor require(const std::string& name, at::IntArrayRef shape) override {
        return m_checkpoint->require(m_nameIn(name), shape);
    }
    [[nodiscard]] bool has(const std::string& name) const override {
        return m_checkpoint->has(m_nameIn(name));
    }
    [[nodiscard]] std::string whereIs(const std::string& name) const override {
        return m_checkpoint->whereIs(m_nameIn(name));
    }

  private:
    std::unique_ptr<WeightSource> m_checkpoint;
    NameIn m_nameIn;
};

}  // namespace reelgrid::weights
