#include "core/pipeline/memory_choice.h"

#include <gmock/gmock.h>

#include "core/catalog/model_folder.h"

namespace reelgrid::pipeline {
namespace {

std::optional<MemoryForecast> forecast(Offload offload, Encoders encoders) {
    if (offload == Offload::Blocks) return MemoryForecast{10, "text"};
    return MemoryForecast{encoders == Encoders::Kept ? 40U : 30U, "denoise"};
}

MemoryChoice choose(const char* offload, std::uint64_t available) {
    return chooseMemory(offload, available, forecast);
}

TEST(MemoryChoice, AutoHoldsWhatFits) {
    EXPECT_EQ(choose("auto", 40).offload, Offload::None);
    EXPECT_EQ(choose("auto", 40).encoders, Encoders::Kept);
    EXPECT_EQ(choose("auto", 39).encoders, Encoders::FreedAfterUse);
    EXPECT_EQ(choose("auto", 39).offload, Offload::None);
    EXPECT_EQ(choose("auto", 29).offload, Offload::Blocks);
    EXPECT_EQ(choose("auto", 29).forecast->peak, 10U);
    EXPECT_EQ(choose("auto", 1).offload, Offload::Blocks) << "the least that there is";
}

TEST(MemoryChoice, IsWhatWasAskedFor) {
    EXPECT_EQ(choose("blocks", 1000).offload, Offload::Blocks);
    EXPECT_EQ(choose("blocks", 1000).encoders, Encoders::FreedAfterUse);
    EXPECT_EQ(choose("none", 1).offload, Offload::None);
    EXPECT_EQ(choose("none", 1).encoders, Encoders::FreedAfterUse);
    const auto unknown = chooseMemory("auto", 1, [](Offload, Encoders) { return std::nullopt; });
    EXPECT_EQ(unknown.offload, Offload::None);
    EXPECT_FALSE(unknown.forecast);
}

TEST(MemoryChoice, SaysWhatNeedsLess) {
    const auto model =
        catalog::readModelFolder(REELGRID_SOURCE_DIR "/tests/fixtures/wan/tiny-pipeline").value();
    catalog::RenderSettings settings;
    settings.dtype = settings.vaeDtype = "bf16";
    settings.vaeTiling = protocol::kTilingOff;
    settings.offload = protocol::kOffloadNone;
    EXPECT_EQ(waysToNeedLess(settings, model),
              "--offload blocks, --vae-tiling on, a smaller size or fewer frames");
    settings.offload = protocol::kOffloadBlocks;
    settings.vaeTiling = protocol::kTilingAuto;
    settings.vaeDtype = "fp32";
    EXPECT_EQ(waysToNeedLess(settings, model), "--vae-dtype bf16, a smaller size or fewer frames");
}

}  // namespace
}  // namespace reelgrid::pipeline
