// What only shows at length: offsets beyond 32 bits, and memory that must grow with N and not with N².

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>

#include "kernels/attention/half_types.h"
#include "kernels/backends/backend_list.h"
#include "tests/kernels/attention/attention_case.h"

namespace {
std::atomic<std::size_t> g_alignedBytes{0};
}

// The kernels take their memory with this operator.
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    g_alignedBytes += bytes;
    const auto unit = static_cast<std::size_t>(alignment);
    void* memory = std::aligned_alloc(unit, (bytes + unit - 1) / unit * unit);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}
void operator delete(void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}

namespace reelgrid::kernels::test {
namespace {

class EveryKernel : public testing::TestWithParam<BackendInfo> {
  protected:
    /// Bytes that a thread without kept memory takes for one head of `tokens`.
    static std::size_t bytesFor(std::int64_t tokens) {
        AttentionCase c({1, 1, 1, tokens, tokens, 16}, DataType::BFloat16);
        std::size_t bytes = 0;
        std::thread([&] {
            const std::size_t before = g_alignedBytes;
            kernels::run(GetParam(), c.problem);
            bytes = g_alignedBytes - before;
        }).join();
        return bytes;
    }
};

std::vector<BackendInfo> ownKernels() {
    std::vector<BackendInfo> found;
    for (const auto& backend : backends())
        // Those that go by the tokens' grid take a clip's queries, not a single one.
        if (backend.method && backend.method != Method::SlidingTile && backend.method != Method::Radial)
            found.push_back(backend);
    return found;
}
INSTANTIATE_TEST_SUITE_P(Every, EveryKernel, testing::ValuesIn(ownKernels()),
                         [](const auto& each) { return std::string(each.param.name); });

TEST_P(EveryKernel, TakesMemoryThatGrowsWithTheLengthAndNotItsSquare) {
    const std::size_t at2048 = bytesFor(2048);
    const std::size_t at8192 = bytesFor(8192);
    EXPECT_GT(at2048, 0U);
    EXPECT_LT(at8192, 4 * at2048 + (1U << 20));
    EXPECT_LT(at8192, std::size_t{8192} * 8192 / 8);  // not even a bit for every score
}

TEST_P(EveryKernel, ReadsOffsetsBeyond32Bits) {
    // 140,001 keys, 16,384 elements apart: the last lie beyond 2^31. Nothing but their rows is ever touched.
    constexpr std::int64_t kKeys = 140'001, kStride = 16'384, kDim = 64;
    constexpr std::size_t kBytes = std::size_t{kKeys} * kStride * 2;
    void* mapped =
        mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) GTEST_SKIP() << "no " << kBytes << " bytes of address space";
    auto* rows = static_cast<std::uint16_t*>(mapped);
    auto* last = rows + (kKeys - 1) * kStride;
    for (std::int64_t d = 0; d < kDim; ++d) last[kDim + d] = bf16FromFloat(static_cast<float>(d + 1));

    AttentionCase c({1, 1, 1, 1, 1, kDim}, DataType::BFloat16);
    AttentionProblem problem = c.problem;
    problem.k = rows;         // zeros: every key weighs the same
    problem.v = rows + kDim;  // zeros but for the last
    problem.keys = kKeys;
    problem.kStrides = problem.vStrides = {.batch = 0, .head = 0, .token = kStride};
    problem.sparseLinear.topkRatio = 1;
    kernels::run(GetParam(), problem);
    const auto out = c.output();
    for (std::int64_t d = 0; d < kDim; ++d)
        EXPECT_NEAR(out[static_cast<std::size_t>(d)] * static_cast<double>(kKeys), static_cast<double>(d + 1),
                    0.07 * static_cast<double>(d + 1))
            << d;
    munmap(mapped, kBytes);
}

}  // namespace
}  // namespace reelgrid::kernels::test
