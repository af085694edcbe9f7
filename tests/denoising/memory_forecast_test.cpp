#include "core/denoising/memory_forecast.h"

#include <gtest/gtest.h>

#include "core/denoising/cublas_memory.h"
#include "core/denoising/process_memory.h"

namespace reelgrid::denoising {
namespace {

/// A VAE of which only bytes are asked: so many a frame, half of it in tiles.
class Weighed final : public vae::VideoVae {
  public:
    vae::VaeShape shape() const override { return {}; }
    vae::Tiling tilingOf(std::int64_t) const override { return {}; }
    vae::LatentMoments encode(const at::Tensor&, const vae::FrameProgress&, std::stop_token) const override {
        return {};
    }
    void decodeTo(const at::Tensor&, const vae::FrameSink&, std::stop_token) const override {}
    vae::LatentMoments encodeTiled(const at::Tensor&, const vae::Tiling&, const vae::FrameProgress&,
                                   std::stop_token) const override {
        return {};
    }
    at::Tensor decodeTiled(const at::Tensor&, const vae::Tiling&, const vae::FrameProgress&,
                           std::stop_token) const override {
        return {};
    }
    at::Tensor normalised(const at::Tensor& z) const override { return z; }
    at::Tensor denormalised(const at::Tensor& z) const override { return z; }
    std::uint64_t bytesToEncode(const vae::ClipSize& clip,
                                const std::optional<vae::Tiling>& tiling) const override {
        return std::uint64_t(clip.frames) * (tiling ? 150 : 300);
    }
    std::uint64_t bytesToDecode(const vae::ClipSize& clip,
                                const std::optional<vae::Tiling>& tiling) const override {
        return std::uint64_t(clip.frames) * (tiling ? 50 : 100);
    }
    std::uint64_t weightBytes() const override { return 7; }
};

class ForecastOfParts : public testing::Test {
  protected:
    ForecastOfParts() {
        m_model.network = 1000;
        m_model.textEncoders = 500;
        m_model.pass = 300;
        m_model.vae = std::make_unique<Weighed>();
        m_settings.numFrames = 5;
        m_settings.vaeTiling = protocol::kTilingOff;
        m_options.execution.device = at::kXPU;  // of which the parts alone are counted
    }
    [[nodiscard]] MemoryForecast forecast(std::uint64_t available = 1'000'000) const {
        return forecastOf(m_model, m_settings, m_options, available);
    }

    ModelMemory m_model;
    catalog::RenderSettings m_settings;
    LoadOptions m_options;
};

TEST_F(ForecastOfParts, NamesTheFullestStage) {
    EXPECT_EQ(forecast().stage, "decode");
    EXPECT_EQ(forecast().peak, 1000 + 7 + 500 + 5 * 100);
    m_model.pass = 400;
    m_model.caches = 200;
    EXPECT_EQ(forecast().stage, "denoise");
    EXPECT_EQ(forecast().peak, 1000 + 7 + 500 + 400 + 200);
    m_model.encodedFrames = 3;
    EXPECT_EQ(forecast().stage, "image");
    EXPECT_EQ(forecast().peak, 1000 + 7 + 500 + 3 * 300);
}

TEST_F(ForecastOfParts, CountsFreedEncodersOnlyWhileTheyEncode) {
    m_options.encoders = Encoders::FreedAfterUse;
    EXPECT_EQ(forecast().peak, 1000 + 7 + 500);
    EXPECT_EQ(forecast().stage, "text");
    m_model.textEncoders = 100;
    EXPECT_EQ(forecast().peak, 1000 + 7 + 5 * 100);
}

TEST_F(ForecastOfParts, DecodesInTilesWhereTheyAreAskedForOrTheWholeDoesNotFit) {
    m_settings.vaeTiling = protocol::kTilingOn;
    EXPECT_EQ(forecast().peak, 1000 + 7 + 500 + 300) << "denoising is fuller than tiles";
    m_settings.vaeTiling = protocol::kTilingAuto;
    EXPECT_EQ(forecast(2007).peak, 2007);
    EXPECT_FALSE(forecast(2007).tiles);
    EXPECT_EQ(forecast(2006).peak, 1000 + 7 + 500 + 300);
    EXPECT_TRUE(forecast(2006).tiles);
    m_settings.vaeTiling = protocol::kTilingOff;
    EXPECT_FALSE(forecast(2006).tiles);
}

TEST_F(ForecastOfParts, HoldsASecondNetworkWhereThereIsRoomToWorkBesideIt) {
    m_model.secondNetwork = 1000;
    EXPECT_EQ(forecast(1000 + 7 + 500 + 1500).peak, 1000 + 7 + 500 + 500);
    EXPECT_EQ(forecast(1000 + 7 + 500 + 1501).peak, 2000 + 7 + 500 + 500);
    m_options.offload = Offload::Blocks;
    EXPECT_EQ(forecast().peak, 1000 + 7 + 500 + 500);
}

TEST_F(ForecastOfParts, CountsTheProcessOnTheCpu) {
    const std::uint64_t onGpu = forecast().peak;
    m_options.execution.device = at::kCPU;
    EXPECT_EQ(forecast().peak, onGpu + kProcessBytes);
}

TEST_F(ForecastOfParts, CountsWhatCublasWorksInOnAnNvidiaGpuAlone) {
    const std::uint64_t parts = forecast(1'000'000'000).peak;
    m_options.execution.device = at::kCUDA;
    EXPECT_EQ(kCublasStreamBytes, 34'603'008U);
    EXPECT_EQ(forecast(1'000'000'000).peak, parts + kCublasStreamBytes);
    m_settings.useTorchCompile = true;
    m_settings.guidanceScale = 1;
    EXPECT_EQ(forecast(1'000'000'000).peak, parts + 2 * kCublasStreamBytes);
    m_settings.guidanceScale = 5;
    EXPECT_EQ(forecast(1'000'000'000).peak, parts + 3 * kCublasStreamBytes) << "a graph for each pass";
}

}  // namespace
}  // namespace reelgrid::denoising
