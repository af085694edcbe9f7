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
    return asDouble(s.batch) * asDouble(s.keyHeads) * asDouble(s.keys) * asDouble(s.headDim);
}

struct Heads {
    std::int64_t query = 0;
    std::int64_t key = 0;
};

/// "H" or "Hq/Hkv" with Hq a multiple of Hkv; zeros for anything else.
Heads headsFrom(std::string_view text) {
    const auto slash = text.find('/');
    if (slash == std::string_view::npos) return {extentFrom(text), extentFrom(text)};
    const Heads heads{extentFrom(text.substr(0, slash)), extentFrom(text.substr(slash + 1))};
    return heads.key > 0 && heads.query % heads.key == 0 ? heads : Heads{};
}

}  // namespace

Result<AttentionShape> parseShape(const std::string& text) {
    std::vector<std::string_view> parts;
    for (std::size_t first = 0; first <= text.size();) {
        const std::size_t end = std::min(text.find(',', first), text.size());
        parts.push_back(std::string_view(text).substr(first, end - first));
        first = end + 1;
    }
    const Error error{ErrorCode::BadUsage,
                      "--shape " + text +
                          ": B,H,N,D or B,H,N,D,Nk of whole numbers above 0 (H: Hq/Hkv where query heads "
                          "share key heads, Hq a multiple of Hkv) was needed"};
    if (parts.size() != 4 && parts.size() != 5) return error;
    const Heads heads = headsFrom(parts[1]);
    AttentionShape shape{.batch = extentFrom(parts[0]),
                         .heads = heads.query,
                         .keyHeads = heads.key,
                         .queries = extentFrom(parts[2]),
                         .headDim = extentFrom(parts[3])};
    shape.keys = parts.size() == 5 ? extentFrom(parts[4]) : shape.queries;
    if (std::min({shape.batch, heads.query, shape.queries, shape.headDim, shape.keys}) == 0) return error;
    return shape;
}

std::string textOf(const AttentionShape& s) {
    std::string text = std::to_string(s.batch);
    const auto append = [&](char separator, std::int64_t extent) {
        text += separator;
        text += std::to_string(extent);
    };
    append(',', s.heads);
    if (s.keyHeads != s.heads) append('/', s.keyHeads);
    append(',', s.queries);
    append(',', s.headDim);
    if (s.keys != s.queries) append(',', s.keys);
    return text;
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

ElementBytes elementBytesOf(const kernels::BackendInfo& backend, kernels::DataType type) {
    const std::int64_t plain = kernels::sizeOf(type);
    ElementBytes bytes{plain, plain, plain, plain};
    if (!backend.method) return bytes;
    if (kernels::traitsOf(*backend.method, 0).scaleBlocks.keys > 0) bytes.query = bytes.key = 1;
    if (*backend.method == kernels::Method::Flash3Fp8) bytes.value = 1;
    return bytes;
}

double bytesOf(const AttentionShape& s, const ElementBytes& bytes) {
    return queryElements(s) * asDouble(bytes.query + bytes.out) +
           keyElements(s) * asDouble(bytes.key + bytes.value);
}

double memoryToMeasure(const AttentionShape& s, kernels::DataType type, kernels::Mask mask) {
    const double size = asDouble(kernels::sizeOf(type));
    const double tensors = 2 * (queryElements(s) + keyElements(s)) * size;
    const double drawn = 4 * std::max(queryElements(s), keyElements(s));  // in fp32, before rounding
    const double reference = asDouble(s.keys) * 8 * (2 * asDouble(s.headDim) + 2 * asDouble(kReferenceRows));
    // libtorch's sdpa on the CPU repeats shared heads.
    const double repeated =
        s.keyHeads == s.heads ? 0 : 2 * keyElements(s) * size * asDouble(s.heads / s.keyHeads);
    // libtorch's sdpa has no causal mask that is aligned at the bottom right: it is given one, as bytes and
    // as numbers.
    const bool explicitMask = mask == kernels::Mask::Causal && s.queries != s.keys;
    return 2 * tensors + drawn + reference + repeated +
           (explicitMask ? 5 * asDouble(s.queries) * asDouble(s.keys) : 0);
}

}  // namespace reelgrid::benchmark
