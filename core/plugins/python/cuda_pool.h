#pragma once

#include <cstdint>
#include <vector>

#include "core/plugins/python/bridge_record.h"

namespace reelgrid::plugins {

/// Memory of the current GPU that another process opens by its handle, and the events by which the streams of
/// both wait for each other, through CUDA's driver alone. Throws Failure with the driver's words. One per
/// other process.
class CudaPool {
  public:
    CudaPool();
    CudaPool(const CudaPool&) = delete;
    CudaPool& operator=(const CudaPool&) = delete;
    ~CudaPool();

    /// Makes room for so many bytes. What was there before is freed by settle(), once the other process has
    /// let go of it.
    void reserve(std::uint64_t bytes);
    void settle();

    [[nodiscard]] std::uint64_t bytes() const { return m_bytes; }
    [[nodiscard]] const IpcHandle& handle() const { return m_handle; }
    [[nodiscard]] int device() const { return m_device; }

    // Queued on `stream`, a cudaStream_t.

    void copyIn(std::uint64_t offset, const void* from, std::uint64_t bytes, void* stream);
    /// `rows` of so many bytes each.
    struct Rows {
        std::uint64_t count = 1, bytes = 0, fromPitch = 0, toPitch = 0;
    };
    void copyOut(void* to, std::uint64_t offset, const Rows& rows, void* stream);

    /// Of everything queued until now: what the other process's stream has to wait for.
    const IpcHandle& recordFor(void* stream);
    /// Makes `stream` wait for what the other process has recorded.
    void waitFor(const IpcHandle& event, void* stream);

  private:
    using Address = unsigned long long;

    int m_device = 0;
    Address m_memory = 0;
    std::uint64_t m_bytes = 0;
    IpcHandle m_handle{};
    std::vector<Address> m_retired;
    void* m_ready = nullptr;
    IpcHandle m_readyHandle{};
    void* m_theirs = nullptr;
    IpcHandle m_theirHandle{};
};

}  // namespace reelgrid::plugins
