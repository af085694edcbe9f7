// Every way to look at clips, as both surfaces draw it.

#include <gtest/gtest.h>

#include <QMouseEvent>
#include <QTest>

#include "tests/widgets/gui_wait.h"
#include "widgets/video_grid/difference.h"
#include "widgets/video_grid/grid_overlay.h"
#include "widgets/video_grid/video_grid.h"
#include "widgets/video_grid/yuv_conversion.h"

namespace reelgrid::widgets {
namespace {

using session::DifferenceKind;
using session::ViewMode;
using session::ViewState;

/// Grey of full range, whose code is its luma's; `step` makes columns differ.
media::FramePtr grey(int width, int height, int code, int step = 0) {
    auto frame = std::make_shared<media::YuvFrame>();
    frame->width = width;
    frame->height = height;
    frame->layout = media::ChromaLayout::Yuv444;
    frame->color = {media::ColorMatrix::Bt709, media::ColorRange::Full};
    frame->y = {width, height, width, std::vector<std::uint8_t>(std::size_t(width * height))};
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            frame->y.bytes[std::size_t(y * width + x)] = std::uint8_t(code + step * x);
    frame->u = {width, height, width, std::vector<std::uint8_t>(std::size_t(width * height), 128)};
    frame->v = frame->u;
    return frame;
}

class LookTest : public testing::TestWithParam<SurfaceKind> {
  protected:
    void SetUp() override {
        if (GetParam() == SurfaceKind::OpenGl && availableSurface() != SurfaceKind::OpenGl)
            GTEST_SKIP() << "this platform has no OpenGL 3.3";
        m_grid = std::make_unique<VideoGrid>(GetParam());
        m_grid->resize(400, 200);
        m_grid->show();
    }
    void show(std::vector<media::FramePtr> frames) {
        std::vector<GridTile> tiles(frames.size());
        std::vector<TilePicture> pictures;
        for (std::size_t i = 0; i < frames.size(); ++i) {
            tiles[i].id = int(i) + 10;
            pictures.push_back({frames[i], {}, {}});
        }
        m_grid->setTiles(tiles);
        m_grid->present(pictures);
    }
    template <class Edit>
    void look(Edit edit) {
        ViewState look = m_grid->look();
        edit(look);
        m_grid->setLook(look);
    }
    int codeAt(int x, int y) { return qRed(m_grid->snapshot().pixel(x, y)); }
    void drag(QPoint from, QPoint to, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        QTest::mousePress(m_grid.get(), Qt::LeftButton, modifiers, from);
        for (const QPoint at : {(from + to) / 2, to}) {
            QMouseEvent move(QEvent::MouseMove, QPointF(at), m_grid->mapToGlobal(QPointF(at)), Qt::NoButton,
                             Qt::LeftButton, modifiers);
            QCoreApplication::sendEvent(m_grid.get(), &move);
        }
        QTest::mouseRelease(m_grid.get(), Qt::LeftButton, modifiers, to);
    }
    std::unique_ptr<VideoGrid> m_grid;
};

TEST_P(LookTest, AWipeShowsEachClipOnItsSideOfTheLineAtAnyAngle) {
    show({grey(200, 100, 40), grey(200, 100, 200)});
    look([](ViewState& look) { look.mode = ViewMode::Wipe; });
    for (const double angle : {90.0, 0.0, 30.0, 135.0, -60.0, 180.0}) {
        look([angle](ViewState& look) { look.wipe = {0.4, 0.6, angle}; });
        const QImage shown = m_grid->snapshot();
        const WipeGeometry wipe(m_grid->look().wipe, {0, 0, 400, 200});
        int looked = 0;
        for (int y = 2; y < 200; y += 7)
            for (int x = 2; x < 400; x += 7) {
                const QPointF at(x + 0.5, y + 0.5);
                if (wipe.gripAt(at, 8) != WipeGeometry::Grip::None) continue;  // line and handles
                ++looked;
                ASSERT_EQ(qRed(shown.pixel(x, y)), wipe.distance(at) > 0 ? 40 : 200)
                    << angle << " degrees at " << x << ", " << y;
            }
        EXPECT_GT(looked, 1000);
    }
}

TEST_P(LookTest, TheWipesLineIsDraggedAndTurned) {
    show({grey(200, 100, 40), grey(200, 100, 200)});
    look([](ViewState& look) { look.mode = ViewMode::Wipe; });
    drag({200, 75}, {100, 75});
    EXPECT_NEAR(m_grid->look().wipe.x, 0.25, 0.01);
    EXPECT_EQ(m_grid->look().wipe.angleDegrees, 90);
    EXPECT_EQ(codeAt(150, 190), 200);
    const WipeGeometry wipe(m_grid->look().wipe, {0, 0, 400, 200});
    const QPoint centre = wipe.centre().toPoint();
    drag(wipe.handle(0).toPoint(), centre + QPoint(80, 0));
    EXPECT_NEAR(m_grid->look().wipe.angleDegrees, 0, 1);
    EXPECT_EQ(m_grid->look().zoom, session::ZoomedPart{});
}

TEST_P(LookTest, DifferencesAreThoseOfTheCodesInEveryKind) {
    show({grey(200, 100, 40), grey(200, 100, 43), grey(100, 50, 37)});
    for (const auto kind : {DifferenceKind::Signed, DifferenceKind::Absolute, DifferenceKind::Amplified,
                            DifferenceKind::HeatMap}) {
        look([kind](ViewState& look) {
            look.mode = ViewMode::Difference;
            look.difference = kind;
            look.gain = 16;
        });
        const QImage shown = m_grid->snapshot();
        const auto placed = m_grid->scene().place(shown.size(), 1);
        ASSERT_EQ(placed.size(), 3U);
        const QRgb reference = qRgb(40, 40, 40);
        const QRgb due[] = {reference, differenceColor(qRgb(43, 43, 43), reference, kind, 16),
                            differenceColor(qRgb(37, 37, 37), reference, kind, 16)};
        for (std::size_t i = 0; i < 3; ++i) {
            const PixelRect& at = placed[i].picture;
            const QRgb pixel = shown.pixel(at.x + at.width / 2, at.y + at.height - 6);
            EXPECT_NEAR(qRed(pixel), qRed(due[i]), 1) << int(kind) << ", tile " << i;
            EXPECT_NEAR(qGreen(pixel), qGreen(due[i]), 1) << int(kind) << ", tile " << i;
            EXPECT_NEAR(qBlue(pixel), qBlue(due[i]), 1) << int(kind) << ", tile " << i;
        }
    }
}

TEST_P(LookTest, TheReferenceCanBeChosen) {
    show({grey(200, 100, 40), grey(200, 100, 50)});
    look([](ViewState& look) {
        look.mode = ViewMode::Difference;
        look.difference = DifferenceKind::Signed;
        look.gain = 1;
    });
    const auto last = [&](std::size_t tile) {
        const QImage shown = m_grid->snapshot();
        const PixelRect at = m_grid->scene().place(shown.size(), 1)[tile].picture;
        return qRed(shown.pixel(at.x + at.width / 2, at.y + at.height - 6));
    };
    EXPECT_EQ(last(0), 40);
    EXPECT_EQ(last(1), 138);
    look([](ViewState& look) { look.reference = 1; });
    EXPECT_EQ(last(0), 118);
    EXPECT_EQ(last(1), 50);
}

TEST_P(LookTest, OnionSkinMixesAsItsOpacitySays) {
    show({grey(200, 100, 40), grey(200, 100, 200)});
    for (const double opacity : {0.0, 0.25, 0.5, 1.0}) {
        look([opacity](ViewState& look) {
            look.mode = ViewMode::OnionSkin;
            look.onionOpacity = opacity;
        });
        EXPECT_NEAR(codeAt(200, 150), 40 + 160 * opacity, 1);
    }
}

TEST_P(LookTest, FlickerShowsTheTwoInTurns) {
    show({grey(200, 100, 40), grey(200, 100, 200)});
    look([](ViewState& look) {
        look.mode = ViewMode::Flicker;
        look.flickerHz = 20;
    });
    for (const int code : {200, 40, 200})
        EXPECT_TRUE(waitUntil([&] { return codeAt(200, 150) == code; }, 2000)) << code;
    look([](ViewState& look) { look.mode = ViewMode::Grid; });
    EXPECT_EQ(codeAt(100, 100), 40);
}

TEST_P(LookTest, MagnifiedPixelsAreSquaresUnlessAskedOtherwise) {
    show({grey(20, 10, 40, 10)});
    // Each pixel is 20 wide: all of it has its code.
    for (int column = 0; column < 20; ++column)
        for (const int within : {1, 10, 18})
            ASSERT_EQ(codeAt(20 * column + within, 190), 40 + 10 * column) << column << " " << within;
    look([](ViewState& look) { look.magnified = session::MagnifiedPixels::Smooth; });
    EXPECT_NEAR(codeAt(20 * 5, 190), 85, 3);
}

TEST_P(LookTest, ZoomShowsTheSamePartOfEveryPicture) {
    show({grey(40, 20, 40, 5), grey(20, 10, 40, 10)});
    m_grid->zoomAbout({0.5, 0.5}, 4);
    const QImage shown = m_grid->snapshot();
    const auto placed = m_grid->scene().place(shown.size(), 1);
    const auto at = [&](std::size_t tile, double share) {
        const PixelRect& picture = placed[tile].picture;
        return qRed(shown.pixel(picture.x + int(share * picture.width), picture.y + picture.height / 2));
    };
    // From 3/8 to 5/8 of the width.
    EXPECT_EQ(at(0, 0.02), 40 + 5 * 15);
    EXPECT_EQ(at(0, 0.98), 40 + 5 * 24);
    EXPECT_EQ(at(1, 0.02), 40 + 10 * 7);
    EXPECT_EQ(at(1, 0.98), 40 + 10 * 12);
}

TEST_P(LookTest, PixelValuesAreThoseUnderThePointerInEveryTile) {
    show({grey(20, 10, 40, 10), grey(40, 20, 37, 5)});
    look([](ViewState& look) { look.pixelValues = true; });
    const auto placed = m_grid->scene().place(QSize(400, 200), 1);
    // In the second tile's pixel 31, 12, which is 15, 6 of the first one's.
    const PixelRect& picture = placed[1].picture;
    const QPoint at(picture.x + int(31.5 * picture.width / 40), picture.y + int(12.5 * picture.height / 20));
    QMouseEvent move(QEvent::MouseMove, QPointF(at), m_grid->mapToGlobal(QPointF(at)), Qt::NoButton,
                     Qt::NoButton, Qt::NoModifier);
    QCoreApplication::sendEvent(m_grid.get(), &move);
    ASSERT_TRUE(m_grid->scene().probe);
    EXPECT_EQ(pixelValues(m_grid->scene(), 0).text, "15, 6:  190 190 190");
    EXPECT_EQ(pixelValues(m_grid->scene(), 0).difference, "");
    EXPECT_EQ(pixelValues(m_grid->scene(), 1).text, "31, 12:  192 192 192");
    EXPECT_EQ(pixelValues(m_grid->scene(), 1).difference, QString::fromUtf8("Δ +2 +2 +2"));
    // The values are on both tiles: their corners are no longer the picture's own.
    const QImage shown = m_grid->snapshot();
    for (const auto& place : placed) {
        const PixelRect& own = place.picture;
        EXPECT_LT(qRed(shown.pixel(own.x + 11, own.y + own.height - 18)), 30) << place.tile;
    }
}

TEST_P(LookTest, ADraggedTileAsksForTheOthersPlace) {
    show({grey(200, 100, 40), grey(200, 100, 200)});
    std::pair<int, int> asked{-1, -1};
    QObject::connect(m_grid.get(), &VideoGrid::tileDragged, [&](int from, int to) { asked = {from, to}; });
    drag({50, 100}, {320, 100});
    EXPECT_EQ(asked, std::pair(0, 1));
    EXPECT_EQ(m_grid->look().zoom, session::ZoomedPart{});
    // Zoomed pictures are moved by dragging; with Ctrl it is the tile all the same.
    m_grid->zoomAbout({0.5, 0.5}, 2);
    const double x = m_grid->look().zoom.x;
    asked = {-1, -1};
    drag({50, 100}, {80, 100});
    EXPECT_LT(m_grid->look().zoom.x, x);
    EXPECT_EQ(asked, std::pair(-1, -1));
    drag({320, 100}, {50, 100}, Qt::ControlModifier);
    EXPECT_EQ(asked, std::pair(1, 0));
}

TEST_P(LookTest, WhatIsChosenOfATileGoesWithIt) {
    show({grey(20, 10, 1), grey(20, 10, 2), grey(20, 10, 3)});
    look([](ViewState& look) {
        look.reference = 2;
        look.other = 0;
        look.offsets = {{0, 0}, {0, 0}, {0.5, 7}};
    });
    m_grid->select(1);
    std::vector<GridTile> tiles(3);
    tiles[0].id = 12;
    tiles[1].id = 10;
    tiles[2].id = 11;
    m_grid->setTiles(tiles);
    EXPECT_EQ(m_grid->look().reference, 0);
    EXPECT_EQ(m_grid->look().other, 1);
    EXPECT_EQ(m_grid->selected(), 2);
    ASSERT_EQ(m_grid->look().offsets.size(), 1U);
    EXPECT_EQ(m_grid->look().offsets[0], (session::ClipOffset{0.5, 7}));
    EXPECT_EQ(m_grid->scene().tiles[0].picture.frame->y.bytes[0], 3);
    tiles.erase(tiles.begin());
    m_grid->setTiles(tiles);
    EXPECT_EQ(m_grid->look().reference, -1);
    EXPECT_EQ(m_grid->look().other, 0);
    EXPECT_TRUE(m_grid->look().offsets.empty());
}

INSTANTIATE_TEST_SUITE_P(Surfaces, LookTest, testing::Values(SurfaceKind::OpenGl, SurfaceKind::Raster),
                         [](const auto& param) {
                             return param.param == SurfaceKind::OpenGl ? "OpenGl" : "Raster";
                         });

TEST(ColorAt, IsThePixelOfTheWholePicture) {
    for (const auto layout :
         {media::ChromaLayout::Yuv420, media::ChromaLayout::Yuv422, media::ChromaLayout::Yuv444}) {
        auto frame = std::make_shared<media::YuvFrame>();
        frame->width = 14;
        frame->height = 10;
        frame->layout = layout;
        frame->bitDepth = 10;
        const auto plane = [](int width, int height, int seed) {
            media::Plane samples{width, height, 2 * width, {}};
            for (int i = 0; i < width * height; ++i) {
                const int sample = (i * 2654435 + seed * 977) % 1024;
                samples.bytes.push_back(std::uint8_t(sample));
                samples.bytes.push_back(std::uint8_t(sample >> 8));
            }
            return samples;
        };
        const int chromaWidth = layout == media::ChromaLayout::Yuv444 ? 14 : 7;
        const int chromaHeight = layout == media::ChromaLayout::Yuv420 ? 5 : 10;
        frame->y = plane(14, 10, 1);
        frame->u = plane(chromaWidth, chromaHeight, 2);
        frame->v = plane(chromaWidth, chromaHeight, 3);
        const QImage whole = toImage(*frame);
        for (int y = 0; y < 10; ++y)
            for (int x = 0; x < 14; ++x)
                ASSERT_EQ(colorAt(*frame, x, y), whole.pixel(x, y)) << x << ", " << y;
    }
}

}  // namespace
}  // namespace reelgrid::widgets
