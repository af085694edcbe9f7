#include "widgets/sound/sound_follower.h"

#include <gtest/gtest.h>

#include <cmath>

namespace reelgrid::widgets {
namespace {

using Do = SoundFollower::Do;

constexpr double kChunk = 0.02;

/// A device that plays what was written, `own` seconds later than it could at best.
struct Device {
    double own = 0;
    double waiting = 0;  ///< seconds of sound
    double heardAt = 0;  ///< of the clip, what is heard now is this
    bool hasHeard = false;
    [[nodiscard]] double latency() const { return waiting + own; }
};

/// Plays `seconds` with a playhead that is told of every `tick`; the largest distance of what is written from
/// what is shown when it is heard, once it began, and how often it jumped.
struct Played {
    double mostApart = 0;
    int jumps = 0;
};
Played play(SoundFollower& follower, Device& device, double seconds, double tick, double clockError = 0) {
    Played played;
    double base = device.own;
    for (double now = 0; now < seconds; now += 0.005) {
        device.waiting = std::max(0.0, device.waiting - 0.005 * (1 + clockError));
        const double told = std::floor(now / tick) * tick;
        const SoundPlace place{10 + told, told, true};
        while (device.waiting < 0.1) {
            const auto step = follower.next(place, now, device.latency(), base);
            EXPECT_NE(step.what, Do::Wait);
            if (step.what == Do::Jump) {
                ++played.jumps;
                device.waiting = 0;
            }
            const double apart = std::abs(step.seconds - (10 + now + device.latency()));
            if (step.what == Do::GoOn) played.mostApart = std::max(played.mostApart, apart);
            follower.wrote(step, kChunk);
            device.waiting += kChunk;
        }
    }
    return played;
}

TEST(SoundFollower, GoesOnWithoutAJumpWhilePictureAndSoundKeepTheirPace) {
    for (const double own : {0.0, 0.02, 0.2}) {
        SoundFollower follower;
        Device device{own};
        const Played played = play(follower, device, 20, 1.0 / 16);
        EXPECT_EQ(played.jumps, 1) << "the first one; device " << own;
        EXPECT_LT(played.mostApart, SoundFollower::kMostApart);
    }
}

TEST(SoundFollower, ADeviceOfAnotherPaceIsCaughtUpWithBeforeItIsFelt) {
    SoundFollower follower;
    Device device{0.02};
    // Half a percent fast: 45 ms in nine seconds.
    const Played played = play(follower, device, 40, 1.0 / 16, 0.005);
    EXPECT_LE(played.mostApart, SoundFollower::kMostApart);
    EXPECT_GE(played.jumps, 4);
    EXPECT_LE(played.jumps, 8);
}

TEST(SoundFollower, JumpsWithThePlayhead) {
    SoundFollower follower;
    auto step = follower.next({1, 100, true}, 100.5, 0);
    EXPECT_EQ(step.what, Do::Jump);
    EXPECT_DOUBLE_EQ(step.seconds, 1.5);
    follower.wrote(step, kChunk);
    step = follower.next({1, 100, true}, 100.5, kChunk);
    EXPECT_EQ(step.what, Do::GoOn);
    EXPECT_DOUBLE_EQ(step.seconds, 1.52);
    // Sought, or round the loop.
    step = follower.next({0.2, 100.6, true}, 100.6, kChunk, 0.01);
    EXPECT_EQ(step.what, Do::Jump);
    EXPECT_DOUBLE_EQ(step.seconds, 0.21);
}

TEST(SoundFollower, IsSilentWhileNothingMoves) {
    SoundFollower follower;
    EXPECT_EQ(follower.next({1, 100, false}, 100, 0).what, Do::Wait);
    follower.wrote({Do::Jump, 1}, kChunk);
    EXPECT_EQ(follower.next({1, 100, true}, 100, kChunk).what, Do::GoOn);
    follower.reset();
    EXPECT_EQ(follower.next({1, 100, true}, 100, kChunk).what, Do::Jump) << "after silence";
}

}  // namespace
}  // namespace reelgrid::widgets
