#pragma once

#include <QOpenGLBuffer>
#include <QOpenGLFunctions_3_3_Core>
#include <QOpenGLShaderProgram>
#include <QOpenGLVertexArrayObject>
#include <QOpenGLWidget>
#include <QSurfaceFormat>
#include <map>
#include <memory>
#include <vector>

#include "widgets/video_grid/gl_textures.h"
#include "widgets/video_grid/grid_overlay.h"
#include "widgets/video_grid/grid_surface.h"

namespace reelgrid::widgets {

/// The grid drawn with OpenGL 3.3 core: the planes of each picture go up as they were decoded, the shader
/// makes the colours. A plane is uploaded once per new frame, nothing else happens per repaint.
class GlSurface final : public QOpenGLWidget, public GridSurface {
  public:
    explicit GlSurface(const GridScene* scene, QWidget* parent = nullptr);
    ~GlSurface() override;

    static QSurfaceFormat contextFormat();

    QWidget* widget() override { return this; }
    QImage grabPicture() override { return grabFramebuffer(); }
    const char* name() const override { return "OpenGL"; }

  protected:
    void initializeGL() override;
    void paintGL() override;

  private:
    /// Before the context goes: gives back what initializeGL() and paintGL() made in it.
    void releaseGl();
    void fill(const PixelRect& rect, const QColor& color);
    void outline(const PixelRect& rect, const QColor& color);
    void drawPicture(const GridScene::Placed& place);
    void drawDifference(const GridScene::Placed& place);
    /// Uploads the tile's frame where that is due, binds its planes from texture unit `unit` on and says how
    /// they become colours, in the uniforms of these names.
    void usePicture(QOpenGLShaderProgram& program, const GridScene::Placed& place, int tile, int unit,
                    const char* const (&names)[8]);
    void setWipe(const GridScene::Placed& place);
    void drawOverlay(const std::vector<OverlayItem>& items);
    void setTarget(QOpenGLShaderProgram& program, const PixelRect& rect);

    const GridScene* m_scene;
    GridOverlay m_overlay;
    QOpenGLFunctions_3_3_Core m_gl;
    QOpenGLVertexArrayObject m_vertices;
    std::unique_ptr<QOpenGLShaderProgram> m_pictureProgram;
    std::unique_ptr<QOpenGLShaderProgram> m_differenceProgram;
    std::unique_ptr<QOpenGLShaderProgram> m_overlayProgram;
    std::vector<PictureTextures> m_pictures;
    std::map<qint64, OverlayTexture> m_overlayTextures;  // by QImage::cacheKey()
    QSize m_pixels;
    bool m_ready = false;
    QMetaObject::Connection m_contextEnds;
};

}  // namespace reelgrid::widgets
