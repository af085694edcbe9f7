#include "core/benchmark/attention_shape.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>
#include <vector>

#include "core/benchmark/float64_attention.h"

namespace reelgrid::benchmark {
namespace {

/// 0 when `text` is no number from 1 to 2^31 - 1.
std::int64_t extentFrom(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    return whole && number >= 1 && number <= std::numeric_limits<std::int32_t>::max() ? number : 0;
}

double asDouble(std::int64_t number) {
    return static_cast<double>(number);
}

double queryElements(const AttentionShape& s) {
    return asDouble(s.batch) * asDouble(s.heads) * asDouble(s.queries) * asDouble(s.headDim);
}
double keyElements(const AttentionShape& s) {
    return asDouble(s.batch) * asDouble(s.heads) * asDouble(s.keys) * asDouble(s.headDim);
}

}  // namespace

Result<AttentionShape> parseShape(const std::string& text) {
    std::vector<std::int64_t> extents;
    for (std::size_t first = 0; first <= text.size();) {
        const std::size_t end = std::min(text.find(',', first), text.size());
        extents.push_back(extentFrom(std::string_view(text).substr(first, end - first)));
        first = end + 1;
    }
    const bool counted = extents.size() == 4 || extents.size() == 5;
    if (!counted || std::find(extents.begin(), extents.end(), 0) != extents.end())
        return Error{ErrorCode::BadUsage,
                     "--shape " + text + ": B,H,N,D or B,H,N,D,Nk of whole numbers above 0 was needed"};
    return AttentionShape{.batch = extents[0],
                          .heads = extents[1],
                          .queries = extents[2],
                          .headDim = extents[3],
                          .keys = extents.size() == 5 ? extents[4] : extents[2]};
}

std::string textOf(const AttentionShape& s) {
    std::string text = std::to_string(s.batch) + "," + std::to_string(s.heads) + "," +
                       std::to_string(s.queries) + "," + std::to_string(s.headDim);
    return s.keys == s.queries ? text : text + "," + std::to_string(s.keys);
}

std::int64_t visiblePairs(const AttentionShape& s, kernels::Mask mask) {
    if (mask == kernels::Mask::None) return s.queries * s.keys;
    // The last query sees all keys, each one before it one key less, until none is left.
    const std::int64_t seeing = std::min(s.queries, s.keys);
    return seeing * (2 * s.keys - seeing + 1) / 2;
}

double operationsOf(const AttentionShape& s, kernels::Mask mask) {
    return 4 * asDouble(s.batch) * asDouble(s.heads) * asDouble(s.headDim) * asDouble(visiblePairs(s, mask));
}

double bytesOf(const AttentionShape& s, kernels::DataType type) {
    return 2 * (queryElements(s) + keyElements(s)) * asDouble(kernels::sizeOf(type));
}

double memoryToMeasure(const AttentionShape& s, kernels::DataType type, kernels::Mask mask) {
    const double drawn = 4 * std::max(queryElements(s), keyElements(s));  // in fp32, before rounding
    const double reference = asDouble(s.keys) * 8 * (2 * asDouble(s.headDim) + 2 * asDouble(kReferenceRows));
    // libtorch's sdpa has no causal mask that is aligned at the bottom right: it is given one, as bytes and
    // as numbers.
    const bool explicitMask = mask == kernels::Mask::Causal && s.queries != s.keys;
    return 2 * bytesOf(s, type) + drawn + reference +
           (explicitMask ? 5 * asDouble(s.queries) * asDouble(s.keys) : 0);
}

}  // namespace reelgrid::benchmark
