#include "widgets/video_grid/playback_clock.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace reelgrid::widgets {
namespace {

/// A clock over one clip of 33 frames at 16 fps, with a time that the test sets.
class PlaybackClockTest : public testing::Test {
  protected:
    PlaybackClockTest() : m_clock([this] { return m_now; }) {
        for (int i = 0; i < 33; ++i) m_clip.frameSeconds.push_back(i / 16.0);
        m_clip.durationSeconds = 33 / 16.0;
        const std::array clips{TimedClip{&m_clip}};
        m_clock.setTimeline(Timeline(clips));
    }
    double m_now = 100;
    media::ClipInfo m_clip;
    PlaybackClock m_clock;
};

TEST_F(PlaybackClockTest, DoesNotDriftOverAThousandLoops) {
    const double duration = m_clip.durationSeconds;
    m_clock.play();
    // Uneven ticks, as a busy machine gives them.
    for (int tick = 0; m_now < 100 + 1000 * duration; ++tick) {
        m_now += 0.011 + 0.007 * (tick % 5);
        const double expected = std::fmod(m_now - 100, duration);
        ASSERT_NEAR(m_clock.position(), expected, 1e-6) << "tick " << tick;
    }
}

TEST_F(PlaybackClockTest, StopsOnTheLastFrameWithoutALoop) {
    m_clock.setLoop(LoopMode::Off);
    m_clock.play();
    m_now += 2.03;
    EXPECT_FALSE(m_clock.ended());  // the last frame has its full time
    EXPECT_EQ(m_clock.currentStop(), 32);
    m_now += 5;
    EXPECT_TRUE(m_clock.ended());
    m_clock.pause();
    EXPECT_EQ(m_clock.currentStop(), 32);
    m_clock.play();  // again from the start
    EXPECT_EQ(m_clock.currentStop(), 0);
}

TEST_F(PlaybackClockTest, StepsByFramesAndWrapsInTheLoop) {
    m_clock.step(1);
    EXPECT_EQ(m_clock.currentStop(), 1);
    m_clock.step(-2);
    EXPECT_EQ(m_clock.currentStop(), 32);
    m_clock.step(1);
    EXPECT_EQ(m_clock.currentStop(), 0);
    m_clock.setLoop(LoopMode::Off);
    m_clock.step(-1);
    EXPECT_EQ(m_clock.currentStop(), 0);
    m_clock.step(100);
    EXPECT_EQ(m_clock.currentStop(), 32);
}

TEST_F(PlaybackClockTest, SteppingPauses) {
    m_clock.play();
    m_now += 0.5;
    m_clock.step(1);
    EXPECT_FALSE(m_clock.playing());
    EXPECT_EQ(m_clock.currentStop(), 9);
    m_now += 10;
    EXPECT_EQ(m_clock.currentStop(), 9);
}

TEST_F(PlaybackClockTest, RepeatsARangeWithBothItsFrames) {
    m_clock.setRange(0.5, 0.25);  // frames 4 to 8, in either order
    EXPECT_EQ(m_clock.loopFirstStop(), 4);
    EXPECT_EQ(m_clock.loopLastStop(), 8);
    m_clock.seek(0.25);
    m_clock.play();
    const double length = 5 / 16.0;
    for (int i = 0; i < 1000; ++i) {
        m_now += length + 1.0 / 64;
        ASSERT_NEAR(m_clock.position(), 0.25 + std::fmod((i + 1) / 64.0, length), 1e-6);
    }
}

TEST_F(PlaybackClockTest, KeepsItsPlaceWhenTheSpeedChanges) {
    m_clock.play();
    m_now += 0.5;
    m_clock.setSpeed(0.5);
    EXPECT_DOUBLE_EQ(m_clock.position(), 0.5);
    m_now += 0.5;
    EXPECT_DOUBLE_EQ(m_clock.position(), 0.75);
    EXPECT_DOUBLE_EQ(*m_clock.secondsToNextStop(), 0.125);
}

TEST_F(PlaybackClockTest, WaitsWhileHeldAndGoesOnFromThere) {
    m_clock.play();
    m_now += 0.5;
    m_clock.hold();
    m_now += 30;
    EXPECT_DOUBLE_EQ(m_clock.position(), 0.5);
    EXPECT_FALSE(m_clock.secondsToNextStop());
    m_clock.release();
    m_now += 0.25;
    EXPECT_DOUBLE_EQ(m_clock.position(), 0.75);
}

TEST_F(PlaybackClockTest, KeepsItsPlaceWhenAClipJoins) {
    m_clock.play();
    m_now += 1;
    media::ClipInfo longer;
    for (int i = 0; i < 90; ++i) longer.frameSeconds.push_back(i / 30.0);
    longer.durationSeconds = 3;
    const std::array clips{TimedClip{&m_clip}, TimedClip{&longer}};
    m_clock.setTimeline(Timeline(clips));
    EXPECT_DOUBLE_EQ(m_clock.position(), 1);
    EXPECT_TRUE(m_clock.playing());
    m_now += 1.5;
    EXPECT_DOUBLE_EQ(m_clock.position(), 2.5);
}

TEST_F(PlaybackClockTest, SurvivesAnEmptyTimelineAndWildSeeks) {
    PlaybackClock empty([] { return 1.0; });
    empty.play();
    empty.step(3);
    empty.seek(5);
    EXPECT_EQ(empty.position(), 0);
    EXPECT_FALSE(empty.secondsToNextStop());
    m_clock.seek(-3);
    EXPECT_EQ(m_clock.currentStop(), 0);
    m_clock.seek(1e9);
    EXPECT_EQ(m_clock.currentStop(), 32);
    m_clock.seek(std::nan(""));
    EXPECT_EQ(m_clock.currentStop(), 0);
}

}  // namespace
}  // namespace reelgrid::widgets
