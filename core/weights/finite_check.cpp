#include "core/weights/finite_check.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "core/base/result.h"
#include "core/weights/weight_file.h"

namespace reelgrid::weights {
namespace {

/// What a thread looks at between two looks at what the others have found.
constexpr std::int64_t kPiece = std::int64_t{1} << 18;

/// A number is finite unless all bits of its exponent are set; of E4M3, which has no infinity, all others but
/// the sign's, too. Without branches, so that compilers make vectors of it.
template <class Bits, Bits kMask>
bool allFinite(const at::Tensor& contiguous) {
    const auto* bits = static_cast<const Bits*>(contiguous.const_data_ptr());
    const std::int64_t count = contiguous.numel();
    std::atomic<bool> found{false};
    at::parallel_for(0, (count + kPiece - 1) / kPiece, 1, [&](std::int64_t piece, std::int64_t end) {
        for (; piece < end && !found.load(std::memory_order_relaxed); ++piece) {
            const Bits *first = bits + piece * kPiece, *last = bits + std::min((piece + 1) * kPiece, count);
            Bits any = 0;
            for (const Bits* at = first; at < last; ++at)
                any = static_cast<Bits>(any | static_cast<Bits>((*at & kMask) == kMask));
            if (any != 0) found.store(true, std::memory_order_relaxed);
        }
    });
    return !found;
}

}  // namespace

bool isFinite(const at::Tensor& tensor) {
    if (tensor.numel() == 0) return true;
    const at::Tensor plain = tensor.contiguous();
    switch (plain.scalar_type()) {
        case at::kDouble:
            return allFinite<std::uint64_t, 0x7FF0000000000000>(plain);
        case at::kFloat:
            return allFinite<std::uint32_t, 0x7F800000>(plain);
        case at::kBFloat16:
            return allFinite<std::uint16_t, 0x7F80>(plain);
        case at::kHalf:
            return allFinite<std::uint16_t, 0x7C00>(plain);
        case at::kFloat8_e5m2:
            return allFinite<std::uint8_t, 0x7C>(plain);
        case at::kFloat8_e4m3fn:
            return allFinite<std::uint8_t, 0x7F>(plain);
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
        if (!isFinite(opened.weights->require(name, *opened.shapeOf(name))))
            found.push_back(opened.weights->whereIs(name) + " has NaN or infinite values");
    }
    return found;
}

}  // namespace reelgrid::weights
