#pragma once

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/weights/weight_source.h"

namespace reelgrid::weights {

/// A parameter's numbers as a formula on its name and shape makes them, here and in fixtures' scripts
/// (tests/fixtures/svd/make_svd_fixtures.py, made_up): uniform ones of a generator seeded with the name's
/// FNV-1a hash, as wide as keeps a layer's output near its input's size.
inline at::Tensor madeUp(const std::string& name, at::IntArrayRef shape) {
    std::uint64_t seed = 0xCBF29CE484222325;
    for (const char byte : name) seed = (seed ^ static_cast<std::uint8_t>(byte)) * 0x100000001B3;
    auto generator = at::detail::createCPUGenerator(seed % (std::uint64_t{1} << 32));
    const at::Tensor uniform = at::rand(shape, generator) * 2 - 1;
    if (shape.size() >= 2)
        return uniform *
               std::sqrt(3.0 * static_cast<double>(shape[0]) / static_cast<double>(uniform.numel()));
    if (name.ends_with("mix_factor")) return uniform;
    return name.ends_with("weight") ? 1 + 0.2 * uniform : 0.1 * uniform;
}

/// Whether a checkpoint without int8 weights may have it.
inline bool isPlain(const std::string& name) {
    return !name.ends_with("int8_weight");
}

/// A checkpoint of such parameters: whatever is asked for is there, but for names that `has` denies.
class MadeUpWeights final : public WeightSource {
  public:
    using Has = std::function<bool(const std::string&)>;
    explicit MadeUpWeights(Has has = isPlain) : m_has(std::move(has)) {}

    at::Tensor require(const std::string& name, at::IntArrayRef shape) override {
        return m_made.try_emplace(name, madeUp(name, shape)).first->second;
    }
    [[nodiscard]] bool has(const std::string& name) const override { return m_has(name); }
    /// What was asked for.
    [[nodiscard]] const std::map<std::string, at::Tensor>& made() const { return m_made; }

  private:
    Has m_has;
    std::map<std::string, at::Tensor> m_made;
};

}  // namespace reelgrid::weights
