#pragma once

#include <string>
#include <vector>

#include "core/protocol/attention_call.h"
#include "core/result/manifest.h"

namespace reelgrid::result {

/// Whether the same request on the same machine gives the same frames, bit for bit.
struct Repeatability {
    bool sameBits = true;
    std::string whyNot;  ///< empty where it does
};

/// Of a render with these calls. What ReelGrid runs adds in one order, whatever the threads do: its own
/// kernels on every device, libtorch's attention, cuDNN's deterministic convolutions. Of a plug-in's kernel
/// nothing is known.
Repeatability repeatabilityOf(const std::vector<protocol::CallRecord>& calls,
                              const std::vector<PluginRecord>& plugins);

}  // namespace reelgrid::result
