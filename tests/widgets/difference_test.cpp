#include "widgets/video_grid/difference.h"

#include <gtest/gtest.h>

namespace reelgrid::widgets {
namespace {

using session::DifferenceKind;

TEST(Difference, SignedIsGreyWhereNothingDiffersAndShowsTheDirection) {
    EXPECT_EQ(differenceColor(qRgb(9, 90, 200), qRgb(9, 90, 200), DifferenceKind::Signed, 8),
              qRgb(128, 128, 128));
    EXPECT_EQ(differenceColor(qRgb(12, 88, 255), qRgb(10, 91, 0), DifferenceKind::Signed, 8),
              qRgb(144, 104, 255));
}

TEST(Difference, AbsoluteKnowsNoGainAndAmplifiedEndsAtWhite) {
    const QRgb a = qRgb(12, 88, 250);
    const QRgb b = qRgb(10, 91, 10);
    EXPECT_EQ(differenceColor(a, b, DifferenceKind::Absolute, 8), qRgb(2, 3, 240));
    EXPECT_EQ(differenceColor(a, b, DifferenceKind::Amplified, 8), qRgb(16, 24, 255));
    EXPECT_EQ(differenceColor(b, a, DifferenceKind::Amplified, 8), qRgb(16, 24, 255));
}

TEST(Difference, TheHeatMapShowsTheLargestChannelFromDarkToLight) {
    const QRgb black = qRgb(0, 0, 0);
    EXPECT_EQ(differenceColor(black, black, DifferenceKind::HeatMap, 5), qRgb(0, 0, 4));
    EXPECT_EQ(differenceColor(qRgb(3, 51, 7), black, DifferenceKind::HeatMap, 5), qRgb(252, 255, 164));
    EXPECT_EQ(differenceColor(black, qRgb(200, 0, 0), DifferenceKind::HeatMap, 5), qRgb(252, 255, 164));
    int before = -1;
    for (int step = 0; step <= 100; ++step) {
        const int gray = qGray(heatColor(step / 100.0));
        EXPECT_GE(gray, before);
        before = gray;
    }
}

TEST(Difference, OfPicturesOfTwoSizesIsAtTheFirstOnes) {
    QImage large(8, 4, QImage::Format_RGB32);
    large.fill(qRgb(100, 100, 100));
    QImage small(2, 2, QImage::Format_RGB32);
    small.fill(qRgb(90, 90, 90));
    small.setPixel(1, 0, qRgb(70, 70, 70));
    const QImage shown = differenceImage(large, small, DifferenceKind::Absolute, 1);
    ASSERT_EQ(shown.size(), QSize(8, 4));
    EXPECT_EQ(shown.pixel(3, 1), qRgb(10, 10, 10));
    EXPECT_EQ(shown.pixel(4, 1), qRgb(30, 30, 30));
    EXPECT_EQ(shown.pixel(7, 2), qRgb(10, 10, 10));
}

}  // namespace
}  // namespace reelgrid::widgets
