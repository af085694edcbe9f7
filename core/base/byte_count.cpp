#include "core/base/byte_count.h"

#include <array>

#include "core/base/number_text.h"

namespace reelgrid {

std::string byteCount(std::uint64_t bytes) {
    const std::array<const char*, 5> units{"B", "kB", "MB", "GB", "TB"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; value >= 1000 && unit + 1 < units.size(); ++unit) value /= 1000;
    return fixed(value, unit == 0 ? 0 : 1) + " " + units[unit];
}

}  // namespace reelgrid
