#include "core/parallel/exchange_choice.h"

#include <cstdlib>
#include <map>

#include "core/base/result.h"
#include "kernels/cuda/library.h"

namespace reelgrid::parallel {
namespace {

constexpr const char* kVariable = "REELGRID_RANK_EXCHANGE";
constexpr const char* kNccl = "nccl";
constexpr const char* kHost = "host";

}  // namespace

const DeviceExchange* deviceExchange() {
    const auto give = reinterpret_cast<GiveDeviceExchange>(kernels::cuda::symbol(kDeviceExchange));
    return give != nullptr ? give() : nullptr;
}

ExchangeOffer exchangeOffer(at::Device device, const std::string& host) {
    ExchangeOffer offer;
    if (const char* asked = std::getenv(kVariable); asked != nullptr) offer.asked = asked;
    if (!offer.asked.empty() && offer.asked != kNccl && offer.asked != kHost)
        throw Failure(ErrorCode::BadUsage, std::string("environment variable ") + kVariable + " " +
                                               offer.asked + ": nccl or host was needed");
    if (!device.is_cuda()) {
        offer.obstacle = "it computes on the CPU";
        return offer;
    }
    const DeviceExchange* nccl = deviceExchange();
    if (nccl == nullptr) {
        offer.gpu = host + " " + device.str();
        offer.obstacle = "its CUDA library was built without NCCL, whose header was missing";
        return offer;
    }
    offer.gpu = host + " " + nccl->placeOf(device.index());
    offer.obstacle = nccl->obstacle();
    return offer;
}

std::string whyHostMemory(const std::vector<ExchangeOffer>& offers) {
    bool isAsked = false;
    std::string why;
    std::map<std::string, std::size_t> users;
    for (std::size_t rank = 0; rank < offers.size(); ++rank) {
        const ExchangeOffer& offer = offers[rank];
        isAsked = isAsked || offer.asked == kNccl;
        const auto blame = [&](const std::string& what) {
            if (why.empty()) why = "rank " + std::to_string(rank) + ": " + what;
        };
        if (!offer.obstacle.empty()) blame(offer.obstacle);
        if (offer.asked == kHost) blame(std::string(kVariable) + " is host");
        if (offer.gpu.empty()) continue;
        if (const auto [other, isFirst] = users.emplace(offer.gpu, rank); !isFirst)
            blame("it shares a GPU with rank " + std::to_string(other->second));
    }
    if (isAsked && !why.empty())
        throw Failure(ErrorCode::BadUsage, std::string(kVariable) + " is nccl: " + why +
                                               "; a GPU for each rank and a build with NCCL were needed");
    return why;
}

}  // namespace reelgrid::parallel
