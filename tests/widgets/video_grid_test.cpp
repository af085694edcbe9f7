#include "widgets/video_grid/video_grid.h"

#include <gtest/gtest.h>

#include <QGuiApplication>
#include <QMouseEvent>
#include <QWheelEvent>

#include "tests/widgets/fake_clip.h"
#include "tests/widgets/gui_wait.h"
#include "widgets/video_grid/grid_overlay.h"

namespace reelgrid::widgets {
namespace {

class VideoGridTest : public testing::Test {
  protected:
    VideoGridTest() : m_grid(availableSurface()) {
        m_grid.resize(600, 400);
        std::vector<GridTile> tiles(4);
        std::vector<TilePicture> pictures;
        FakeClip clip(8, 8);
        for (int i = 0; i < 4; ++i) {
            tiles[std::size_t(i)].label = "tile " + QString::number(i);
            tiles[std::size_t(i)].accent = Qt::red;
            pictures.push_back({clip.frame(i).value(), {}, {}});
        }
        m_grid.setTiles(tiles);
        m_grid.present(pictures);
        m_grid.show();
    }
    void press(QEvent::Type type, QPointF at) {
        QMouseEvent event(type, at, m_grid.mapToGlobal(at), Qt::LeftButton, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&m_grid, &event);
    }
    VideoGrid m_grid;
};

TEST_F(VideoGridTest, AClickSelectsATile) {
    press(QEvent::MouseButtonPress, {450, 300});
    EXPECT_EQ(m_grid.selected(), 3);
    EXPECT_EQ(m_grid.snapshot().pixelColor(598, 399), QColor(Qt::red));  // its outline
}

TEST_F(VideoGridTest, ADoubleClickShowsATileAloneAndAgainAll) {
    press(QEvent::MouseButtonDblClick, {450, 100});
    EXPECT_EQ(m_grid.solo(), 1);
    EXPECT_EQ(m_grid.scene().place(m_grid.size(), 1).size(), 1U);
    press(QEvent::MouseButtonDblClick, {450, 100});
    EXPECT_EQ(m_grid.solo(), -1);
}

TEST_F(VideoGridTest, TheWheelZoomsAllPicturesAtThePointer) {
    const QPointF at(150, 100);
    QWheelEvent event(at, m_grid.mapToGlobal(at), {}, {0, 480}, Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(&m_grid, &event);
    const QRectF view = m_grid.scene().view();
    EXPECT_LT(view.width(), 0.6);
    EXPECT_NEAR(view.center().x(), 0.5, 0.02);  // the pointer was in the middle of the first tile
    m_grid.resetZoom();
    EXPECT_EQ(m_grid.scene().view(), QRectF(0, 0, 1, 1));
}

TEST_F(VideoGridTest, FewerTilesForgetWhatWasSelected) {
    m_grid.select(3);
    m_grid.showAlone(3);
    m_grid.setTiles(std::vector<GridTile>(2));
    EXPECT_EQ(m_grid.selected(), -1);
    EXPECT_EQ(m_grid.solo(), -1);
}

TEST_F(VideoGridTest, ATileWithoutAPictureShowsItsMessageAndProgress) {
    GridTile tile;
    tile.label = "fav2";
    tile.accent = QColor(0, 0, 255);
    tile.message = "denoise 7 / 20";
    tile.progress = 0.5;
    m_grid.setTiles({tile});
    m_grid.present({TilePicture{}});
    const QImage shown = m_grid.snapshot();
    const PixelRect track = progressTrack(m_grid.scene().place(shown.size(), 1)[0].cell, 1);
    EXPECT_EQ(shown.pixelColor(track.x + track.width / 4, track.y + 1), QColor(0, 0, 255));
    EXPECT_EQ(shown.pixelColor(track.x + track.width * 3 / 4, track.y + 1), grid_colors::kProgressTrack);
}

TEST(SurfaceChoice, NoOpenGlIsTriedWithoutADisplay) {
    if (QGuiApplication::platformName() != "offscreen")
        GTEST_SKIP() << "there is a display: " << QGuiApplication::platformName().toStdString();
    EXPECT_EQ(availableSurface(), SurfaceKind::Raster);
}

TEST(SurfaceChoice, AGridDrawsWithWhatItWasAskedFor) {
    EXPECT_STREQ(VideoGrid(SurfaceKind::Raster).surfaceName(), "raster");
    EXPECT_STREQ(VideoGrid(SurfaceKind::OpenGl).surfaceName(), "OpenGL");
}

}  // namespace
}  // namespace reelgrid::widgets
