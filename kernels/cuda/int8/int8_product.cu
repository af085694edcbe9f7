#include <limits>
#include <stdexcept>

#include "kernels/cuda/capability.h"
#include "kernels/cuda/int8/products.cuh"
#include "kernels/cuda/kernels.cuh"

namespace reelgrid::kernels::cuda::device {

void int8Product(const Int8Product& call, void* stream) {
    if (call.rows == 0 || call.outputs == 0) return;
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max() - kInt8Block;
    if (call.rows > kMost || call.outputs > kMost || call.inputs > kMost)
        throw std::runtime_error("an int8 product over more than 2^31 rows, inputs or outputs");
    capability().prefersHopper() ? int8ProductOnHopper(call, stream) : int8ProductByMma(call, stream);
}

bool multipliesInt8() {
    return !capability().isTreatedAsTuring();
}

}  // namespace reelgrid::kernels::cuda::device
