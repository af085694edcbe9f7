#include "core/base/result.h"
#include "core/execution/device_description.h"
#include "core/execution/fp32_precision.h"
#include "core/execution/fused_values.h"
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

TEST_F(ExecutionOnGpu, ValuesInOnePassHaveTheBitsOfOperationsOneByOne) {
    const auto onGpu = at::TensorOptions().device(gpu.device);
    // Multiples of four, which the kernel takes together, and others; a scale a frame; a start that isn't
    // aligned to four.
    for (const std::int64_t columns : {1, 3, 8, 127, 128}) {
        const at::Tensor all = at::randn({4 * 14 * 9 * columns + 1}, onGpu),
                         y = at::randn({1, 4, 14, 9, columns}, onGpu), frames = at::randn({14, 1, 1}, onGpu);
        for (const std::int64_t first : {0, 1}) {
            const at::Tensor x = all.narrow(0, first, y.numel()).view(y.sizes());
            const auto made = [&](FusedValues::Way way) {
                FusedValues::setWay(way);
                FusedValues values;
                const auto from = values.of(x), to = values.of(y);
                const auto guided = from + values.of(frames) * (to - from);
                auto results = values.made({guided, guided / 3.7 + 0.31 * to, (from - guided) / -1e-3});
                FusedValues::setWay(FusedValues::Way::OnePass);
                return results;
            };
            const auto together = made(FusedValues::Way::OnePass), apart = made(FusedValues::Way::OneByOne);
            for (std::size_t i = 0; i < apart.size(); ++i)
                EXPECT_TRUE(at::equal(together[i], apart[i]))
                    << columns << " columns, from " << first << ", " << i;
        }
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
