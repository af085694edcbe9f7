#pragma once

#include <ATen/ATen.h>
#include <ATen/record_function.h>

#include <initializer_list>
#include <string>
#include <vector>

namespace reelgrid::execution {

/// A named range of a profiler's trace, from here to the end of the block. `name()` is called only while a
/// profiler records. `tensors`: whose shapes and types the trace shows.
class TraceRange {
  public:
    template <class Name>
    explicit TraceRange(const Name& name, at::RecordScope scope = at::RecordScope::USER_SCOPE)
        : m_range(scope) {
        if (m_range.isActive()) m_range.before(std::string(name()));
    }
    template <class Name>
    TraceRange(const Name& name, std::initializer_list<at::Tensor> tensors,
               at::RecordScope scope = at::RecordScope::USER_SCOPE)
        : m_range(scope) {
        if (!m_range.isActive()) return;
        const std::vector<c10::IValue> inputs(tensors.begin(), tensors.end());
        if (m_range.needsInputs())
            m_range.before(std::string(name()), &inputs);
        else
            m_range.before(std::string(name()));
    }

  private:
    at::RecordFunction m_range;
};

}  // namespace reelgrid::execution
