#include "core/pipeline/tiling_choice.h"

#include <gtest/gtest.h>

namespace reelgrid::pipeline {
namespace {

/// A model that is asked for nothing but the memory it needs.
class Weighing final : public denoising::VideoModel {
  public:
    Weighing(std::uint64_t whole, std::uint64_t tiled) : m_whole(whole), m_tiled(tiled) {}
    std::unique_ptr<denoising::Denoiser> prepare(const catalog::RenderSettings&,
                                                 denoising::StageClock&) override {
        return nullptr;
    }
    media::RgbVideo decode(const at::Tensor&, const catalog::RenderSettings&,
                           denoising::StageClock&) override {
        return {};
    }
    [[nodiscard]] std::uint64_t workingBytes(const catalog::RenderSettings& settings) const override {
        return settings.vaeTiling == protocol::kTilingOn ? m_tiled : m_whole;
    }
    [[nodiscard]] at::Device device() const override { return at::kCPU; }

  private:
    std::uint64_t m_whole, m_tiled;
};

std::string settled(const std::string& asked, std::uint64_t whole, std::uint64_t tiled,
                    std::uint64_t available) {
    catalog::RenderSettings settings;
    settings.vaeTiling = asked;
    return settledTiling(Weighing(whole, tiled), settings, available);
}

TEST(TilingChoice, TakesTilesOnlyWhereTheWholeDoesNotFit) {
    EXPECT_EQ(settled("auto", 10, 2, 10), "off");
    EXPECT_EQ(settled("auto", 11, 2, 10), "on");
    EXPECT_EQ(settled("auto", 90, 20, 10), "on") << "the error then names the smaller need";
}

TEST(TilingChoice, TakesNoTilesThatSaveNothing) {
    EXPECT_EQ(settled("auto", 11, 11, 10), "off") << "denoising is what doesn't fit";
}

TEST(TilingChoice, LeavesWhatWasAskedFor) {
    EXPECT_EQ(settled("on", 1, 1, 10), "on");
    EXPECT_EQ(settled("off", 11, 2, 10), "off");
}

}  // namespace
}  // namespace reelgrid::pipeline
