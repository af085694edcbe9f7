#pragma once

#include <ATen/ATen.h>

#include <string>
#include <vector>

#include "core/parallel/device_exchange.h"

namespace reelgrid::parallel {

/// How tensors of GPUs go from rank to rank.
struct ExchangeChoice {
    const DeviceExchange* nccl = nullptr;  ///< null: through host memory
    std::string whyHost{};                 ///< and why; empty on the CPU
};

/// What each rank knows about it.
struct ExchangeOffer {
    std::string asked{};     ///< "nccl" or "host"; empty: whatever can be
    std::string obstacle{};  ///< why NCCL can't be used there; empty where it can
    std::string gpu{};       ///< host and place; empty: it computes on the CPU
};

/// This rank's. Throws Failure(BadUsage) where REELGRID_RANK_EXCHANGE is neither "nccl" nor "host".
ExchangeOffer exchangeOffer(at::Device device, const std::string& host);

/// Why they go through host memory, the same on all ranks, whose offers these are; empty: by NCCL, where each
/// has a GPU of its own. Throws Failure(BadUsage) where a rank asks for NCCL in vain.
std::string whyHostMemory(const std::vector<ExchangeOffer>& offers);

}  // namespace reelgrid::parallel
