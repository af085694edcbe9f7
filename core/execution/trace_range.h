#pragma once

#include <ATen/ATen.h>
#include <ATen/record_function.h>

#include <initializer_list>
#include <source_location>
#include <string>
#include <vector>

namespace reelgrid::execution {

/// Begins a range of a trace, which a profiler is recording, with the inputs' shapes, and as its argument
/// "source" where in the sources it is: "core/models/wan/block.cpp(48): forward".
void beginRange(at::RecordFunction& range, const std::string& name, const std::vector<c10::IValue>& inputs,
                const std::source_location& here);

/// A named range of a profiler's trace, from here to the end of the block. `name()` is called only while a
/// profiler records. `tensors`: whose shapes and types the trace shows.
class TraceRange {
  public:
    template <class Name>
    explicit TraceRange(const Name& name, at::RecordScope scope = at::RecordScope::USER_SCOPE,
                        const std::source_location& here = std::source_location::current())
        : m_range(scope) {
        if (m_range.isActive()) beginRange(m_range, std::string(name()), {}, here);
    }
    template <class Name>
    TraceRange(const Name& name, std::initializer_list<at::Tensor> tensors,
               at::RecordScope scope = at::RecordScope::USER_SCOPE,
               const std::source_location& here = std::source_location::current())
        : m_range(scope) {
        if (m_range.isActive())
            beginRange(m_range, std::string(name()), std::vector<c10::IValue>(tensors.begin(), tensors.end()),
                       here);
    }

  private:
    at::RecordFunction m_range;
};

}  // namespace reelgrid::execution
