#include "widgets/video_grid/gl_surface.h"

#include <QFile>
#include <QOpenGLContext>
#include <QVector3D>
#include <algorithm>
#include <array>
#include <cmath>

#include "widgets/video_grid/difference.h"
#include "widgets/video_grid/wipe_geometry.h"
#include "widgets/video_grid/yuv_conversion.h"

namespace reelgrid::widgets {

GlSurface::GlSurface(const GridScene* scene, QWidget* parent) : QOpenGLWidget(parent), m_scene(scene) {
    setFormat(contextFormat());
    setUpdateBehavior(QOpenGLWidget::NoPartialUpdate);
}

GlSurface::~GlSurface() {
    // The context outlives this part of the widget: ~QOpenGLWidget destroys it, when there is nothing left
    // here that could answer its signal.
    if (!m_contextEnds) return;
    disconnect(m_contextEnds);
    releaseGl();
}

QSurfaceFormat GlSurface::contextFormat() {
    QSurfaceFormat format;
    format.setVersion(3, 3);
    format.setProfile(QSurfaceFormat::CoreProfile);
    format.setDepthBufferSize(0);
    format.setStencilBufferSize(0);
    return format;
}

namespace {

QByteArray sourceOf(const char* name) {
    QFile file(QString(":/shaders/") + name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QString logOf(const std::unique_ptr<QOpenGLShaderProgram>& program) {
    return program ? program->log() : QString();
}

}  // namespace

void GlSurface::initializeGL() {
    m_gl.initializeOpenGLFunctions();
    // The context is made anew when the widget moves to another window.
    disconnect(m_contextEnds);
    m_contextEnds = connect(context(), &QOpenGLContext::aboutToBeDestroyed, this, [this] { releaseGl(); });
    m_vertices.create();
    const auto build = [](std::unique_ptr<QOpenGLShaderProgram>& program, const QByteArray& fragment) {
        program = std::make_unique<QOpenGLShaderProgram>();
        return program->addShaderFromSourceFile(QOpenGLShader::Vertex, ":/shaders/tile.vert") &&
               program->addShaderFromSourceCode(QOpenGLShader::Fragment, fragment) && program->link();
    };
    const QByteArray picture = sourceOf("picture.glsl");
    m_ready = build(m_pictureProgram, picture + sourceOf("yuv.frag")) &&
              build(m_differenceProgram, picture + sourceOf("difference.frag")) &&
              build(m_overlayProgram, sourceOf("overlay.frag"));
    if (!m_ready)
        qCritical("the grid's shaders do not compile on this driver: %s",
                  qPrintable(logOf(m_pictureProgram) + logOf(m_differenceProgram) + logOf(m_overlayProgram)));
}

void GlSurface::releaseGl() {
    makeCurrent();
    for (PictureTextures& textures : m_pictures) textures.release(m_gl);
    m_pictures.clear();
    for (auto& [key, texture] : m_overlayTextures) m_gl.glDeleteTextures(1, &texture.name);
    m_overlayTextures.clear();
    m_vertices.destroy();
    m_pictureProgram.reset();
    m_differenceProgram.reset();
    m_overlayProgram.reset();
    m_ready = false;
    doneCurrent();
}

void GlSurface::fill(const PixelRect& rect, const QColor& color) {
    m_gl.glScissor(rect.x, m_pixels.height() - rect.y - rect.height, rect.width, rect.height);
    m_gl.glClearColor(color.redF(), color.greenF(), color.blueF(), 1);
    m_gl.glClear(GL_COLOR_BUFFER_BIT);
}

void GlSurface::outline(const PixelRect& rect, const QColor& color) {
    const int line = int(std::ceil(2 * devicePixelRatioF()));
    m_gl.glEnable(GL_SCISSOR_TEST);
    fill({rect.x, rect.y, rect.width, line}, color);
    fill({rect.x, rect.y + rect.height - line, rect.width, line}, color);
    fill({rect.x, rect.y, line, rect.height}, color);
    fill({rect.x + rect.width - line, rect.y, line, rect.height}, color);
    m_gl.glDisable(GL_SCISSOR_TEST);
}

void GlSurface::setTarget(QOpenGLShaderProgram& program, const PixelRect& rect) {
    const auto width = float(m_pixels.width());
    const auto height = float(m_pixels.height());
    // Negative height: the picture's first row is on top.
    program.setUniformValue("target", 2 * float(rect.x) / width - 1, 1 - 2 * float(rect.y) / height,
                            2 * float(rect.width) / width, -2 * float(rect.height) / height);
}

void GlSurface::usePicture(QOpenGLShaderProgram& program, const GridScene::Placed& place, int tile, int unit,
                           const char* const (&names)[8]) {
    const media::FramePtr& frame = m_scene->tiles[std::size_t(tile)].picture.frame;
    GridScene::Placed own = place;
    own.tile = tile;
    const bool nearest = m_scene->nearest(own);
    PictureTextures& textures = m_pictures[std::size_t(tile)];
    textures.upload(m_gl, frame);
    textures.bind(m_gl, unit, nearest ? GL_NEAREST : GL_LINEAR);
    const YuvToRgb conversion = yuvToRgb(frame->color, frame->bitDepth);
    const ChromaSiting siting = chromaSiting(frame->layout);
    for (int plane = 0; plane < 3; ++plane) program.setUniformValue(names[plane], unit + plane);
    program.setUniformValue(names[3], QMatrix3x3(conversion.matrix.data()));
    program.setUniformValue(names[4], conversion.offset[0], conversion.offset[1], conversion.offset[2]);
    program.setUniformValue(names[5], frame->bitDepth > 8 ? 65535.0F / conversion.maxSample : 1.0F);
    program.setUniformValue(names[6], siting.scaleX, siting.scaleY, siting.shiftX);
    program.setUniformValue(names[7], nearest);
}

namespace {
constexpr const char* kOwn[8] = {"planeY", "planeU",      "planeV", "toRgb",
                                 "offset", "sampleScale", "siting", "nearest"};
constexpr const char* kReference[8] = {"referenceY",      "referenceU",      "referenceV",
                                       "referenceToRgb",  "referenceOffset", "referenceSampleScale",
                                       "referenceSiting", "referenceNearest"};

void setView(QOpenGLShaderProgram& program, const QRectF& view) {
    program.setUniformValue("view", float(view.x()), float(view.y()), float(view.width()),
                            float(view.height()));
}
}  // namespace

void GlSurface::setWipe(const GridScene::Placed& place) {
    if (place.drawing != GridScene::Drawing::BeyondWipe) {
        m_pictureProgram->setUniformValue("wipeColor", 0.0F, 0.0F, 0.0F, 0.0F);
        return;
    }
    const WipeGeometry wipe(m_scene->look.wipe, place.picture);
    const QPointF along = wipe.along();
    const QPointF origin(place.picture.x, place.picture.y);
    m_pictureProgram->setUniformValue("wipe", float(along.y()), float(-along.x()),
                                      float(wipe.distance(origin)));
    m_pictureProgram->setUniformValue("extent", float(place.picture.width), float(place.picture.height));
    const QColor& line = grid_colors::kWipeLine;
    m_pictureProgram->setUniformValue("wipeColor", float(line.redF()), float(line.greenF()),
                                      float(line.blueF()), float(kWipeLineWidth * devicePixelRatioF() / 2));
}

void GlSurface::drawPicture(const GridScene::Placed& place) {
    m_pictureProgram->bind();
    usePicture(*m_pictureProgram, place, place.tile, 0, kOwn);
    setWipe(place);
    const bool blended = place.drawing == GridScene::Drawing::Blended;
    m_pictureProgram->setUniformValue("opacity", blended ? float(m_scene->look.onionOpacity) : 1.0F);
    setView(*m_pictureProgram, m_scene->view());
    setTarget(*m_pictureProgram, place.picture);
    if (blended) {
        m_gl.glEnable(GL_BLEND);
        m_gl.glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    }
    m_gl.glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    m_gl.glDisable(GL_BLEND);
}

void GlSurface::drawDifference(const GridScene::Placed& place) {
    // Before any is bound: uploading takes the first texture unit.
    m_pictures[std::size_t(place.against)].upload(m_gl,
                                                  m_scene->tiles[std::size_t(place.against)].picture.frame);
    m_differenceProgram->bind();
    usePicture(*m_differenceProgram, place, place.tile, 0, kOwn);
    usePicture(*m_differenceProgram, place, place.against, 3, kReference);
    m_differenceProgram->setUniformValue("kind", int(m_scene->look.difference));
    m_differenceProgram->setUniformValue("gain", float(m_scene->look.gain));
    std::array<QVector3D, kHeatStops.size()> heat;
    for (std::size_t i = 0; i < heat.size(); ++i)
        heat[i] = QVector3D(float(kHeatStops[i][0]), float(kHeatStops[i][1]), float(kHeatStops[i][2])) / 255;
    m_differenceProgram->setUniformValueArray("heat", heat.data(), int(heat.size()));
    setView(*m_differenceProgram, m_scene->view());
    setTarget(*m_differenceProgram, place.picture);
    m_gl.glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    m_gl.glActiveTexture(GL_TEXTURE0);
}

void GlSurface::drawOverlay(const std::vector<OverlayItem>& items) {
    m_gl.glEnable(GL_BLEND);
    m_gl.glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    m_overlayProgram->bind();
    m_overlayProgram->setUniformValue("image", 0);
    m_overlayProgram->setUniformValue("view", 0.0F, 0.0F, 1.0F, 1.0F);
    for (auto& [key, texture] : m_overlayTextures) texture.used = false;
    for (const OverlayItem& item : items) {
        auto found = m_overlayTextures.find(item.image.cacheKey());
        if (found == m_overlayTextures.end())
            found = m_overlayTextures.emplace(item.image.cacheKey(), OverlayTexture::from(m_gl, item.image))
                        .first;
        found->second.used = true;
        m_gl.glBindTexture(GL_TEXTURE_2D, found->second.name);
        setTarget(*m_overlayProgram, {item.at.x(), item.at.y(), item.image.width(), item.image.height()});
        m_gl.glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    }
    m_gl.glDisable(GL_BLEND);
    std::erase_if(m_overlayTextures, [this](const auto& entry) {
        if (entry.second.used) return false;
        m_gl.glDeleteTextures(1, &entry.second.name);
        return true;
    });
}

void GlSurface::paintGL() {
    m_pixels = size() * devicePixelRatioF();
    m_gl.glViewport(0, 0, m_pixels.width(), m_pixels.height());
    m_gl.glDisable(GL_DEPTH_TEST);
    m_gl.glEnable(GL_SCISSOR_TEST);
    fill({0, 0, m_pixels.width(), m_pixels.height()}, grid_colors::kBackground);
    const auto placed = m_scene->place(m_pixels, devicePixelRatioF());
    for (const GridScene::Placed& place : placed) {
        const GridScene::Tile& tile = m_scene->tiles[std::size_t(place.tile)];
        const PixelRect& cell = place.cell;
        fill(cell, grid_colors::kCell);
        if (place.picture.width > 0 || tile.what.progress < 0) continue;
        PixelRect track = progressTrack(cell, devicePixelRatioF());
        fill(track, grid_colors::kProgressTrack);
        track.width = int(track.width * std::min(1.0, tile.what.progress));
        fill(track, tile.what.accent);
    }
    m_gl.glDisable(GL_SCISSOR_TEST);
    if (!m_ready) return;
    m_vertices.bind();
    while (m_pictures.size() > m_scene->tiles.size()) {
        m_pictures.back().release(m_gl);
        m_pictures.pop_back();
    }
    m_pictures.resize(m_scene->tiles.size());
    for (const GridScene::Placed& place : placed) {
        if (place.picture.width == 0) continue;
        place.against < 0 ? drawPicture(place) : drawDifference(place);
    }
    for (const GridScene::Placed& place : placed) {
        if (place.tile == m_scene->dropTarget)
            outline(place.cell, grid_colors::kDropTarget);
        else if (place.tile == m_scene->selected && m_scene->outlinesSelected())
            outline(place.cell, m_scene->tiles[std::size_t(place.tile)].what.accent);
    }
    drawOverlay(m_overlay.items(*m_scene, placed, devicePixelRatioF()));
    m_vertices.release();
}

}  // namespace reelgrid::widgets
