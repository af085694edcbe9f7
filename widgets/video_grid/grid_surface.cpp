#include "widgets/video_grid/grid_surface.h"

#include <QGuiApplication>
#include <QOffscreenSurface>
#include <QOpenGLContext>
#include <QOpenGLFunctions>
#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "widgets/video_grid/gl_surface.h"
#include "widgets/video_grid/raster_surface.h"

namespace reelgrid::widgets {

namespace {

struct Driver {
    bool hasOpenGl = false;
    bool isSoftware = false;
};

Driver lookAtDriver() {
    const QString platform = QGuiApplication::platformName();
    if (platform == "offscreen" || platform == "minimal" || platform == "vnc" || platform == "linuxfb")
        return {};
    QOpenGLContext context;
    context.setFormat(GlSurface::contextFormat());
    if (!context.create()) return {};
    QOffscreenSurface surface;
    surface.setFormat(context.format());
    surface.create();
    if (!surface.isValid() || !context.makeCurrent(&surface)) return {};
    const auto* renderer = reinterpret_cast<const char*>(context.functions()->glGetString(GL_RENDERER));
    const QByteArray name = QByteArray(renderer).toLower();
    const auto version = context.format().version();
    context.doneCurrent();
    const bool isSoftware = name.contains("llvmpipe") || name.contains("softpipe") || name.contains("swr");
    return {version >= std::pair(3, 3), isSoftware};
}

/// Whether the system has a device of one: of Linux's own drivers, NVIDIA's, or Windows' below this system.
bool mayHaveGraphicsProcessor() {
    std::error_code ignored;
    return std::ranges::any_of(std::array{"/dev/dri", "/dev/nvidiactl", "/dev/dxg"},
                               [&](const char* device) { return std::filesystem::exists(device, ignored); });
}

const Driver& driver() {
    static const Driver found = lookAtDriver();
    return found;
}

}  // namespace

SurfaceKind availableSurface() {
    return driver().hasOpenGl ? SurfaceKind::OpenGl : SurfaceKind::Raster;
}

SurfaceKind preferredSurface() {
    const QByteArray wanted = qgetenv("REELGRID_SURFACE");
    if (wanted == "opengl") return availableSurface();
    // Without a look at the driver, which would load a compiler: that takes a while and tens of megabytes.
    if (wanted == "raster" || !mayHaveGraphicsProcessor()) return SurfaceKind::Raster;
    return driver().isSoftware ? SurfaceKind::Raster : availableSurface();
}

GridSurface* makeSurface(SurfaceKind kind, const GridScene* scene, QWidget* parent) {
    if (kind == SurfaceKind::OpenGl) return new GlSurface(scene, parent);
    return new RasterSurface(scene, parent);
}

}  // namespace reelgrid::widgets
