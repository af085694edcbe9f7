#include "core/weights/weight_source.h"

#include "core/weights/device_upload.h"

namespace reelgrid::weights {

WeightScope::WeightScope(WeightSource& source, at::ScalarType dtype, at::Device device)
    : m_source(&source), m_options(at::TensorOptions().dtype(dtype).device(device)) {
    if (device.is_cuda()) m_upload = std::make_shared<DeviceUpload>(device);
}

/// Converted where the model runs, so that the bus carries what is stored.
at::Tensor WeightScope::moved(const at::Tensor& stored, at::ScalarType dtype) const {
    if (stored.is_meta()) return stored;
    if (m_upload && stored.is_cpu()) return m_upload->uploaded(stored).to(dtype);
    return stored.to(m_options.dtype(dtype));
}

WeightScope WeightScope::operator/(std::string_view child) const {
    WeightScope scope = *this;
    scope.m_prefix = full(child);
    return scope;
}

WeightScope WeightScope::over(WeightSource& source) const {
    WeightScope scope = *this;
    scope.m_source = &source;
    return scope;
}

std::string WeightScope::full(std::string_view name) const {
    return m_prefix.empty() ? std::string(name) : m_prefix + "." + std::string(name);
}

at::Tensor WeightScope::operator()(std::string_view name, at::IntArrayRef shape) const {
    return moved(m_source->require(full(name), shape), dtype());
}

at::Tensor WeightScope::fp32(std::string_view name, at::IntArrayRef shape) const {
    return moved(m_source->require(full(name), shape), at::kFloat);
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
