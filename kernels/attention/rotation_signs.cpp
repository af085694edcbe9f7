#include "kernels/attention/rotation_signs.h"

#include <cstdint>

namespace reelgrid::kernels {

std::vector<float> rotationSigns(std::size_t dims) {
    std::vector<float> signs;
    std::uint64_t state = 0x5EED;
    while (signs.size() < dims) {
        state += 0x9E3779B97F4A7C15U;
        std::uint64_t x = state;
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
        x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
        signs.push_back(((x ^ (x >> 31)) & 1U) != 0 ? 1.0F : -1.0F);
    }
    return signs;
}

}  // namespace reelgrid::kernels
