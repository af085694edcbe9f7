#include "core/benchmark/vae_benchmark.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include <nlohmann/json.hpp>

#include "core/base/result.h"
#include "core/benchmark/synthetic_video.h"
#include "core/benchmark/vae_report.h"

namespace reelgrid::benchmark {
namespace {

namespace fs = std::filesystem;

vae::VaeFiles tinyVae() {
    return vae::openVae(fs::path(REELGRID_SOURCE_DIR) / "tests/fixtures/wan/tiny-pipeline");
}

VaeCase tinyCase() {
    VaeCase wanted;
    wanted.clip = {.frames = 5, .height = 48, .width = 64};
    wanted.tiling = {{32, 24}, {32, 24}};
    return wanted;
}

TEST(VaeBenchmark, GivesEveryConfigurationItsRow) {
    const auto checkpoint = tinyVae();
    VaeCase wanted = tinyCase();
    wanted.warmup = 0;
    wanted.repetitions = 3;
    std::vector<std::string> passes;
    int last = 0;
    const auto rows = measureVae(
        checkpoint, wanted,
        [&](const std::string& configuration, const std::string& pass, int done, int total, double) {
            passes.push_back(configuration + " " + pass);
            EXPECT_EQ(total, 24);
            last = done;
        },
        {});
    EXPECT_EQ(passes.size(), 24U);
    EXPECT_EQ(last, 23);
    ASSERT_EQ(rows.size(), 4U);
    for (const VaeRow& row : rows) {
        EXPECT_EQ(row.error, "") << row.configuration.name;
        EXPECT_EQ(row.encode.seconds.size(), 3U);
        EXPECT_EQ(row.decode.seconds.size(), 3U);
        EXPECT_TRUE(row.clipPsnr);
    }
    EXPECT_FALSE(rows[0].decodePsnr);
    EXPECT_FALSE(rows[0].latentsSnr);
    EXPECT_LT(*rows[2].decodePsnr, 100);
    EXPECT_GT(*rows[1].latentsSnr, 20);
}

TEST(VaeBenchmark, FindsNoDifferenceWhereOneTileHoldsThePicture) {
    const auto checkpoint = tinyVae();
    VaeCase wanted = tinyCase();
    wanted.tiling = {{64, 48}, {64, 48}};
    const auto rows = measureVae(checkpoint, wanted, {}, {});
    EXPECT_EQ(rows[2].decodePsnr, 100);
    EXPECT_EQ(rows[2].latentsSnr, 100);
}

TEST(VaeBenchmark, SaysInItsRowWhatFoundNoMemory) {
    const auto checkpoint = tinyVae();
    VaeCase wanted = tinyCase();
    wanted.clip = {.frames = 4093, .height = 16384, .width = 16384};
    wanted.warmup = 0;
    // The clip alone would take terabytes; nothing of it may be made.
    const auto rows = measureVae(checkpoint, wanted, {}, {});
    ASSERT_EQ(rows.size(), 4U);
    for (const VaeRow& row : rows) {
        EXPECT_THAT(row.error, testing::HasSubstr("GB of memory")) << row.configuration.name;
        EXPECT_TRUE(row.decode.seconds.empty());
    }
    VaeReport report;
    report.rows = rows;
    report.shape = checkpoint.describe({}, vae::VaeParts::Both)->shape();
    EXPECT_FALSE(toJson(report)["rows"][0].contains("decode"));
}

TEST(VaeBenchmark, MeasuresTheVaeOfCogVideoX) {
    const fs::path folder = fs::path(testing::TempDir()) / ("cogvideox_vae_" + std::to_string(getpid()));
    const fs::path fixtures = fs::path(REELGRID_SOURCE_DIR) / "tests/fixtures/vae/cogvideox";
    fs::create_directories(folder / "vae");
    fs::copy_file(fixtures / "tiles.json", folder / "vae" / "config.json");
    fs::copy_file(fixtures / "tiles.safetensors", folder / "vae" / "diffusion_pytorch_model.safetensors");
    const auto checkpoint = vae::openVae(folder);
    const auto described = checkpoint.describe({}, vae::VaeParts::Both);
    EXPECT_EQ(described->shape().frameStep, 8);
    EXPECT_EQ(checkpoint.bytes, fs::file_size(fixtures / "tiles.safetensors"));
    VaeCase wanted;
    wanted.clip = {.frames = 17, .height = 40, .width = 44};
    wanted.tiling = described->tilingOf(24);
    EXPECT_EQ(wanted.tiling, (vae::Tiling{{24, 20}, {20, 16}}));
    wanted.warmup = 0;
    const auto rows = measureVae(checkpoint, wanted, {}, {});
    ASSERT_EQ(rows.size(), 4U);
    for (const VaeRow& row : rows) EXPECT_EQ(row.error, "") << row.configuration.name;
    EXPECT_GT(*rows[1].decodePsnr, 30);
    EXPECT_LT(*rows[2].decodePsnr, 60);
    fs::remove_all(folder);
}

TEST(VaeBenchmark, StopsWhenAsked) {
    const auto checkpoint = tinyVae();
    std::stop_source stop;
    stop.request_stop();
    try {
        (void)measureVae(checkpoint, tinyCase(), {}, stop.get_token());
        FAIL() << "it went on";
    } catch (const Failure& failure) {
        EXPECT_EQ(failure.error().code, ErrorCode::Cancelled);
    }
}

TEST(SyntheticVideo, IsTheSameEachTimeAndMoves) {
    const at::Tensor clip = syntheticVideo(5, 32, 48);
    EXPECT_TRUE(at::equal(clip, syntheticVideo(5, 32, 48)));
    EXPECT_EQ(clip.sizes(), (at::IntArrayRef{1, 3, 5, 32, 48}));
    EXPECT_LE(clip.abs().max().item<double>(), 1);
    for (int frame = 1; frame < 5; ++frame)
        EXPECT_GT((clip.select(2, frame) - clip.select(2, frame - 1)).abs().max().item<double>(), 0.1);
}

}  // namespace
}  // namespace reelgrid::benchmark
