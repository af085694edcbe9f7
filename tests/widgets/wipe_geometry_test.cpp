#include "widgets/video_grid/wipe_geometry.h"

#include <gtest/gtest.h>

namespace reelgrid::widgets {
namespace {

using Grip = WipeGeometry::Grip;
using Side = WipeGeometry::Side;
constexpr PixelRect kArea{100, 50, 400, 200};

TEST(WipeGeometry, AnUprightLineHasTheReferenceOnTheLeft) {
    const WipeGeometry wipe({}, kArea);
    EXPECT_NEAR(wipe.distance({250, 70}), 50, 1e-9);
    EXPECT_NEAR(wipe.distance({310, 70}), -10, 1e-9);
    EXPECT_EQ(wipe.cornerOf(Side::Reference), Corner::TopLeft);
    EXPECT_EQ(wipe.cornerOf(Side::Other), Corner::TopRight);
}

TEST(WipeGeometry, TheAngleGrowsCounterClockwise) {
    const WipeGeometry level({0.5, 0.5, 0}, kArea);
    EXPECT_NEAR(level.distance({300, 60}), 90, 1e-9);  // the reference is above
    EXPECT_EQ(level.cornerOf(Side::Other), Corner::BottomLeft);
    const WipeGeometry slanted({0.5, 0.5, 45}, kArea);
    EXPECT_GT(slanted.distance({100, 50}), 0);
    EXPECT_LT(slanted.distance({500, 250}), 0);
    const WipeGeometry turned({0.5, 0.5, -90}, kArea);
    EXPECT_LT(turned.distance({100, 100}), 0);  // the reference is on the right
}

TEST(WipeGeometry, TheLineIsGrippedAlongItsLengthAndTurnedByItsHandles) {
    const WipeGeometry wipe({0.25, 0.5, 90}, kArea);
    EXPECT_EQ(wipe.gripAt({203, 60}, 8), Grip::Line);
    EXPECT_EQ(wipe.gripAt({220, 60}, 8), Grip::None);
    EXPECT_EQ(wipe.gripAt({200, 20}, 8), Grip::None);  // outside the picture
    EXPECT_EQ(wipe.gripAt(wipe.handle(0), 8), Grip::FirstHandle);
    EXPECT_EQ(wipe.gripAt(wipe.handle(1), 8), Grip::SecondHandle);
}

TEST(WipeGeometry, DraggingMovesOrTurnsIt) {
    const WipeGeometry wipe({}, kArea);
    EXPECT_EQ(wipe.movedTo({200, 100}), (session::WipeLine{0.25, 0.25, 90}));
    EXPECT_EQ(wipe.movedTo({-50, 1000}), (session::WipeLine{0, 1, 90}));
    EXPECT_NEAR(wipe.turnedTo({400, 150}, Grip::FirstHandle).angleDegrees, 0, 1e-9);
    // The other handle points the other way: what is on which side doesn't jump.
    EXPECT_NEAR(wipe.turnedTo({300, 240}, Grip::SecondHandle).angleDegrees, 90, 1e-9);
    for (const Grip grip : {Grip::FirstHandle, Grip::SecondHandle}) {
        const auto handle = wipe.handle(grip == Grip::FirstHandle ? 0 : 1);
        EXPECT_NEAR(wipe.turnedTo(handle, grip).angleDegrees, 90, 1e-9);
    }
}

}  // namespace
}  // namespace reelgrid::widgets
