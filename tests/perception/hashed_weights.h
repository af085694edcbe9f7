#pragma once

#include <ATen/ATen.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <vector>

namespace reelgrid::perception {

using Shape = std::vector<std::int64_t>;

/// The values that tests/fixtures/perception/make_perception_fixtures.py makes up from a tensor's name.
inline at::Tensor hashedWeight(const std::string& name, const Shape& shape) {
    std::uint32_t seed = 2166136261U;
    for (const char byte : name) seed = (seed ^ static_cast<std::uint8_t>(byte)) * 16777619U;
    const at::Tensor tensor = at::empty(shape, at::kFloat);
    auto* values = tensor.mutable_data_ptr<float>();
    const double fan =
        std::accumulate(shape.empty() ? shape.end() : shape.begin() + 1, shape.end(), 1.0,
                        [](double product, std::int64_t side) { return product * double(side); });
    for (std::int64_t i = 0; i < tensor.numel(); ++i) {
        std::uint32_t x = std::uint32_t(i) * 2654435761U + seed;
        x ^= x >> 16;
        x *= 0x7FEB352DU;
        x ^= x >> 15;
        x *= 0x846CA68BU;
        x ^= x >> 16;
        double value = double(x) / 4294967296.0 - 0.5;
        if (name.starts_with("lin"))
            value += 0.5;
        else if (shape.size() == 2 || shape.size() == 4)
            value *= std::sqrt(24 / fan);
        else if (shape.size() == 1)
            value = (name.ends_with("weight") ? 1.0 : 0.0) + 0.2 * value;
        values[i] = float(value);
    }
    return tensor;
}

inline std::map<std::string, at::Tensor> hashedWeights(const std::map<std::string, Shape>& shapes) {
    std::map<std::string, at::Tensor> tensors;
    for (const auto& [name, shape] : shapes) tensors[name] = hashedWeight(name, shape);
    return tensors;
}

}  // namespace reelgrid::perception
