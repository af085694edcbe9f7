#include "widgets/video_grid/grid_layout.h"

#include <gtest/gtest.h>

namespace reelgrid::widgets {
namespace {

TEST(GridLayout, HasAsManyColumnsAsTheRootRoundedUp) {
    const int columns[] = {1, 2, 2, 2, 3, 3, 3, 3, 3, 4};
    for (int count = 1; count <= 10; ++count) {
        const auto cells = gridCells(count, 1200, 900, 0);
        ASSERT_EQ(int(cells.size()), count);
        int inFirstRow = 0;
        for (const PixelRect& cell : cells) inFirstRow += cell.y == cells[0].y ? 1 : 0;
        EXPECT_EQ(inFirstRow, columns[count - 1]) << count << " tiles";
    }
}

TEST(GridLayout, CellsAreEqualApartAndInside) {
    for (int count = 1; count <= 30; ++count) {
        const auto cells = gridCells(count, 1013, 707, 5);
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
    for (const PixelRect& cell : gridCells(9, 1, 1, 4)) {
        EXPECT_GE(cell.width, 1);
        EXPECT_GE(cell.height, 1);
    }
    EXPECT_TRUE(gridCells(0, 100, 100, 4).empty());
}

}  // namespace
}  // namespace reelgrid::widgets
