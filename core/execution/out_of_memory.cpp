#include "core/execution/out_of_memory.h"

#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>

#include <cstdint>
#include <cstdlib>

namespace reelgrid::execution {
namespace {

/// Alignment of a tensor's memory, libtorch's own; what lies before it says where the memory begins.
constexpr std::size_t kAlignment = 64;

/// The C library's memory. Not posix_memalign's as the default allocator has it: before glibc 2.38 that can't
/// take the place of an equally large piece that was freed, and a pass grows by layers that it no longer has.
/// A failure is an OutOfMemoryError.
class TensorMemory final : public c10::Allocator {
  public:
    c10::DataPtr allocate(std::size_t bytes) override {
        if (bytes == 0) return {nullptr, nullptr, &release, at::kCPU};
        void* const begin = bytes > SIZE_MAX - kAlignment ? nullptr : std::malloc(bytes + kAlignment);
        if (begin == nullptr)
            C10_THROW_ERROR(OutOfMemoryError,
                            "a tensor of " + std::to_string(bytes) + " bytes found no memory on the CPU");
        // malloc's own alignment leaves room for a pointer before the next multiple.
        const auto address = reinterpret_cast<std::uintptr_t>(begin) / kAlignment * kAlignment + kAlignment;
        void* const data = reinterpret_cast<void*>(address);
        static_cast<void**>(data)[-1] = begin;
        c10::profiledCPUMemoryReporter().New(data, bytes);
        return {data, data, &release, at::kCPU};
    }
    [[nodiscard]] c10::DeleterFnPtr raw_deleter() const override { return &release; }
    void copy_data(void* to, const void* from, std::size_t bytes) const override {
        default_copy_data(to, from, bytes);
    }

  private:
    static void release(void* data) {
        if (data == nullptr) return;
        c10::profiledCPUMemoryReporter().Delete(data);
        std::free(static_cast<void**>(data)[-1]);
    }
};

}  // namespace

void giveCpuMemoryErrorsTheirType() {
    constexpr std::uint8_t kAboveTheDefault = 1;
    static TensorMemory memory;
    static const bool once = [] {
        c10::SetCPUAllocator(&memory, kAboveTheDefault);
        return true;
    }();
    (void)once;
}

}  // namespace reelgrid::execution
