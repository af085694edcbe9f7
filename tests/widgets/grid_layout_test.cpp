#include "widgets/video_grid/grid_layout.h"

#include <gtest/gtest.h>

namespace reelgrid::widgets {
namespace {

TEST(GridLayout, PicturesAreAsLargeAsTheWindowAllows) {
    constexpr double kWide = 16.0 / 9;
    EXPECT_EQ(fillingColumns(2, 1600, 450, 4, kWide), 2);
    EXPECT_EQ(fillingColumns(2, 600, 900, 4, kWide), 1);
    EXPECT_EQ(fillingColumns(3, 2400, 450, 4, kWide), 3);
    EXPECT_EQ(fillingColumns(9, 1280, 720, 0, kWide), 3);
    EXPECT_EQ(fillingColumns(6, 1200, 450, 4, 9.0 / 16), 6);
    for (int count = 1; count <= 16; ++count)
        for (const auto& [width, height] : {std::pair(1280, 720), {700, 1000}, {2000, 300}}) {
            const auto pictureWidth = [&, w = width, h = height](int columns) {
                return letterbox(gridCells(count, w, h, 4, columns)[0], 160, 90).width;
            };
            const int chosen = fillingColumns(count, width, height, 4, kWide);
            for (int columns = 1; columns <= count; ++columns)
                EXPECT_GE(pictureWidth(chosen) + 1, pictureWidth(columns)) << count << " tiles";
        }
}

TEST(GridLayout, ALastRowThatIsNotFullStandsInTheMiddle) {
    const auto cells = gridCells(5, 1200, 800, 0, 3);
    EXPECT_EQ(cells[3], (PixelRect{200, 400, 400, 400}));
    EXPECT_EQ(cells[4], (PixelRect{600, 400, 400, 400}));
}

TEST(GridLayout, CellsAreEqualApartAndInside) {
    for (int count = 1; count <= 30; ++count) {
        const auto cells = gridCells(count, 1013, 707, 5, 1 + count / 2);
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const PixelRect& a = cells[i];
            EXPECT_EQ(a.width, cells[0].width);
            EXPECT_EQ(a.height, cells[0].height);
            EXPECT_TRUE(a.x >= 0 && a.y >= 0 && a.x + a.width <= 1013 && a.y + a.height <= 707);
            for (std::size_t j = i + 1; j < cells.size(); ++j) {
                const PixelRect& b = cells[j];
                EXPECT_TRUE(a.x + a.width + 5 <= b.x || a.y + a.height + 5 <= b.y);
            }
        }
    }
}

TEST(GridLayout, LetterboxKeepsThePicturesShapeAndCentresIt) {
    const PixelRect cell{10, 20, 400, 400};
    EXPECT_EQ(letterbox(cell, 1600, 900), (PixelRect{10, 20 + 87, 400, 225}));
    EXPECT_EQ(letterbox(cell, 100, 200), (PixelRect{10 + 100, 20, 200, 400}));
    EXPECT_EQ(letterbox(cell, 400, 400), cell);
    EXPECT_EQ(letterbox(cell, 0, 9).width, 0);
}

TEST(GridLayout, SurvivesNoRoom) {
    for (const PixelRect& cell : gridCells(9, 1, 1, 4, 3)) {
        EXPECT_GE(cell.width, 1);
        EXPECT_GE(cell.height, 1);
    }
    EXPECT_TRUE(gridCells(0, 100, 100, 4, 1).empty());
}

}  // namespace
}  // namespace reelgrid::widgets
