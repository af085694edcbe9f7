#include "core/metrics/psnr.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace reelgrid::metrics {

double psnr(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
    constexpr std::size_t kBlock = 65'536;  // of squares of bytes fit in 32 bits
    std::uint64_t sum = 0;
    const std::size_t count = std::min(a.size(), b.size());
    for (std::size_t start = 0; start < count; start += kBlock) {
        std::uint32_t block = 0;
        const std::size_t end = std::min(count, start + kBlock);
        for (std::size_t i = start; i < end; ++i) {
            const int difference = int(a[i]) - int(b[i]);
            block += std::uint32_t(difference * difference);
        }
        sum += block;
    }
    constexpr double kLeastError = 1e-10;
    const double error = double(sum) / double(count) / (255.0 * 255.0);
    return 10 * std::log10(1 / std::max(error, kLeastError));
}

}  // namespace reelgrid::metrics
