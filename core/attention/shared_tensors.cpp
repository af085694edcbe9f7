#include "core/attention/shared_tensors.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

#include <atomic>

#include "kernels/backends/backend_list.h"

namespace reelgrid::attention {
namespace {

/// Smaller ones are copied in no time, and a block is at least a page.
constexpr std::size_t kLeastBytes = std::size_t{64} << 10;

/// Stands before libtorch's allocator from the first SharedTensors on, until the process ends.
class SharingAllocator final : public c10::Allocator {
  public:
    SharingAllocator(kernels::PluginMemory& memory, c10::Allocator& usual) : m_usual(usual) {
        theMemory = &memory;
    }

    c10::DataPtr allocate(std::size_t bytes) override {
        if (m_users.load(std::memory_order_relaxed) > 0 && bytes >= kLeastBytes)
            if (void* block = theMemory->allocate(bytes))
                return {block, block, &release, c10::Device(c10::DeviceType::CPU)};
        return m_usual.allocate(bytes);
    }
    [[nodiscard]] c10::DeleterFnPtr raw_deleter() const override { return &release; }
    void copy_data(void* to, const void* from, std::size_t bytes) const override {
        default_copy_data(to, from, bytes);
    }

    void begin() { ++m_users; }
    void end() { --m_users; }

  private:
    static void release(void* block) {
        if (theMemory->holds(block))
            theMemory->free(block);
        else
            c10::GetDefaultCPUAllocator()->raw_deleter()(block);
    }

    static kernels::PluginMemory* theMemory;  // a deleter is a plain function
    c10::Allocator& m_usual;
    std::atomic<int> m_users = 0;
};

kernels::PluginMemory* SharingAllocator::theMemory = nullptr;

/// The process's one; `memory` counts the first time.
SharingAllocator& allocatorWith(kernels::PluginMemory* memory) {
    static SharingAllocator* const allocator = [memory] {
        auto* made = new SharingAllocator(*memory, *c10::GetDefaultCPUAllocator());
        constexpr std::uint8_t kBeforeTheUsual = 1;
        c10::SetCPUAllocator(made, kBeforeTheUsual);
        return made;
    }();
    return *allocator;
}

}  // namespace

std::unique_ptr<SharedTensors> SharedTensors::forBackends(const std::vector<std::string>& names,
                                                          const at::Device& device) {
    if (!device.is_cpu()) return nullptr;
    for (const std::string& name : names) {
        const kernels::BackendInfo* backend = kernels::findBackend(name);
        if (backend == nullptr || backend->plugin == nullptr || backend->plugin->kernel == nullptr) continue;
        if (kernels::PluginMemory* memory = backend->plugin->kernel->memory())
            return std::make_unique<SharedTensors>(*memory);
    }
    return nullptr;
}

SharedTensors::SharedTensors(kernels::PluginMemory& memory) {
    allocatorWith(&memory).begin();
}

SharedTensors::~SharedTensors() {
    allocatorWith(nullptr).end();
}

}  // namespace reelgrid::attention
