#include "core/vae/tiling.h"

#include <gmock/gmock.h>

#include "core/base/result.h"

namespace reelgrid::vae {
namespace {

using testing::ElementsAre;

TEST(Tiling, OverlapsByAQuarterInWholeLatentPixels) {
    EXPECT_EQ(Tiling::ofEdge(256, 8), Tiling());
    EXPECT_EQ(Tiling::ofEdge(80, 8).rows.stridePixels, 56);
    EXPECT_EQ(Tiling::ofEdge(8, 8).columns.stridePixels, 8);
}

TEST(TileGrid, CutsBothAxesAsSoonAsOneIsTooLong) {
    const TileGrid grid(60, 104, {}, 8);
    EXPECT_THAT(grid.rows, ElementsAre(TileSpan{0, 32, 24}, TileSpan{24, 32, 24}, TileSpan{48, 12, 12}));
    EXPECT_EQ(grid.columns.size(), 5U);
    EXPECT_EQ(grid.columns.back(), (TileSpan{96, 8, 8}));
    EXPECT_EQ(grid.rowOverlap, 8);
    EXPECT_EQ(grid.columnOverlap, 8);
    EXPECT_EQ(TileGrid(30, 33, {}, 8).rows.size(), 2U);
    const TileGrid whole(32, 32, {}, 8);
    EXPECT_THAT(whole.rows, ElementsAre(TileSpan{0, 32, 32}));
    EXPECT_EQ(whole.count(), 1);
}

TEST(TileGrid, RefusesWhatDoesNotFitLatentPixels) {
    for (const TileAxis& wrong :
         {TileAxis{.tilePixels = 100, .stridePixels = 80}, TileAxis{.tilePixels = 64, .stridePixels = 44},
          TileAxis{.tilePixels = 64, .stridePixels = 72}, TileAxis{.tilePixels = 64, .stridePixels = 0}}) {
        EXPECT_THROW(TileGrid(60, 104, {.rows = wrong, .columns = {}}, 8), Failure) << wrong.tilePixels;
        EXPECT_THROW(TileGrid(60, 104, {.rows = {}, .columns = wrong}, 8), Failure) << wrong.tilePixels;
    }
}

/// Windows of one picture, as a model that sees no neighbours would make them.
TileMaker windowsOf(const at::Tensor& picture_THWC) {
    return [&picture_THWC](const TileSpan& rows, const TileSpan& columns) {
        return picture_THWC.narrow(1, rows.begin, rows.length)
            .narrow(2, columns.begin, columns.length)
            .clone();
    };
}

TEST(JoinTiles, GivesThePictureBackThatWasCut) {
    at::manual_seed(5);
    for (const auto& [rows, columns] : {std::pair{7, 23}, {8, 8}, {13, 12}, {20, 9}, {1, 30}}) {
        const at::Tensor picture = at::randn({2, rows, columns, 3});
        const TileGrid grid(rows, columns, {{8, 6}, {6, 4}}, 1);
        const at::Tensor joined = joinTiles(grid, 1, windowsOf(picture));
        EXPECT_LT((joined - picture).abs().max().item<double>(), 1e-6) << rows << "×" << columns;
    }
}

TEST(JoinTiles, FadesLinearlyFromOneTileIntoTheNext) {
    const TileGrid grid(1, 7, {{1, 1}, {5, 2}}, 1);
    float value = 0;
    const at::Tensor joined = joinTiles(grid, 1, [&](const TileSpan& rows, const TileSpan& columns) {
        return at::full({1, rows.length, columns.length, 1}, value++);
    });
    // Four tiles; each begins with thirds of the one before, which ends as it was blended itself.
    ASSERT_EQ(joined.numel(), 7);
    EXPECT_FLOAT_EQ(joined.flatten()[1].item<float>(), 0);
    EXPECT_FLOAT_EQ(joined.flatten()[2].item<float>(), 0);
    EXPECT_FLOAT_EQ(joined.flatten()[3].item<float>(), 1.0F / 3);
}

/// As diffusers blends the values of a decoder that makes patches of 2 × 2 pixels (AutoencoderKLWan of
/// Wan 2.2).
TEST(JoinTiles, FadesThePixelsOfAPatchAlike) {
    const auto pixelsOfPatches = [](const at::Tensor& x_THWC) {
        const std::int64_t t = x_THWC.size(0), h = x_THWC.size(1), w = x_THWC.size(2);
        return x_THWC.reshape({t, h, w, 3, 2, 2})
            .permute({0, 1, 5, 2, 4, 3})
            .reshape({t, h * 2, w * 2, 3})
            .contiguous();
    };
    const auto patches = [](const TileSpan& rows, const TileSpan& columns) {
        at::manual_seed(std::uint64_t(rows.begin * 100 + columns.begin));
        return at::randn({2, rows.length, columns.length, 12});
    };
    TileGrid grid(13, 11, {{8, 5}, {6, 3}}, 1);
    const at::Tensor wanted = pixelsOfPatches(joinTiles(grid, 1, patches));
    const auto pixels = [&](const TileSpan& rows, const TileSpan& columns) {
        return pixelsOfPatches(patches(rows, columns));
    };
    EXPECT_GT((joinTiles(grid, 2, pixels) - wanted).abs().max().item<double>(), 0.1);
    grid.fadeStep = 2;
    EXPECT_LT((joinTiles(grid, 2, pixels) - wanted).abs().max().item<double>(), 1e-6);
}

}  // namespace
}  // namespace reelgrid::vae
