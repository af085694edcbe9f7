#include "core/weights/weight_source.h"

#include "core/base/result.h"
#include "core/weights/device_upload.h"
#include "core/weights/finite_check.h"
#include "core/weights/scalar_type.h"

namespace reelgrid::weights {
namespace {

const char* largestOf(at::ScalarType dtype) {
    return dtype == at::kHalf ? "65504" : "3.4e38";
}

}  // namespace

WeightScope::WeightScope(WeightSource& source, at::ScalarType dtype, at::Device device)
    : m_source(&source),
      m_options(at::TensorOptions().dtype(dtype).device(device)),
      m_finite(std::make_shared<Finite>()) {
    if (device.is_cuda()) m_upload = std::make_shared<DeviceUpload>(device);
}

at::Tensor WeightScope::checked(const std::string& name, at::IntArrayRef shape, at::ScalarType as) const {
    const at::Tensor stored = m_source->require(name, shape);
    requireFloatingPoint(stored.scalar_type(), m_source->whereIs(name));
    if (stored.is_cpu() && m_finite->emplace(m_source, name, as).second && !isFinite(stored, as)) {
        m_finite->erase({m_source, name, as});
        throw Failure(
            ErrorCode::InvalidData,
            m_source->whereIs(name) +
                (isFinite(stored) ? std::string(" has values that ") + at::toString(as) +
                                        " can't hold, numbers up to " + largestOf(as) + " were needed"
                                  : " has NaN or infinite values"));
    }
    return stored;
}

/// Converted where the model runs, so that the bus carries what is stored.
at::Tensor WeightScope::moved(const at::Tensor& stored, at::ScalarType dtype) const {
    if (stored.is_meta()) return stored.to(dtype);
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
    return moved(checked(full(name), shape, dtype()), dtype());
}

at::Tensor WeightScope::fp32(std::string_view name, at::IntArrayRef shape) const {
    return moved(checked(full(name), shape, at::kFloat), at::kFloat);
}

at::Tensor WeightScope::stored(std::string_view name, at::IntArrayRef shape) const {
    at::Tensor stored = m_source->require(full(name), shape);
    requireFloatingPoint(stored.scalar_type(), whereIs(name));
    return stored;
}

at::Tensor WeightScope::int8(std::string_view name, at::IntArrayRef shape) const {
    at::Tensor stored = m_source->require(full(name), shape);
    requireInt8(stored.scalar_type(), whereIs(name));
    return stored;
}

bool WeightScope::has(std::string_view name) const {
    return m_source->has(full(name));
}

at::Tensor RecordingWeights::require(const std::string& name, at::IntArrayRef shape) {
    m_requests.emplace_back(name, shape.vec());
    return at::empty(shape, at::TensorOptions().dtype(at::kFloat).device(at::kMeta));
}

}  // namespace reelgrid::weights
