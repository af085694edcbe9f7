#pragma once

namespace reelgrid::test {

/// Registers the device "privateuseone": tensors there have addresses that the processor can't read, as a
/// GPU's, operators run through libtorch's fall-back to the CPU, and there is no float64, as on some GPUs.
void registerFakeDevice();

}  // namespace reelgrid::test
