#include "core/comparison/clip_measurer.h"

#include <gtest/gtest.h>

#include "core/media/writer.h"
#include "tests/session/session_folder.h"

namespace reelgrid::comparison {
namespace {

/// Grey frames, each a little lighter than the last.
media::RgbVideo greys(int width, int first) {
    media::RgbVideo video{.width = width, .height = 32, .fps = {16, 1}, .pixels = {}};
    for (int frame = 0; frame < 4; ++frame)
        video.pixels.insert(video.pixels.end(), video.frameBytes(), std::uint8_t(first + 4 * frame));
    return video;
}

class ClipMeasurerTest : public testing::Test {
  protected:
    session::SessionFolder m_folder;
    std::filesystem::path write(const std::string& name, const media::RgbVideo& video) const {
        EXPECT_TRUE(media::writeClip(m_folder.path() / name, video));
        return m_folder.path() / name;
    }
};

TEST_F(ClipMeasurerTest, MeasuresTheDriftAndSaysOnWhat) {
    const auto reference = write("sdpa.mp4", greys(48, 60));
    ClipMeasurer measurer(reference);
    metrics::ClipMetrics known;
    const auto added = measurer.complete(write("fav2.mp4", greys(48, 80)), known);
    ASSERT_TRUE(added) << added.error().message;
    EXPECT_TRUE(*added);
    EXPECT_EQ(known.frames, 4);
    ASSERT_TRUE(known.drift);
    EXPECT_NEAR(known.drift->psnr->mean, 22.1, 1) << "20 codes apart";
    EXPECT_EQ(known.drift->reference, "sdpa");
    EXPECT_EQ(known.drift->referenceClip, "sdpa.mp4");
    EXPECT_EQ(known.drift->measuredOn, metrics::kDecodedClips);
}

TEST_F(ClipMeasurerTest, MeasuresPartByPartWhatItMeasuresAtOnce) {
    for (const int referenceFrames : {3, 4}) {
        media::RgbVideo shorter = greys(48, 60);
        shorter.pixels.resize(std::size_t(referenceFrames) * shorter.frameBytes());
        const auto reference = write("sdpa.mp4", shorter);
        const auto clip = write("fav2.mp4", greys(48, 80));
        metrics::ClipMetrics whole, parts;
        ASSERT_TRUE(ClipMeasurer(reference).complete(clip, whole));
        ASSERT_TRUE(ClipMeasurer(reference, 1).complete(clip, parts));
        EXPECT_EQ(parts.frames, 4);
        EXPECT_EQ(parts.drift->psnr->perFrame, whole.drift->psnr->perFrame);
        EXPECT_EQ(int(parts.drift->psnr->perFrame.size()), referenceFrames);
        EXPECT_EQ(parts.drift->referenceFrames, referenceFrames);
        EXPECT_EQ(parts.flickering->perFrame, whole.flickering->perFrame);
        EXPECT_EQ(parts.gates->luminanceVariance, whole.gates->luminanceVariance);
    }
}

TEST_F(ClipMeasurerTest, EndsWhenItIsAskedTo) {
    const auto clip = write("fav2.mp4", greys(48, 80));
    std::stop_source stop;
    stop.request_stop();
    metrics::ClipMetrics known;
    const auto measured = ClipMeasurer({}).complete(clip, known, stop.get_token());
    ASSERT_FALSE(measured);
    EXPECT_EQ(measured.error().code, ErrorCode::Cancelled);
    EXPECT_EQ(known.frames, 0);
}

TEST_F(ClipMeasurerTest, KeepsWhatTheRenderMeasured) {
    ClipMeasurer measurer(write("sdpa.mp4", greys(48, 60)));
    metrics::ClipMetrics known;
    known.frames = 4;
    const std::vector<double> list{0.5, 0.5, 0.5};
    known.frameCorrelation = metrics::Series{0.5, list};
    known.flickering = metrics::Series{0.25, list};
    known.warpingError = metrics::Series{0.125, list};
    known.drift.emplace().psnr = metrics::Series{99, {}};
    const auto clip = write("fav2.mp4", greys(48, 80));
    EXPECT_FALSE(measurer.complete(clip, known).value());
    EXPECT_EQ(known.drift->psnr->mean, 99);

    known.drift.reset();
    EXPECT_TRUE(measurer.complete(clip, known).value());
    EXPECT_TRUE(known.drift);
    EXPECT_EQ(known.frameCorrelation->mean, 0.5);
    EXPECT_EQ(known.flickering->mean, 0.25);
}

TEST_F(ClipMeasurerTest, GivesAnOlderClipTheListsThatItLacks) {
    ClipMeasurer measurer({});
    metrics::ClipMetrics known;
    known.frames = 4;
    known.frameCorrelation = metrics::Series{0.5, {0.5, 0.5, 0.5}};
    known.flickering = metrics::Series{0.25, {}};
    const auto clip = write("fav2.mp4", greys(48, 80));
    EXPECT_TRUE(measurer.complete(clip, known).value());
    EXPECT_EQ(known.frameCorrelation->mean, 0.5);
    EXPECT_EQ(known.flickering->mean, 0.25);
    EXPECT_FALSE(known.flickering->perFrame.empty());
    EXPECT_EQ(known.warpingError->perFrame.size(), known.flickering->perFrame.size());
}

TEST_F(ClipMeasurerTest, ComparesNeitherTheReferenceNorAnotherSize) {
    const auto reference = write("sdpa.mp4", greys(48, 60));
    ClipMeasurer measurer(reference);
    for (const auto& clip : {reference, write("wide.mp4", greys(64, 60))}) {
        metrics::ClipMetrics known;
        EXPECT_TRUE(measurer.complete(clip, known).value());
        EXPECT_EQ(known.frames, 4);
        EXPECT_FALSE(known.drift);
    }
}

}  // namespace
}  // namespace reelgrid::comparison
