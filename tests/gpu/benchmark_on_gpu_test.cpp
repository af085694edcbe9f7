// `bench attention --device cuda`: what it measures, on small problems.

#include <gmock/gmock.h>

#include "core/benchmark/attention_benchmark.h"
#include "core/benchmark/attention_subject.h"
#include "core/benchmark/machine_peaks.h"
#include "tests/gpu/gpu.h"

namespace reelgrid::benchmark {
namespace {

const Progress kSilent = [](int, int, double) {};

class BenchmarkOnGpu : public OnGpu {
  protected:
    [[nodiscard]] AttentionCase caseOf(const char* shape) const {
        AttentionCase wanted;
        wanted.shape = *parseShape(shape);
        wanted.execution = gpu;
        wanted.backends = kernels::backendsOn(kernels::Device::Cuda);
        return wanted;
    }
};

TEST_F(BenchmarkOnGpu, EveryBackendOfTheGpuRunsAndComesCloseToTheTruth) {
    for (const auto mask : {kernels::Mask::None, kernels::Mask::Causal})
        for (const auto type : {kernels::DataType::BFloat16, kernels::DataType::Float16}) {
            AttentionCase wanted = caseOf("1,4,1000,128");
            wanted.type = type;
            wanted.mask = mask;
            wanted.grid = {.frames = 10, .rows = 10, .columns = 10};  // as --grid gives it: sta, radial
            const auto rows = measureAttention(wanted, kSilent);
            ASSERT_EQ(rows.size(), wanted.backends.size());
            for (const AttentionRow& row : rows) {
                if (mask == kernels::Mask::Causal && kernels::findBackend(row.kernel)->sparse) {
                    EXPECT_EQ(row.why, row.kernel + ": no causal mask");
                    continue;
                }
                EXPECT_EQ(row.used, row.kernel) << row.why;
                if (!row.dense) continue;
                EXPECT_GE(row.accuracy.cosine, 0.998) << row.kernel;
            }
            EXPECT_NE(rows[0].choice, "");
        }
}

TEST_F(BenchmarkOnGpu, QueriesThatSeeNoKeyGetNothing) {
    AttentionCase wanted = caseOf("2,8/2,512,128,77");
    wanted.mask = kernels::Mask::Causal;
    const auto rows = measureAttention(wanted, kSilent);
    EXPECT_EQ(rows[0].kernel, "sdpa");
    for (const AttentionRow& row : rows) {
        if (!row.dense) continue;
        EXPECT_GE(row.accuracy.cosine, 0.998) << row.kernel;
    }
}

TEST_F(BenchmarkOnGpu, TakesAtLeastTenTurnsAndKnowsTheKernelOfWhatPreparesNothing) {
    const auto rows = measureAttention(caseOf("1,12,4096,128"), kSilent);
    for (const AttentionRow& row : rows) {
        EXPECT_GE(row.repetitions, 10) << row.kernel;
        EXPECT_GT(row.best, 0) << row.kernel;
        EXPECT_LE(row.p50, row.p95) << row.kernel;
        EXPECT_TRUE(row.variation) << row.kernel;
    }
    EXPECT_EQ(rows[0].kernelP50, rows[0].p50);
}

TEST_F(BenchmarkOnGpu, EventsTimeTheWorkAndNotTheEmptyingOfTheCache) {
    // 12 heads of 8192 tokens are 0.4 TFLOP: between 0.3 ms and 3 ms from an A100 to whatever comes.
    const auto rows = measureAttention(caseOf("1,12,8192,128"), kSilent);
    EXPECT_GT(rows[0].p50, 1e-4);
    EXPECT_LT(rows[0].p50, 1e-2);
    AttentionCase tiny = caseOf("1,1,16,64");
    EXPECT_LT(measureAttention(tiny, kSilent)[0].best, 1e-4) << "256 MB of zeros take longer";
}

TEST_F(BenchmarkOnGpu, DrawsTheInputsOfTheCpu) {
    AttentionCase wanted = caseOf("1,2,300,64");
    wanted.repetitions = 1;
    const AttentionInput here = makeUp(wanted.madeUp, wanted.shape, wanted.type);
    const AttentionInput there = movedTo(here, gpu.device);
    EXPECT_TRUE(there.q_BHND.cpu().equal(here.q_BHND));
    // The truth is computed on either device.
    const Float64Attention onCpu(here, kernels::Mask::Causal), onGpu(there, kernels::Mask::Causal);
    const AttentionSubject subject(there, kernels::Mask::Causal, kernels::KeySmoothing::Mean, gpu);
    const at::Tensor out = subject.run(*kernels::findBackend("sdpa"));
    EXPECT_NEAR(onGpu.accuracyOf(out).rmse, onCpu.accuracyOf(out.cpu()).rmse, 1e-9);
}

TEST_F(BenchmarkOnGpu, AMaskAlignedAtTheBottomRightIsSdpasAlone) {
    AttentionCase wanted = caseOf("1,2,100,64,150");
    wanted.mask = kernels::Mask::Causal;
    wanted.repetitions = 2;
    for (const AttentionRow& row : measureAttention(wanted, kSilent)) {
        EXPECT_GE(row.accuracy.cosine, 0.998) << row.kernel;
        if (row.kernel == "cudnn" || row.kernel == "flash") {
            EXPECT_THAT(row.why, testing::HasSubstr("aligned at the top left")) << row.kernel;
        }
    }
}

TEST_F(BenchmarkOnGpu, SharedKeyHeadsReachSdpa) {
    AttentionCase wanted = caseOf("1,8/2,200,128");
    wanted.repetitions = 2;
    EXPECT_GE(measureAttention(wanted, kSilent)[0].accuracy.cosine, 0.999);
}

TEST_F(BenchmarkOnGpu, PeaksAreThoseOfAGpu) {
    const Peaks peaks = measurePeaks(gpu, Clock::Wall);
    EXPECT_GT(peaks.fp32, 5e12);
    EXPECT_GT(peaks.bf16, 2 * peaks.fp32);
    EXPECT_GT(peaks.fp16, 2 * peaks.fp32);
    EXPECT_GT(peaks.int8, peaks.fp32);
    EXPECT_GT(peaks.bytesPerSecond, 2e11);
    EXPECT_LT(peaks.bytesPerSecond, 5e13);
}

}  // namespace
}  // namespace reelgrid::benchmark
