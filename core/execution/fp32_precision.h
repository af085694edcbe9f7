#pragma once

#include <string>

namespace reelgrid::execution {

/// How a GPU multiplies fp32 from now on, in this process: protocol::kIeee or kTf32. libtorch's own default
/// rounds convolutions to TF32 and leaves matrix products alone.
void setFp32Precision(const std::string& precision);
/// Whether setFp32Precision() was last asked for TF32.
bool allowsTf32();

}  // namespace reelgrid::execution
