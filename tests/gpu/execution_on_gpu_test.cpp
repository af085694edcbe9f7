#include "core/base/result.h"
#include "core/execution/device_description.h"
#include "core/execution/fp32_precision.h"
#include "core/execution/memory_check.h"
#include "core/protocol/render_fields.h"
#include "core/schedulers/initial_noise.h"
#include "core/weights/device_upload.h"
#include "tests/gpu/gpu.h"

namespace reelgrid::execution {
namespace {

class ExecutionOnGpu : public OnGpu {};

TEST_F(ExecutionOnGpu, UploadsEveryByte) {
    weights::DeviceUpload upload(gpu.device);
    for (const std::int64_t count : {1L, 1000L, (1L << 19) + 1, (1L << 25) + 77, (3L << 25) + 5}) {
        const at::Tensor stored = at::randint(-30000, 30000, {count}, at::kShort);
        const at::Tensor moved = upload.uploaded(stored);
        EXPECT_EQ(moved.device(), gpu.device);
        EXPECT_TRUE(at::equal(moved.cpu(), stored)) << count;
    }
}

TEST_F(ExecutionOnGpu, ProductsOfFp32AreExactUnlessTf32IsAskedFor) {
    const at::Tensor a = at::randn({512, 512}, at::TensorOptions().device(gpu.device));
    const at::Tensor exact = at::matmul(a.to(at::kDouble), a.to(at::kDouble));
    setFp32Precision(protocol::kTf32);
    EXPECT_TRUE(allowsTf32());
    EXPECT_GT(relativeError(at::matmul(a, a), exact), 1e-5);
    setFp32Precision(protocol::kIeee);
    EXPECT_FALSE(allowsTf32());
    EXPECT_LT(relativeError(at::matmul(a, a), exact), 1e-6);
}

TEST_F(ExecutionOnGpu, SaysWhatTheCardIs) {
    const DeviceDescription described = describe(gpu);
    EXPECT_NE(described.name, "");
    EXPECT_EQ(described.versions.at("cuda").substr(0, 3), "13.");
    EXPECT_NE(described.versions.at("cudnn"), "");
}

TEST_F(ExecutionOnGpu, MemoryIsCheckedBeforeItIsMissed) {
    const std::uint64_t available = availableMemory(gpu);
    EXPECT_GT(available, std::uint64_t{1} << 30);
    EXPECT_LT(available, std::uint64_t{1} << 40);
    try {
        requireMemory(gpu, std::uint64_t{1} << 50, 0, "832×480, 81 frames", "fewer frames");
        FAIL();
    } catch (const Failure& failure) {
        EXPECT_EQ(failure.error().code, ErrorCode::OutOfMemory);
        EXPECT_NE(failure.error().message.find("cuda:0"), std::string::npos) << failure.error().message;
    }
}

TEST_F(ExecutionOnGpu, TheGpusOwnGeneratorFollowsTheSeed) {
    const auto noise = [&](std::uint64_t seed) {
        return schedulers::initialNoise(seed, {1, 16, 3, 8, 8}, gpu.device);
    };
    EXPECT_TRUE(at::equal(noise(42), noise(42)));
    EXPECT_FALSE(at::equal(noise(42), noise(43)));
    EXPECT_NEAR(noise(42).std().item<double>(), 1, 0.05);
}

}  // namespace
}  // namespace reelgrid::execution
