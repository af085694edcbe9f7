#include "widgets/video_grid/timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace reelgrid::widgets {
namespace {

media::ClipInfo clipAt(double fps, int frames) {
    media::ClipInfo info;
    for (int i = 0; i < frames; ++i) info.frameSeconds.push_back(i / fps);
    info.durationSeconds = frames / fps;
    return info;
}

TEST(Timeline, StopsOnceWhereClipsChangeTogether) {
    const media::ClipInfo slow = clipAt(8, 8);
    const media::ClipInfo fast = clipAt(24, 24);
    const std::array clips{TimedClip{&slow}, TimedClip{&fast}};
    const Timeline timeline(clips);
    EXPECT_EQ(timeline.stopCount(), 24);
    EXPECT_DOUBLE_EQ(timeline.duration(), 1.0);
    // At every stop both clips are on the frame that time asks for: no clip lags by a rounding error.
    for (int i = 0; i < timeline.stopCount(); ++i) {
        EXPECT_EQ(fast.frameAt(timeline.stop(i)), i);
        EXPECT_EQ(slow.frameAt(timeline.stop(i)), i / 3);
    }
}

TEST(Timeline, PassesEveryFrameOfUnrelatedRates) {
    const media::ClipInfo a = clipAt(16, 33);
    const media::ClipInfo b = clipAt(30, 60);
    const std::array clips{TimedClip{&a}, TimedClip{&b}};
    const Timeline timeline(clips);
    std::vector<bool> seenA(33);
    std::vector<bool> seenB(60);
    for (int i = 0; i < timeline.stopCount(); ++i) {
        seenA[std::size_t(a.frameAt(timeline.stop(i)))] = true;
        seenB[std::size_t(b.frameAt(timeline.stop(i)))] = true;
    }
    EXPECT_EQ(std::count(seenA.begin(), seenA.end(), false), 0);
    EXPECT_EQ(std::count(seenB.begin(), seenB.end(), false), 0);
}

TEST(Timeline, LastsAsLongAsTheLongestClip) {
    const media::ClipInfo brief = clipAt(16, 8);
    const media::ClipInfo lengthy = clipAt(16, 40);
    const std::array clips{TimedClip{&brief}, TimedClip{&lengthy}};
    const Timeline timeline(clips);
    EXPECT_DOUBLE_EQ(timeline.duration(), 2.5);
    EXPECT_EQ(brief.frameAt(2.4), 7);  // holds its last frame
    EXPECT_DOUBLE_EQ(timeline.endOfStop(39), 2.5);
    EXPECT_EQ(timeline.stopAt(-1), 0);
    EXPECT_EQ(timeline.stopAt(99), 39);
}

TEST(Timeline, ShiftsAClipByItsOffset) {
    const media::ClipInfo still = clipAt(16, 32);
    const media::ClipInfo early = clipAt(16, 32);
    const std::array clips{TimedClip{&still}, TimedClip{&early, 0.53}};
    const Timeline timeline(clips);
    EXPECT_DOUBLE_EQ(timeline.duration(), 2);
    EXPECT_EQ(timeline.stop(0), 0);
    EXPECT_NEAR(timeline.stop(1), 9 / 16.0 - 0.53, 1e-9);  // the shifted clip's next frame
    EXPECT_EQ(clips[1].frameAt(0), 8);
}

media::ClipInfo uneven() {
    media::ClipInfo info;
    info.frameSeconds = {0, 0.06, 0.08, 0.14, 0.16, 0.22};
    info.durationSeconds = 0.24;
    info.fps = {25, 1};
    return info;
}

TEST(Timeline, ShiftsByFramesWhateverTheirTimes) {
    const media::ClipInfo clip = uneven();
    for (const int shift : {-4, -1, 2, 5}) {
        const TimedClip shifted{&clip, 0, shift};
        for (int frame = 0; frame < 6; ++frame)
            EXPECT_EQ(shifted.frameAt(clip.frameSeconds[std::size_t(frame)]),
                      std::clamp(frame + shift, 0, 5));
    }
    // One that is behind goes on to its last frame after the other's end, at its average rate.
    const std::array clips{TimedClip{&clip}, TimedClip{&clip, 0, -2}};
    const Timeline timeline(clips);
    EXPECT_EQ(timeline.stopCount(), 8);
    EXPECT_EQ(clips[1].frameAt(timeline.stop(7)), 5);
    EXPECT_NEAR(timeline.stop(7), 0.22 + 2 / 25.0, 1e-9);
    EXPECT_NEAR(timeline.duration(), 0.22 + 3 / 25.0, 1e-9);
    EXPECT_EQ(clips[0].frameAt(timeline.stop(7)), 5);
}

TEST(Timeline, ByIndexEveryStopIsOneFrameOfEveryClip) {
    media::ClipInfo slow = clipAt(8, 9);
    slow.fps = {8, 1};
    const media::ClipInfo odd = uneven();
    const std::array clips{TimedClip{&slow, 0, 0, 8}, TimedClip{&odd, 0, 0, 8},
                           TimedClip{&odd, 0.08, 1, 8}};  // 0.08 s are two of its frames
    const Timeline timeline(clips);
    EXPECT_EQ(timeline.stopCount(), 9);
    EXPECT_DOUBLE_EQ(timeline.duration(), 9 / 8.0);
    for (int stop = 0; stop < 9; ++stop) {
        EXPECT_EQ(clips[0].frameAt(timeline.stop(stop)), stop);
        EXPECT_EQ(clips[1].frameAt(timeline.stop(stop)), std::min(stop, 5));
        EXPECT_EQ(clips[2].frameAt(timeline.stop(stop)), std::min(stop + 3, 5));
    }
}

}  // namespace
}  // namespace reelgrid::widgets
