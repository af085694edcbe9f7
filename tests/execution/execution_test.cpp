#include "core/execution/execution.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "core/execution/out_of_memory.h"

namespace reelgrid::execution {
namespace {

TEST(Execution, OnTheCpuHasNoStreamAndNothingToWaitFor) {
    const auto cpu = executionOn("cpu");
    ASSERT_TRUE(cpu) << cpu.error().message;
    EXPECT_TRUE(cpu->device.is_cpu());
    EXPECT_EQ(cpu->stream(), nullptr);
    EXPECT_EQ(cpu->ranks, 1);
    cpu->synchronise();
}

TEST(Execution, NamesADeviceThatThisVersionDoesNotRunOn) {
    const auto none = executionOn("tpu:1");
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, ErrorCode::BadUsage);
    EXPECT_THAT(none.error().message, testing::HasSubstr("tpu:1"));
}

/// The kernels themselves take what they don't know for nothing said.
TEST(Execution, OnAGpuRefusesKernelsOfNoKnownName) {
    ASSERT_EQ(setenv("REELGRID_GPU_KERNELS", "amper", 1), 0);
    const auto gpu = executionOn("cuda");
    const auto cpu = executionOn("cpu");
    unsetenv("REELGRID_GPU_KERNELS");
    ASSERT_FALSE(gpu);
    EXPECT_EQ(gpu.error().message, "REELGRID_GPU_KERNELS=amper: must be mma, ampere, turing or tcgen05");
    EXPECT_TRUE(cpu);
}

TEST(CpuMemory, APieceThatWasFreedIsUsedForTheNextOfItsSize) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "AddressSanitizer keeps what was freed for a while";
#endif
    giveCpuMemoryErrorsTheirType();
    constexpr std::int64_t kBytes = 40000;
    at::Tensor first = at::empty({kBytes}, at::kByte);
    const at::Tensor behind = at::empty({kBytes}, at::kByte);
    const void* const place = first.data_ptr();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(place) % 64, 0U);
    first.reset();
    const at::Tensor next = at::empty({kBytes}, at::kByte);
    EXPECT_EQ(next.data_ptr(), place);
    EXPECT_EQ(at::empty({0}).numel(), 0);
}

TEST(OutOfMemory, IsRecognisedByItsTypeOnTheCpu) {
    giveCpuMemoryErrorsTheirType();
    giveCpuMemoryErrorsTheirType();
    constexpr std::int64_t kMoreThanAnyMachineMaps = std::int64_t{1} << 50;
    EXPECT_THROW(at::empty({kMoreThanAnyMachineMaps}, at::kByte), c10::OutOfMemoryError);
    EXPECT_EQ(at::ones({1000}).sum().item<float>(), 1000.0F);
}

}  // namespace
}  // namespace reelgrid::execution
