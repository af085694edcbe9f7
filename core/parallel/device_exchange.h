#pragma once

#include <c10/util/intrusive_ptr.h>

#include <chrono>
#include <string>

namespace c10d {
class Backend;
class Store;
}  // namespace c10d

namespace reelgrid::parallel {

/// What the CUDA library (kernels/cuda/library.h) has for ranks whose tensors lie on GPUs: c10d's NCCL.
struct DeviceExchange {
    /// Why it can't be used; empty where it can.
    std::string (*obstacle)() = nullptr;
    /// "2.28.9"
    std::string (*version)() = nullptr;
    /// The GPU's place in its host, which no other one has.
    std::string (*placeOf)(int device) = nullptr;
    /// Connects the ranks of a communicator, all of which call it at the same time, each with a GPU of its
    /// own. The caller is given a reference. Throws c10::Error.
    c10d::Backend* (*connect)(const c10::intrusive_ptr<c10d::Store>& store, int rank, int ranks, int device,
                              std::chrono::milliseconds timeout) = nullptr;
};

/// The function of that library that gives it, and its name there; a library built without NCCL has none.
using GiveDeviceExchange = const DeviceExchange* (*)();
inline constexpr const char* kDeviceExchange = "reelgridDeviceExchange";

/// Null until that library is loaded, and where it was built without NCCL.
const DeviceExchange* deviceExchange();

}  // namespace reelgrid::parallel
