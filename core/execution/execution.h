#pragma once

#include <ATen/ATen.h>

#include <string>

#include "core/base/result.h"

namespace reelgrid::parallel {
class Mesh;
}

namespace reelgrid::execution {

/// Where a render runs and as which part of it. One value that model loading, dispatcher, stage clock and
/// memory check are given, so that none of them assumes a device.
struct Execution {
    at::Device device = at::kCPU;
    int rank = 0;                    ///< of this process, from 0
    int ranks = 1;                   ///< processes that render together
    parallel::Mesh* mesh = nullptr;  ///< how they do; null: this process renders alone

    /// The native handle of the device's current stream, as kernels take it; null on the CPU.
    [[nodiscard]] void* stream() const;
    /// Waits for everything that was queued on the device, so that a clock may be read; nothing to do on the
    /// CPU.
    void synchronise() const;

    bool operator==(const Execution&) const = default;
};

/// The execution that --device names, its GPU started. BadUsage for other names, Unsupported or Internal with
/// why the GPU can't be used.
Result<Execution> executionOn(const std::string& device);

}  // namespace reelgrid::execution
