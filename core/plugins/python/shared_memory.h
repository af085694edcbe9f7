#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "core/base/result.h"
#include "kernels/backends/plugin_backend.h"

namespace reelgrid::plugins {

/// Memory of this process that others map, too: a file without a name, as large as the machine's memory, of
/// which only what is in use takes any. Thread-safe. Blocks are whole pages.
class SharedMemory final : public kernels::PluginMemory {
  public:
    /// The process's one, which lives until its end: processes that map it may outlive whoever asked for it.
    static Result<SharedMemory*> ofProcess();
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;

    [[nodiscard]] void* allocate(std::size_t bytes) override;
    /// Some of what is free keeps its pages for the next block.
    void free(void* block) override;
    [[nodiscard]] bool holds(const void* address) const override { return offsetOf(address, 1).has_value(); }

    /// Where that lies in the file; nothing for memory that is elsewhere.
    [[nodiscard]] std::optional<std::uint64_t> offsetOf(const void* address, std::size_t bytes) const;
    [[nodiscard]] std::byte* at(std::uint64_t offset) const { return m_begin + offset; }
    [[nodiscard]] int file() const { return m_file; }
    [[nodiscard]] std::size_t size() const { return m_size; }

  private:
    SharedMemory(int file, std::byte* begin, std::size_t size);
    void giveBack(std::uint64_t offset, std::size_t bytes) const;

    int m_file;
    std::byte* m_begin;
    std::size_t m_size;
    std::mutex m_mutex;
    std::map<std::uint64_t, std::size_t> m_free, m_used;  ///< bytes by offset
    std::size_t m_kept = 0;                               ///< bytes that are free and still take memory
};

}  // namespace reelgrid::plugins
