#include "core/execution/out_of_memory.h"

#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>

namespace reelgrid::execution {
namespace {

/// The default allocator, but for the type of its failure.
class TypedFailures final : public c10::Allocator {
  public:
    explicit TypedFailures(c10::Allocator& inner) : m_inner(inner) {}

    c10::DataPtr allocate(std::size_t bytes) override {
        try {
            return m_inner.allocate(bytes);
        } catch (const c10::Error&) {
            // What else can fail there than memory?
            C10_THROW_ERROR(OutOfMemoryError,
                            "a tensor of " + std::to_string(bytes) + " bytes found no memory on the CPU");
        }
    }
    [[nodiscard]] c10::DeleterFnPtr raw_deleter() const override { return m_inner.raw_deleter(); }
    void copy_data(void* to, const void* from, std::size_t bytes) const override {
        m_inner.copy_data(to, from, bytes);
    }

  private:
    c10::Allocator& m_inner;
};

}  // namespace

void giveCpuMemoryErrorsTheirType() {
    constexpr std::uint8_t kAboveTheDefault = 1;
    static TypedFailures typed(*c10::GetCPUAllocator());
    static const bool once = [] {
        c10::SetCPUAllocator(&typed, kAboveTheDefault);
        return true;
    }();
    (void)once;
}

}  // namespace reelgrid::execution
