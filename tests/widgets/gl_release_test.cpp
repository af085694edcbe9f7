#include <gtest/gtest.h>

#include <QOffscreenSurface>
#include <QOpenGLContext>
#include <QOpenGLFunctions>

#include "tests/widgets/fake_clip.h"
#include "tests/widgets/gui_wait.h"
#include "widgets/video_grid/gl_surface.h"
#include "widgets/video_grid/video_grid.h"

namespace reelgrid::widgets {
namespace {

// Far more than a grid of four tiles makes: names are given out from 1.
constexpr GLuint kNamesLookedAt = 300;

/// A grid on screen with pictures and labels, and a context that sees its OpenGL objects after its end.
class GlRelease : public testing::Test {
  protected:
    void SetUp() override {
        if (availableSurface() != SurfaceKind::OpenGl) GTEST_SKIP() << "this platform has no OpenGL 3.3";
        m_grid = std::make_unique<VideoGrid>(SurfaceKind::OpenGl);
        m_grid->resize(400, 300);
        std::vector<GridTile> tiles(4);
        std::vector<TilePicture> pictures;
        FakeClip clip(8, 8);
        for (int i = 0; i < 4; ++i) {
            tiles[std::size_t(i)].label = "tile " + QString::number(i);
            pictures.push_back({clip.frame(i).value(), {}, {}});
        }
        m_grid->setTiles(tiles);
        m_grid->present(pictures);
        m_grid->show();
        m_surface = m_grid->findChild<QOpenGLWidget*>();
        ASSERT_NE(m_surface, nullptr);
        ASSERT_TRUE(waitUntil([&] { return m_surface->isValid(); }));
        ASSERT_FALSE(m_grid->snapshot().isNull());
        m_watching.setFormat(m_surface->context()->format());
        m_watching.setShareContext(m_surface->context());
        m_offscreen.setFormat(m_surface->context()->format());
        m_offscreen.create();
        ASSERT_TRUE(m_watching.create());
    }
    struct Objects {
        int textures = 0;
        int programs = 0;
    };
    Objects living() {
        Objects objects;
        EXPECT_TRUE(m_watching.makeCurrent(&m_offscreen));
        QOpenGLFunctions& gl = *m_watching.functions();
        for (GLuint name = 1; name < kNamesLookedAt; ++name) {
            objects.textures += gl.glIsTexture(name) == GL_TRUE ? 1 : 0;
            objects.programs += gl.glIsProgram(name) == GL_TRUE ? 1 : 0;
        }
        m_watching.doneCurrent();
        return objects;
    }

    std::unique_ptr<VideoGrid> m_grid;
    QOpenGLWidget* m_surface = nullptr;
    QOffscreenSurface m_offscreen;
    QOpenGLContext m_watching;
};

TEST_F(GlRelease, AGridThatEndsLeavesNoTextureAndNoProgram) {
    EXPECT_GE(living().textures, 4 * 3 + 4);  // planes and labels
    EXPECT_EQ(living().programs, 3);
    m_grid.reset();
    EXPECT_EQ(living().textures, 0);
    EXPECT_EQ(living().programs, 0);
}

TEST_F(GlRelease, TheContextsEndFindsNobodyToCallAnyMore) {
    // Taken now: when the context ends, the surface's own part of the widget is already gone.
    const QObject* surface = m_surface;
    const QOpenGLContext* context = m_surface->context();
    int ends = 0;
    bool stillConnected = false;
    QObject::connect(context, &QOpenGLContext::aboutToBeDestroyed, [&] {
        ++ends;
        stillConnected = QObject::disconnect(context, &QOpenGLContext::aboutToBeDestroyed, surface, nullptr);
    });
    m_grid.reset();
    EXPECT_EQ(ends, 1);
    EXPECT_FALSE(stillConnected);
}

}  // namespace
}  // namespace reelgrid::widgets
