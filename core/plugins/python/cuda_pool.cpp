#include "core/plugins/python/cuda_pool.h"

#include <dlfcn.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/result.h"

namespace reelgrid::plugins {
namespace {

using Status = int;
using Address = unsigned long long;

/// CUDA_MEMCPY2D of cuda.h.
struct Copy2D {
    std::size_t fromX = 0, fromY = 0;
    unsigned fromKind = 0;
    const void* fromHost = nullptr;
    Address fromDevice = 0;
    void* fromArray = nullptr;
    std::size_t fromPitch = 0;
    std::size_t toX = 0, toY = 0;
    unsigned toKind = 0;
    void* toHost = nullptr;
    Address toDevice = 0;
    void* toArray = nullptr;
    std::size_t toPitch = 0;
    std::size_t bytes = 0, rows = 0;
};
static_assert(sizeof(Copy2D) == 128);
constexpr unsigned kDeviceMemory = 2;  // CU_MEMORYTYPE_DEVICE

constexpr unsigned kWithoutTiming = 2, kBetweenProcesses = 4;  // CUevent_flags
/// Small allocations share a page, of which a handle would open all.
constexpr std::uint64_t kPoolUnit = std::uint64_t{2} << 20;

Address addressOf(const void* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer);
}

/// The functions of libcuda.so.1, with the types of cuda.h's.
struct Driver {
    Status (*getErrorString)(Status, const char**) = nullptr;
    Status (*contextDevice)(int*) = nullptr;
    Status (*allocate)(Address*, std::size_t) = nullptr;
    Status (*free)(Address) = nullptr;
    Status (*memoryHandle)(IpcHandle*, Address) = nullptr;
    Status (*copy)(Address, Address, std::size_t, void*) = nullptr;
    Status (*copy2D)(const Copy2D*, void*) = nullptr;
    Status (*createEvent)(void**, unsigned) = nullptr;
    Status (*destroyEvent)(void*) = nullptr;
    Status (*eventHandle)(IpcHandle*, void*) = nullptr;
    Status (*openEvent)(void**, IpcHandle) = nullptr;
    Status (*recordEvent)(void*, void*) = nullptr;
    Status (*waitEvent)(void*, void*, unsigned) = nullptr;
    std::string missing;

    Driver() {
        // Kept: whoever computes on the GPU has it loaded.
        void* library = dlopen("libcuda.so.1", RTLD_NOW);
        if (library == nullptr) {
            missing = "libcuda.so.1";
            return;
        }
        const auto find = [&](auto& function, const char* name) {
            function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
            if (function == nullptr) missing = name;
        };
        find(getErrorString, "cuGetErrorString");
        find(contextDevice, "cuCtxGetDevice");
        find(allocate, "cuMemAlloc_v2");
        find(free, "cuMemFree_v2");
        find(memoryHandle, "cuIpcGetMemHandle");
        find(copy, "cuMemcpyDtoDAsync_v2");
        find(copy2D, "cuMemcpy2DAsync_v2");
        find(createEvent, "cuEventCreate");
        find(destroyEvent, "cuEventDestroy_v2");
        find(eventHandle, "cuIpcGetEventHandle");
        find(openEvent, "cuIpcOpenEventHandle");
        find(recordEvent, "cuEventRecord");
        find(waitEvent, "cuStreamWaitEvent");
    }

    void check(Status status, const std::string& what) const {
        if (status == 0) return;
        const char* text = nullptr;
        if (getErrorString(status, &text) != 0 || text == nullptr) text = "unknown error";
        throw Failure(ErrorCode::DeviceLost, "memory shared with Python: " + what + ": " + text);
    }
};

const Driver& driver() {
    static const Driver driver;
    if (!driver.missing.empty())
        throw Failure(ErrorCode::Unsupported, "memory shared with Python: no " + driver.missing);
    return driver;
}

}  // namespace

CudaPool::CudaPool() {
    const Driver& cuda = driver();
    cuda.check(cuda.contextDevice(&m_device), "which GPU is current");
    cuda.check(cuda.createEvent(&m_ready, kWithoutTiming | kBetweenProcesses), "an event");
    cuda.check(cuda.eventHandle(&m_readyHandle, m_ready), "an event's handle");
}

CudaPool::~CudaPool() {
    // Errors don't matter any more: at the end of the process the driver may be gone before.
    const Driver& cuda = driver();
    if (m_theirs != nullptr) cuda.destroyEvent(m_theirs);
    if (m_ready != nullptr) cuda.destroyEvent(m_ready);
    settle();
    if (m_memory != 0) cuda.free(m_memory);
}

void CudaPool::reserve(std::uint64_t bytes) {
    if (bytes <= m_bytes) return;
    const Driver& cuda = driver();
    const std::uint64_t wanted =
        (std::max(bytes, m_bytes + m_bytes / 2) + kPoolUnit - 1) / kPoolUnit * kPoolUnit;
    Address memory = 0;
    cuda.check(cuda.allocate(&memory, wanted), std::to_string(wanted) + " bytes");
    IpcHandle handle{};
    if (const Status status = cuda.memoryHandle(&handle, memory); status != 0) {
        cuda.free(memory);
        cuda.check(status, "its handle");
    }
    if (m_memory != 0) m_retired.push_back(m_memory);
    m_memory = memory;
    m_bytes = wanted;
    m_handle = handle;
}

void CudaPool::settle() {
    for (const Address memory : std::exchange(m_retired, {})) driver().free(memory);
}

void CudaPool::copyIn(std::uint64_t offset, const void* from, std::uint64_t bytes, void* stream) {
    const Driver& cuda = driver();
    cuda.check(cuda.copy(m_memory + offset, addressOf(from), bytes, stream), "a copy");
}

void CudaPool::copyOut(void* to, std::uint64_t offset, const Rows& rows, void* stream) {
    const Driver& cuda = driver();
    if (rows.count == 1) {
        cuda.check(cuda.copy(addressOf(to), m_memory + offset, rows.bytes, stream), "a copy");
        return;
    }
    Copy2D copy;
    copy.fromKind = copy.toKind = kDeviceMemory;
    copy.fromDevice = m_memory + offset;
    copy.fromPitch = rows.fromPitch;
    copy.toDevice = addressOf(to);
    copy.toPitch = rows.toPitch;
    copy.bytes = rows.bytes;
    copy.rows = rows.count;
    cuda.check(cuda.copy2D(&copy, stream), "a copy");
}

const IpcHandle& CudaPool::recordFor(void* stream) {
    const Driver& cuda = driver();
    cuda.check(cuda.recordEvent(m_ready, stream), "an event");
    return m_readyHandle;
}

void CudaPool::waitFor(const IpcHandle& event, void* stream) {
    const Driver& cuda = driver();
    if (m_theirs == nullptr || event != m_theirHandle) {
        if (m_theirs != nullptr) cuda.destroyEvent(std::exchange(m_theirs, nullptr));
        cuda.check(cuda.openEvent(&m_theirs, event), "Python's event");
        m_theirHandle = event;
    }
    cuda.check(cuda.waitEvent(stream, m_theirs, 0), "waiting for Python's event");
}

}  // namespace reelgrid::plugins
