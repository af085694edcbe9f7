#include "core/plugins/python/memory_spans.h"

#include <algorithm>

namespace reelgrid::plugins {
namespace {

constexpr std::uint64_t kSpanUnit = 256;

std::uint64_t remainder(const std::byte* address) {
    return reinterpret_cast<std::uintptr_t>(address) % kSpanUnit;
}

}  // namespace

std::uint64_t TensorPlace::spanBytes() const {
    const std::int64_t last = (sizes[0] - 1) * strides.batch + (sizes[1] - 1) * strides.head +
                              (sizes[2] - 1) * strides.token + sizes[3] - 1;
    return static_cast<std::uint64_t>((last + 1) * elementBytes);
}

std::uint64_t TensorPlace::elementsBytes() const {
    return static_cast<std::uint64_t>(sizes[0] * sizes[1] * sizes[2] * sizes[3] * elementBytes);
}

std::vector<MemorySpan> spansOf(const std::vector<TensorPlace>& tensors, std::uint64_t& offset) {
    std::vector<MemorySpan> spans;
    for (const TensorPlace& tensor : tensors) spans.push_back({tensor.begin, tensor.spanBytes(), 0});
    std::ranges::sort(spans, {}, &MemorySpan::begin);
    std::vector<MemorySpan> merged;
    for (const MemorySpan& span : spans) {
        if (!merged.empty() && span.begin <= merged.back().begin + merged.back().bytes) {
            MemorySpan& last = merged.back();
            last.bytes = std::max<std::uint64_t>(
                last.bytes, static_cast<std::uint64_t>(span.begin - last.begin) + span.bytes);
        } else {
            merged.push_back(span);
        }
    }
    for (MemorySpan& span : merged) {
        span.offset = (offset + kSpanUnit - 1) / kSpanUnit * kSpanUnit + remainder(span.begin);
        offset = span.offset + span.bytes;
    }
    return merged;
}

std::uint64_t offsetIn(const std::vector<MemorySpan>& spans, const TensorPlace& tensor) {
    for (const MemorySpan& span : spans)
        if (tensor.begin >= span.begin && tensor.begin < span.begin + span.bytes)
            return span.offset + static_cast<std::uint64_t>(tensor.begin - span.begin);
    return 0;
}

}  // namespace reelgrid::plugins
