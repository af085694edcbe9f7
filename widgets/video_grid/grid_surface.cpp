#include "widgets/video_grid/grid_surface.h"

#include <QGuiApplication>
#include <QOffscreenSurface>
#include <QOpenGLContext>

#include "widgets/video_grid/gl_surface.h"
#include "widgets/video_grid/raster_surface.h"

namespace reelgrid::widgets {

SurfaceKind availableSurface() {
    static const SurfaceKind kind = [] {
        const QString platform = QGuiApplication::platformName();
        if (platform == "offscreen" || platform == "minimal" || platform == "vnc" || platform == "linuxfb")
            return SurfaceKind::Raster;
        QOpenGLContext context;
        context.setFormat(GlSurface::contextFormat());
        if (!context.create()) return SurfaceKind::Raster;
        QOffscreenSurface surface;
        surface.setFormat(context.format());
        surface.create();
        if (!surface.isValid() || !context.makeCurrent(&surface)) return SurfaceKind::Raster;
        const auto version = context.format().version();
        context.doneCurrent();
        return version >= std::pair(3, 3) ? SurfaceKind::OpenGl : SurfaceKind::Raster;
    }();
    return kind;
}

GridSurface* makeSurface(SurfaceKind kind, const GridScene* scene, QWidget* parent) {
    if (kind == SurfaceKind::OpenGl) return new GlSurface(scene, parent);
    return new RasterSurface(scene, parent);
}

}  // namespace reelgrid::widgets
