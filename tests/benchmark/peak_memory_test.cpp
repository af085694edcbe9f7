#include "core/benchmark/peak_memory.h"

#include <gtest/gtest.h>

namespace reelgrid::benchmark {
namespace {

constexpr std::uint64_t kMegabyte = 1 << 20;

at::Tensor written(std::uint64_t megabytes) {
    return at::ones({std::int64_t(megabytes * kMegabyte)}, at::kByte);
}

TEST(PeakMemory, IsTheHighestSinceItCounts) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "AddressSanitizer keeps what was freed for a while";
#endif
    PeakMemory memory{execution::Execution{}};
    if (!memory.bytes()) GTEST_SKIP() << "this system doesn't let VmHWM be restarted (/proc/self/clear_refs)";
    (void)written(200);
    const std::uint64_t first = *memory.bytes();
    EXPECT_GE(first, 190 * kMegabyte);
    EXPECT_LT(first, 300 * kMegabyte);
    memory.restart();
    (void)written(60);
    const std::uint64_t second = *memory.bytes();
    EXPECT_GE(second, 55 * kMegabyte);
    EXPECT_LT(second, 150 * kMegabyte);
}

TEST(PeakMemory, LeavesOutWhatWasThereBefore) {
    const at::Tensor before = written(150);
    const PeakMemory memory{execution::Execution{}};
    if (!memory.bytes()) GTEST_SKIP() << "this system doesn't let VmHWM be restarted (/proc/self/clear_refs)";
    EXPECT_LT(*memory.bytes(), 50 * kMegabyte);
}

}  // namespace
}  // namespace reelgrid::benchmark
