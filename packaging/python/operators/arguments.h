#pragma once

// What an operator asks of its arguments before a kernel sees them. Every refusal is one line: operator,
// argument, value, need; ValueError or TypeError in Python.

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>

#include <initializer_list>
#include <optional>
#include <string>

#include "kernels/attention/problem.h"
#include "kernels/cuda/library.h"

namespace reelgrid::operators {

/// "[2, 16, 64]"
std::string sizesOf(const at::Tensor& x);

/// One call of an operator, whose tensors are to lie on one device: the current one while this lives.
class Call {
  public:
    Call(std::string op, const at::Tensor& first);

    [[nodiscard]] const std::string& op() const { return m_op; }
    [[nodiscard]] bool isCpu() const { return m_device.is_cpu(); }

    /// The tensor is on the call's device and has one of these dtypes.
    void needsTensor(const char* name, const at::Tensor& x,
                     std::initializer_list<at::ScalarType> dtypes) const;
    /// A size of -1 may be any from 1 on. `meaning` names the dimensions.
    void needsSizes(const char* name, const at::Tensor& x, at::IntArrayRef sizes, const char* meaning) const;
    /// Both of these, for one that may be left out: what kernels read, contiguous and, for a
    /// GPU, aligned; undefined where it is left out.
    [[nodiscard]] at::Tensor optionalFloats(const char* name, const std::optional<at::Tensor>& x,
                                            at::IntArrayRef sizes, const char* meaning) const;
    /// The last dimensions lie in memory without gaps.
    void needsContiguous(const char* name, const at::Tensor& x) const;
    void needsMultiple(const char* name, std::int64_t value, std::int64_t of) const;
    void needsAtMost(const char* name, std::int64_t value, std::int64_t most) const;
    /// As vector loads of a GPU want it.
    void needsAligned(const char* name, const at::Tensor& x) const;

    /// The native handle of the device's current stream; null on the CPU.
    [[nodiscard]] void* stream() const;
    /// The CUDA kernels, loaded by the first call that asks.
    [[nodiscard]] const kernels::cuda::Library& cuda() const;

  private:
    std::string m_op;
    at::Device m_device;
    c10::OptionalDeviceGuard m_guard;
};

inline constexpr std::initializer_list<at::ScalarType> kFloatTypes{at::kFloat, at::kBFloat16, at::kHalf};

/// Of one of kFloatTypes.
kernels::DataType kernelTypeOf(at::ScalarType type);

inline const float* floatsOf(const at::Tensor& x) {
    return x.defined() ? x.const_data_ptr<float>() : nullptr;
}

}  // namespace reelgrid::operators
