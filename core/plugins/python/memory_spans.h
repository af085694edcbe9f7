#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/attention/problem.h"

namespace reelgrid::plugins {

/// A tensor of a call: where it lies, and its sizes [batch, head, token, head dim].
struct TensorPlace {
    const std::byte* begin = nullptr;
    std::array<std::int64_t, 4> sizes{};
    kernels::Strides strides;  ///< in elements
    std::int64_t elementBytes = 0;

    /// From its first element to behind the last one.
    [[nodiscard]] std::uint64_t spanBytes() const;
    /// Of its elements alone.
    [[nodiscard]] std::uint64_t elementsBytes() const;
};

/// Memory that several tensors lie in, copied as it is: q, k and v are often parts of one tensor, whose rows
/// are copied once, and their strides stay.
struct MemorySpan {
    const std::byte* begin = nullptr;
    std::uint64_t bytes = 0;
    std::uint64_t offset = 0;  ///< in the memory that it is copied to, by 256 bytes as far from a multiple
};

/// The tensors' spans, those that overlap as one, one behind the other from `offset`; it is moved behind the
/// last.
std::vector<MemorySpan> spansOf(const std::vector<TensorPlace>& tensors, std::uint64_t& offset);

/// Where a tensor lies once its span has been copied.
std::uint64_t offsetIn(const std::vector<MemorySpan>& spans, const TensorPlace& tensor);

}  // namespace reelgrid::plugins
