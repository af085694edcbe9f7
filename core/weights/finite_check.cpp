#include "core/weights/finite_check.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>

#include "core/base/result.h"
#include "core/weights/weight_file.h"

namespace reelgrid::weights {
namespace {

/// What a thread looks at between two looks at what the others have found.
constexpr std::int64_t kPiece = std::int64_t{1} << 18;

/// Without its sign a number's bits grow with it, and those of infinity and NaN are the largest: whether all
/// are below `limit`. Without branches, so that compilers make vectors of it.
template <class Bits>
bool allBelow(const at::Tensor& contiguous, Bits limit) {
    constexpr Bits kMagnitude = static_cast<Bits>(~Bits{0}) >> 1;
    const auto* bits = static_cast<const Bits*>(contiguous.const_data_ptr());
    const std::int64_t count = contiguous.numel();
    std::atomic<bool> found{false};
    at::parallel_for(0, (count + kPiece - 1) / kPiece, 1, [&](std::int64_t piece, std::int64_t end) {
        for (; piece < end && !found.load(std::memory_order_relaxed); ++piece) {
            const Bits *first = bits + piece * kPiece, *last = bits + std::min((piece + 1) * kPiece, count);
            Bits any = 0;
            for (const Bits* at = first; at < last; ++at)
                any = static_cast<Bits>(any | static_cast<Bits>((*at & kMagnitude) >= limit));
            if (any != 0) found.store(true, std::memory_order_relaxed);
        }
    });
    return !found;
}

/// The least double and the least float that libtorch, which goes from double by float, rounds to infinity.
std::uint64_t limitOfDouble(at::ScalarType to) {
    if (to == at::kFloat) return std::bit_cast<std::uint64_t>(0x1.ffffffp127);
    if (to == at::kBFloat16) return std::bit_cast<std::uint64_t>(0x1.feffffp127);
    if (to == at::kHalf) return std::bit_cast<std::uint64_t>(0x1.ffdfffp15);
    return 0x7FF0000000000000;
}
std::uint32_t limitOfFloat(at::ScalarType to) {
    if (to == at::kBFloat16) return std::bit_cast<std::uint32_t>(0x1.ffp127F);
    if (to == at::kHalf) return std::bit_cast<std::uint32_t>(0x1.ffep15F);
    return 0x7F800000;
}

}  // namespace

bool isFinite(const at::Tensor& tensor, std::optional<at::ScalarType> as) {
    if (tensor.numel() == 0) return true;
    const at::Tensor plain = tensor.contiguous();
    const at::ScalarType to = as.value_or(plain.scalar_type());
    switch (plain.scalar_type()) {
        case at::kDouble:
            return allBelow<std::uint64_t>(plain, limitOfDouble(to));
        case at::kFloat:
            return allBelow<std::uint32_t>(plain, limitOfFloat(to));
        case at::kBFloat16:
            return allBelow<std::uint16_t>(plain, to == at::kHalf ? 0x4780 : 0x7F80);  // 65536
        case at::kHalf:
            return allBelow<std::uint16_t>(plain, 0x7C00);
        case at::kFloat8_e5m2:
            return allBelow<std::uint8_t>(plain, 0x7C);
        case at::kFloat8_e4m3fn:  // has no infinity
            return allBelow<std::uint8_t>(plain, 0x7F);
        default:
            return true;
    }
}

at::Tensor finiteRows(const at::Tensor& table, const at::Tensor& rows, const std::string& where) {
    at::Tensor taken = table.index_select(0, rows);
    if (!isFinite(taken))
        throw Failure(ErrorCode::InvalidData, where + " has NaN or infinite values in rows that are used");
    return taken;
}

std::vector<std::string> notFiniteIn(const std::filesystem::path& file, const std::stop_token& stop) {
    const WeightFile opened = openWeights(file);
    std::vector<std::string> found;
    for (const std::string& name : opened.names) {
        if (stop.stop_requested()) throw Failure(ErrorCode::Cancelled, "cancelled");
        try {
            const at::Tensor tensor = opened.weights->require(name, *opened.shapeOf(name));
            // No model runs in double.
            if (!isFinite(tensor, tensor.scalar_type() == at::kDouble ? at::kFloat : tensor.scalar_type()))
                found.push_back(opened.weights->whereIs(name) + " has NaN or infinite values");
        } catch (const Failure& failure) {
            found.push_back(failure.error().message);
        }
    }
    return found;
}

}  // namespace reelgrid::weights
