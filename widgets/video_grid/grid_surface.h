#pragma once

#include <QImage>
#include <QWidget>
#include <memory>

namespace reelgrid::widgets {

struct GridScene;

/// Draws a GridScene into a widget: with OpenGL, or with QPainter where there is none.
class GridSurface {
  public:
    virtual ~GridSurface() = default;
    /// Owned by its parent widget.
    [[nodiscard]] virtual QWidget* widget() = 0;
    /// What the surface shows now, at device pixels.
    [[nodiscard]] virtual QImage grabPicture() = 0;
    [[nodiscard]] virtual const char* name() const = 0;  ///< "OpenGL" or "raster"
};

enum class SurfaceKind { OpenGl, Raster };

/// OpenGl where a 3.3 core context can be had on this platform, else Raster. Asked before any QOpenGLWidget
/// is made: on a platform without OpenGL (offscreen) making one ends the program in Qt 6.4.
SurfaceKind availableSurface();

/// OpenGl where a graphics processor draws; where the driver would compute every pixel itself (llvmpipe) the
/// raster surface is several times as fast. $REELGRID_SURFACE, "opengl" or "raster", decides where both can
/// be.
SurfaceKind preferredSurface();

/// The surface paints what `scene` holds then; the scene must outlive it.
GridSurface* makeSurface(SurfaceKind kind, const GridScene* scene, QWidget* parent);

}  // namespace reelgrid::widgets
