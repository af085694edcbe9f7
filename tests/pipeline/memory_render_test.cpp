#include <gmock/gmock.h>

#include "core/machine/local_machine.h"
#include "core/pipeline/render_forecast.h"
#include "core/pipeline/renderer.h"
#include "core/protocol/result_paths.h"
#include "core/result/clip_result.h"
#include "tests/pipeline/tiny_render.h"

namespace reelgrid::pipeline {
namespace {

using testing::HasSubstr;

/// Where a model's parts lie while it renders, as the manifest says it.
class MemoryOfARender : public TinyRenderTest {
  protected:
    Renderer m_renderer;
    std::uint64_t m_predicted = 0;

    result::Manifest manifestOf(const protocol::RenderRequest& request) {
        const auto progress = [this](const protocol::RenderProgress& now) {
            m_predicted = now.predictedPeakBytes;
        };
        const auto clip = m_renderer.render(request, progress, {});
        EXPECT_TRUE(clip) << (clip ? "" : clip.error().message);
        return result::readClipResult(request.output).manifest;
    }
    [[nodiscard]] protocol::RenderRequest cpuRequest() const {
        protocol::RenderRequest request = tinyRequest();
        request.device = "cpu";
        request.dtype = "fp32";
        return request;
    }
};

TEST_F(MemoryOfARender, IsPredictedAndMeasured) {
    const auto memory = manifestOf(cpuRequest()).memory;
    ASSERT_TRUE(memory);
    EXPECT_EQ(memory->offload, "none");
    ASSERT_TRUE(memory->predictedPeak);
    EXPECT_EQ(memory->predictedPeak, m_predicted);
    EXPECT_GT(*memory->predictedPeak, 1'000'000U);
    // Absent where the system doesn't tell.
    EXPECT_GT(memory->measuredPeak.value_or(2'000'000), 1'000'000U);
}

TEST_F(MemoryOfARender, IsForetoldAsTheRenderWillPredictIt) {
    for (const char* offload : {"none", "blocks"}) {
        protocol::RenderRequest request = cpuRequest();
        request.offload = offload;
        const auto forecast = forecastRender(request, machine::LocalMachine().now());
        ASSERT_TRUE(forecast) << forecast.error().message;
        EXPECT_EQ(forecast->device, "cpu");
        EXPECT_EQ(forecast->offload, offload);
        EXPECT_EQ(forecast->peakBytes, manifestOf(request).memory->predictedPeak);
        EXPECT_TRUE(forecast->fits());
        EXPECT_TRUE(forecast->ways.empty());
        EXPECT_GT(forecast->freeBytes.value_or(0), *forecast->peakBytes);
    }
}

TEST_F(MemoryOfARender, AForecastThatDoesNotFitSaysWhatTakesLess) {
    protocol::RenderRequest request = cpuRequest();
    // A VAE in one piece, of a clip that no machine here holds.
    request.vaeTiling = "off";
    request.width = request.height = 16384;
    request.numFrames = 4093;
    const auto forecast = forecastRender(request, machine::LocalMachine().now());
    ASSERT_TRUE(forecast) << forecast.error().message;
    EXPECT_FALSE(forecast->fits()) << *forecast->peakBytes;
    EXPECT_EQ(forecast->offload, "blocks");  // automatic, where the whole doesn't fit
    EXPECT_THAT(forecast->ways, testing::ElementsAre("--vae-tiling on", "--vae-dtype bf16", "--dtype bf16"));
    request.model = "/nowhere";
    EXPECT_THAT(forecastRender(request, machine::LocalMachine().now()).error().message,
                HasSubstr("/nowhere"));
}

TEST_F(MemoryOfARender, OfRanksOnTheProcessorIsEachOnesShare) {
    protocol::RenderRequest request = cpuRequest();
    const auto alone = forecastRender(request, machine::LocalMachine().now());
    ASSERT_TRUE(alone) << alone.error().message;
    request.ulyssesDegree = 2;
    request.cfgParallel = 2;
    const auto shared = forecastRender(request, machine::LocalMachine().now());
    ASSERT_TRUE(shared) << shared.error().message;
    EXPECT_LT(*shared->freeBytes, *alone->freeBytes / 2) << "a quarter, while others use the machine";
    request.ulyssesDegree = 3;
    const auto refused = forecastRender(request, machine::LocalMachine().now());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::BadUsage);
    EXPECT_THAT(
        refused.error().message,
        HasSubstr("--ulysses-degree 3: the model's attention has 2 heads, a divisor of them was needed"));
}

TEST_F(MemoryOfARender, StreamedBlocksMakeTheSameFrames) {
    protocol::RenderRequest request = cpuRequest();
    const auto held = manifestOf(request);
    request.offload = "blocks";
    const auto streamed = manifestOf(request);
    EXPECT_EQ(streamed.memory->offload, "blocks");
    EXPECT_EQ(streamed.settings->offload, "blocks");
    EXPECT_LT(*streamed.memory->predictedPeak, *held.memory->predictedPeak);
    EXPECT_EQ(streamed.framesSha256, held.framesSha256);
    // Its encoder was freed, its prompts' embeddings weren't.
    EXPECT_EQ(manifestOf(request).framesSha256, held.framesSha256);
    request.prompt = "a blue boat";
    EXPECT_NE(manifestOf(request).framesSha256, held.framesSha256);
    request.prompt = cpuRequest().prompt;
    request.offload = "auto";
    EXPECT_EQ(manifestOf(request).framesSha256, held.framesSha256);
}

TEST_F(MemoryOfARender, ProductsInFp8AreSaidToBeExactOnTheCpu) {
    protocol::RenderRequest request = cpuRequest();
    const auto plain = manifestOf(request);
    EXPECT_FALSE(plain.gemms);
    request.useFp8Gemms = true;
    const auto rounded = manifestOf(request);
    ASSERT_TRUE(rounded.gemms);
    EXPECT_EQ(rounded.gemms->requested, "fp8");
    EXPECT_EQ(rounded.gemms->used, "fp32");
    EXPECT_THAT(rounded.gemms->why, HasSubstr("cpu has no products of e4m3"));
    EXPECT_NE(rounded.framesSha256, plain.framesSha256);
    request.useFp8Gemms = false;
    request.useBf16TeGemms = true;
    EXPECT_FALSE(manifestOf(request).gemms);
}

}  // namespace
}  // namespace reelgrid::pipeline
