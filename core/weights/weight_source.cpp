#include "core/weights/weight_source.h"

namespace reelgrid::weights {

WeightScope WeightScope::operator/(std::string_view child) const {
    WeightScope scope = *this;
    scope.m_prefix = full(child);
    return scope;
}

std::string WeightScope::full(std::string_view name) const {
    return m_prefix.empty() ? std::string(name) : m_prefix + "." + std::string(name);
}

at::Tensor WeightScope::operator()(std::string_view name, at::IntArrayRef shape) const {
    const at::Tensor stored = m_source->require(full(name), shape);
    return stored.is_meta() ? stored : stored.to(m_options);
}

at::Tensor WeightScope::fp32(std::string_view name, at::IntArrayRef shape) const {
    const at::Tensor stored = m_source->require(full(name), shape);
    return stored.is_meta() ? stored : stored.to(m_options.dtype(at::kFloat));
}

at::Tensor WeightScope::stored(std::string_view name, at::IntArrayRef shape) const {
    return m_source->require(full(name), shape);
}

bool WeightScope::has(std::string_view name) const {
    return m_source->has(full(name));
}

at::Tensor RecordingWeights::require(const std::string& name, at::IntArrayRef shape) {
    m_requests.emplace_back(name, shape.vec());
    return at::empty(shape, at::TensorOptions().dtype(at::kFloat).device(at::kMeta));
}

}  // namespace reelgrid::weights
