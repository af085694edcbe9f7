// Part of the CUDA library: libtorch's CUDA half is there when it is loaded.

// The header is for builds with NCCL, which libtorch's CUDA half is.
#define USE_C10D_NCCL
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "core/parallel/device_exchange.h"

namespace reelgrid::parallel {
namespace {

/// Major, minor and patch in 16 bits each, as libtorch gives them.
constexpr std::uint64_t kBuiltWith =
    std::uint64_t{NCCL_MAJOR} << 32 | std::uint64_t{NCCL_MINOR} << 16 | std::uint64_t{NCCL_PATCH};

std::string versionText(std::uint64_t version) {
    return std::to_string(version >> 32) + "." + std::to_string(version >> 16 & 0xffff) + "." +
           std::to_string(version & 0xffff);
}

/// c10d's options hold NCCL's, whose layout is each version's own.
std::string obstacle() {
    const std::uint64_t libtorchs = torch::cuda::nccl::version();
    if (libtorchs == kBuiltWith) return "";
    return "the CUDA library was built with the header of NCCL " + versionText(kBuiltWith) +
           ", libtorch's is " + versionText(libtorchs);
}

std::string version() {
    return versionText(kBuiltWith);
}

std::string placeOf(int device) {
    std::array<char, 32> place{};
    C10_CUDA_CHECK(cudaDeviceGetPCIBusId(place.data(), static_cast<int>(place.size()), device));
    return place.data();
}

c10d::Backend* connect(const c10::intrusive_ptr<c10d::Store>& store, int rank, int ranks, int device,
                       std::chrono::milliseconds timeout) {
    // Who is late or gone is found out by RankWatch, which says so in one line; c10d's own threads would end
    // the process.
    for (const auto& [name, value] :
         {std::pair{"TORCH_NCCL_ASYNC_ERROR_HANDLING", "0"}, std::pair{"TORCH_NCCL_ENABLE_MONITORING", "0"}})
        setenv(name, value, 0);
    const c10::cuda::CUDAGuard guard(static_cast<c10::DeviceIndex>(device));
    // On a stream of high priority, so that what travels isn't kept waiting by what is computed meanwhile.
    auto options = c10d::ProcessGroupNCCL::Options::create(true);
    options->timeout = timeout;
    auto group = c10::make_intrusive<c10d::ProcessGroupNCCL>(store, rank, ranks, std::move(options));
    group->eagerConnectSingleDevice(at::Device(at::kCUDA, static_cast<at::DeviceIndex>(device)));
    return group.release();
}

}  // namespace
}  // namespace reelgrid::parallel

extern "C" __attribute__((visibility("default"))) const reelgrid::parallel::DeviceExchange*
reelgridDeviceExchange() {
    using namespace reelgrid::parallel;
    static constexpr DeviceExchange kExchange{
        .obstacle = &obstacle, .version = &version, .placeOf = &placeOf, .connect = &connect};
    return &kExchange;
}
