#include "widgets/video_grid/frame_source.h"

#include <gtest/gtest.h>

#include <atomic>

#include "tests/widgets/fake_clip.h"
#include "tests/widgets/gui_wait.h"

namespace reelgrid::widgets {
namespace {

constexpr std::size_t kFrameBytes = 16 * 8 * 3 / 2;

TEST(FrameSource, ReportsWhyAClipCannotBeOpened) {
    FrameSource source("broken.mp4", 1000, openFake);
    ASSERT_TRUE(waitUntil([&] { return !source.error().isEmpty(); }));
    EXPECT_EQ(source.error(), "broken.mp4: not a clip");
    EXPECT_EQ(source.info(), nullptr);
}

TEST(FrameSource, ReadsAheadOfThePlayheadWithinItsMemory) {
    const std::size_t room = 20 * kFrameBytes;
    FrameSource source("100", room, openFake);
    ASSERT_TRUE(waitUntil([&] { return source.info() != nullptr; }));
    for (int playhead : {0, 50, 120, 199, 3}) {
        source.request({playhead, PlayDirection::Forward, 0, 199});
        ASSERT_TRUE(waitUntil([&] { return source.cachedBytes() == room; })) << "playhead " << playhead;
        for (int ahead = 0; ahead < 15; ++ahead) {
            const auto picture = source.picture((playhead + ahead) % 200);
            ASSERT_TRUE(picture) << playhead << " + " << ahead;
            EXPECT_EQ(picture->frame->index, (playhead + ahead) % 200);
        }
        EXPECT_LE(source.cachedBytes(), room);
    }
}

TEST(FrameSource, GoesBackwardsInRunsRatherThanFrameByFrame) {
    std::atomic<int> jumps = 0;
    std::atomic<int> last = -1;
    const auto open = [&](const std::filesystem::path&) -> Result<std::unique_ptr<media::Clip>> {
        const auto count = [&](int index) -> Result<void> {
            if (index != last + 1) ++jumps;
            last = index;
            return {};
        };
        return std::unique_ptr<media::Clip>(std::make_unique<FakeClip>(200, 25, count));
    };
    FrameSource source("counted", 40 * kFrameBytes, open);
    ASSERT_TRUE(waitUntil([&] { return source.cachedBytes() == 40 * kFrameBytes; }));
    jumps = 0;
    for (int playhead = 150; playhead > 90; --playhead) {
        source.request({playhead, PlayDirection::Backward, 0, 199});
        ASSERT_TRUE(waitUntil([&] { return source.picture(playhead).has_value(); }));
    }
    // A dozen frames a run where the reader keeps up with the requests, which on a busy machine it doesn't
    // (52 jumps were seen); frame by frame it would be a jump for each of the 60.
    EXPECT_LT(jumps, 60);
}

TEST(FrameSource, ReadsNoFurtherThanAskedAndKeepsWhatItHas) {
    FrameSource source("100", 20 * kFrameBytes, openFake);
    ASSERT_TRUE(waitUntil([&] { return source.cachedBytes() == 20 * kFrameBytes; }));
    source.request({10, PlayDirection::Forward, 0, 199, 1});
    letRun(50);
    const std::size_t kept = source.cachedBytes();
    EXPECT_LT(kept, 20 * kFrameBytes);  // what lies behind went, nothing was read ahead
    EXPECT_TRUE(source.picture(19));
    source.request({100, PlayDirection::Forward, 0, 199, 1});
    ASSERT_TRUE(waitUntil([&] { return source.picture(100).has_value(); }));
    letRun(50);
    EXPECT_EQ(source.cachedBytes(), kFrameBytes);
    source.request({100, PlayDirection::Forward, 0, 199});
    EXPECT_TRUE(waitUntil([&] { return source.cachedBytes() == 20 * kFrameBytes; }));
}

TEST(FrameSource, KeepsTheErrorOfADamagedFrameInItsPlace) {
    FrameSource source("holed 16", 1 << 20, openFake);
    ASSERT_TRUE(waitUntil([&] { return source.picture(31).has_value(); }));
    ASSERT_TRUE(source.picture(5));
    EXPECT_EQ(source.picture(5)->frame, nullptr);
    EXPECT_EQ(source.picture(5)->error, "frame 5: damaged");
    EXPECT_NE(source.picture(6)->frame, nullptr);
}

TEST(FrameSource, EndsWithinTheFrameBeingDecoded) {
    QElapsedTimer timer;
    timer.start();
    for (int i = 0; i < 20; ++i) {
        FrameSource source("slow 100", 1 << 20, openFake);
        letRun(5);
    }
    EXPECT_LT(timer.elapsed(), 20 * (5 + 30 + 100));  // of 200 frames, 30 ms each
}

/// Opens what openFake() does, in RGB.
class ExactClip : public media::Clip {
  public:
    ExactClip(int frames, double fps) : m_clip(frames, fps) {}
    [[nodiscard]] const media::ClipInfo& info() const override { return m_clip.info(); }
    Result<media::FramePtr> frame(int index) override {
        auto exact = std::make_shared<media::YuvFrame>(**m_clip.frame(index));
        exact->layout = media::ChromaLayout::Yuv444;
        exact->color = {media::ColorMatrix::Rgb, media::ColorRange::Full};
        exact->u = exact->v = exact->y;
        return media::FramePtr(std::move(exact));
    }

