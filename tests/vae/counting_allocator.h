#pragma once

#include <ATen/ATen.h>
#include <c10/core/CPUAllocator.h>
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <string>

#include "core/weights/weight_source.h"

namespace reelgrid::vae {

/// Counts what libtorch's tensors take, once it was begun.
class CountingAllocator final : public c10::Allocator {
  public:
    c10::DataPtr allocate(std::size_t bytes) override {
        constexpr std::size_t kAlignment = 64;
        void* data = bytes == 0 ? nullptr : std::aligned_alloc(kAlignment, (bytes + 63) / 64 * 64);
        if (data != nullptr) {
            const std::int64_t now = s_now += std::int64_t(malloc_usable_size(data));
            for (std::int64_t most = s_most; now > most && !s_most.compare_exchange_weak(most, now);) {
            }
        }
        return {data, data, &release, at::kCPU};
    }
    [[nodiscard]] c10::DeleterFnPtr raw_deleter() const override { return &release; }
    void copy_data(void* to, const void* from, std::size_t bytes) const override {
        default_copy_data(to, from, bytes);
    }

    /// The most at once while `work` runs, beside what there was.
    template <class Work>
    static std::int64_t mostDuring(const Work& work) {
        static CountingAllocator allocator;
        c10::Allocator* const usual = c10::GetCPUAllocator();
        constexpr std::uint8_t kAboveAllOthers = 255;
        c10::SetCPUAllocator(&allocator, kAboveAllOthers);
        s_now = s_most = 0;
        work();
        c10::SetCPUAllocator(usual, kAboveAllOthers);
        return s_most;
    }

  private:
    static void release(void* data) {
        if (data != nullptr) s_now -= std::int64_t(malloc_usable_size(data));
        std::free(data);
    }

    static inline std::atomic<std::int64_t> s_now = 0, s_most = 0;
};

/// Every weight a constant: memory doesn't look at values.
class ConstantWeights final : public weights::WeightSource {
  public:
    at::Tensor require(const std::string&, at::IntArrayRef shape) override { return at::full(shape, 0.01F); }
    [[nodiscard]] bool has(const std::string& name) const override { return !name.ends_with("int8_weight"); }
};

}  // namespace reelgrid::vae
