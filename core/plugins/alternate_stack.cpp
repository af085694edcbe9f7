#include "core/plugins/alternate_stack.h"

#include <csignal>
#include <cstddef>
#include <memory>

namespace reelgrid::plugins {
namespace {

/// Enough for the registers of any processor (AMX's are 8 KiB) and what a handler calls.
constexpr std::size_t kBytes = 64 * 1024;

class AlternateStack {
  public:
    AlternateStack() {
        stack_t present{};
        if (sigaltstack(nullptr, &present) != 0 || (present.ss_flags & SS_DISABLE) == 0) return;
        m_memory = std::make_unique<std::byte[]>(kBytes);
        stack_t own{};
        own.ss_sp = m_memory.get();
        own.ss_size = kBytes;
        sigaltstack(&own, nullptr);
    }
    AlternateStack(const AlternateStack&) = delete;
    AlternateStack& operator=(const AlternateStack&) = delete;
    ~AlternateStack() {
        if (m_memory == nullptr) return;
        stack_t none{};
        none.ss_flags = SS_DISABLE;
        sigaltstack(&none, nullptr);
    }

  private:
    std::unique_ptr<std::byte[]> m_memory;
};

}  // namespace

void haveAlternateStack() {
    static thread_local const AlternateStack stack;
    static_cast<void>(stack);
}

}  // namespace reelgrid::plugins