  private:
    FakeClip m_clip;
};

bool isExact(const FrameSource& source, int index) {
    const auto picture = source.picture(index);
    return picture && picture->frame && picture->frame->color.matrix == media::ColorMatrix::Rgb;
}

TEST(FrameSource, PutsExactFramesInThePlaceOfDecodedOnes) {
    std::atomic<bool> mayOpen = false;
    const auto open = [&](const std::filesystem::path&) -> Result<std::unique_ptr<media::Clip>> {
        while (!mayOpen) std::this_thread::yield();
        return std::unique_ptr<media::Clip>(std::make_unique<ExactClip>(50, 25));
    };
    FrameSource source("25", std::size_t{1} << 20, openFake, open);
    std::vector<int> improved;
    QObject::connect(&source, &FrameSource::pictureImproved, [&](int index) { improved.push_back(index); });
    ASSERT_TRUE(waitUntil([&] { return source.picture(49).has_value(); }));
    EXPECT_FALSE(isExact(source, 0)) << "a slow one keeps nothing waiting";
    mayOpen = true;
    ASSERT_TRUE(waitUntil([&] { return improved.size() == 50; }));
    for (int index = 0; index < 50; ++index) EXPECT_TRUE(isExact(source, index)) << index;
    EXPECT_EQ(source.cachedBytes(), 50 * 16 * 8 * 3U);
    EXPECT_EQ(improved.front(), 0) << "those at the playhead first";
}

TEST(FrameSource, SaysWhyExactFramesAreNotToBeHad) {
    const auto damaged = [](const std::filesystem::path&) -> Result<std::unique_ptr<media::Clip>> {
        return Error{ErrorCode::InvalidData, "frames.mkv: it is damaged"};
    };
    const auto shorter = [](const std::filesystem::path&) -> Result<std::unique_ptr<media::Clip>> {
        return std::unique_ptr<media::Clip>(std::make_unique<ExactClip>(49, 25));
    };
    for (const auto& [open, said] :
         {std::pair<FrameSource::Opener, const char*>{damaged, "frames.mkv: it is damaged"},
          {shorter, "25: 49 frames were kept without loss, 50 were needed"}}) {
        FrameSource source("25", std::size_t{1} << 20, openFake, open);
        QString why;
        QObject::connect(&source, &FrameSource::exactFailed, [&](const QString& message) { why = message; });
        ASSERT_TRUE(waitUntil([&] { return !why.isEmpty(); }));
        EXPECT_EQ(why, said);
        EXPECT_FALSE(isExact(source, 0));
    }
}

}  // namespace
}  // namespace reelgrid::widgets
