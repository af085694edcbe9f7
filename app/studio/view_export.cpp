#include "app/studio/view_export.h"

#include <QImage>
#include <QPainter>
#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <span>

#include "core/comparison/compared_frames.h"
#include "core/media/clip_options.h"
#include "core/media/containers.h"
#include "core/media/writer.h"
#include "widgets/charts/chart_frame.h"
#include "widgets/theme/theme.h"
#include "widgets/video_grid/scene_painter.h"
#include "widgets/video_grid/timeline.h"

namespace reelgrid::studio {

namespace {

using widgets::GridScene;
using widgets::TimedClip;
using widgets::Timeline;

/// The clips of a view, opened once more: an export is not to disturb what is playing.
class Frames {
  public:
    explicit Frames(const SeenView& view) : m_view(view) {
        for (const SeenView::Clip& clip : view.clips) {
            Source source;
            if (!clip.path.empty()) {
                auto opened = media::openClip(comparison::comparedFrames(clip.path).file,
                                              {.threads = 2, .cacheBytes = 0});
                if (opened)
                    source.clip = *std::move(opened);
                else
                    source.message = QString::fromStdString(opened.error().message);
            }
            m_sources.push_back(std::move(source));
        }
    }

    [[nodiscard]] std::vector<TimedClip> timed() const {
        const bool byIndex = m_view.scene.look.sync == session::SyncBy::FrameIndex;
        const media::Rational* first = nullptr;
        std::vector<TimedClip> clips;
        for (std::size_t i = 0; i < m_sources.size(); ++i) {
            if (m_sources[i].clip == nullptr) continue;
            const media::ClipInfo& info = m_sources[i].clip->info();
            if (first == nullptr) first = &info.fps;
            const session::ClipOffset& offset = m_view.clips[i].offset;
            clips.push_back({&info, offset.seconds, offset.frames, byIndex ? first->value() : 0});
        }
        return clips;
    }

    [[nodiscard]] media::Rational rate() const {
        media::Rational rate{0, 1};
        for (const Source& source : m_sources) {
            if (source.clip == nullptr) continue;
            const media::Rational& own = source.clip->info().fps;
            if (own.value() > rate.value()) rate = own;
            if (m_view.scene.look.sync == session::SyncBy::FrameIndex) break;
        }
        return rate;
    }

    void showAt(double seconds, const std::vector<TimedClip>& timed, GridScene& scene) {
        std::size_t next = 0;
        for (std::size_t i = 0; i < m_sources.size(); ++i) {
            Source& source = m_sources[i];
            widgets::TilePicture& picture = scene.tiles[i].picture;
            if (source.clip == nullptr) {
                picture = {nullptr, {}, source.message, !source.message.isEmpty()};
                continue;
            }
            const int index = timed[next++].frameAt(seconds);
            if (index == source.index) continue;
            source.index = index;
            picture = {nullptr, QString::number(index + 1), {}, false};
            auto frame = source.clip->frame(index);
            if (frame) {
                picture.frame = *std::move(frame);
            } else {
                picture.message = QString::fromStdString(frame.error().message);
                picture.isError = true;
            }
        }
    }

  private:
    struct Source {
        std::unique_ptr<media::Clip> clip;
        QString message;
        int index = -1;
    };
    const SeenView& m_view;
    std::vector<Source> m_sources;
};

struct Span {
    double first = 0;
    double end = 0;
};

Span spanOf(const session::ViewState& look, const Timeline& timeline) {
    if (look.loop != session::LoopKind::Range || !look.range) return {0, timeline.duration()};
    return {timeline.stop(timeline.stopAt(look.range->inSeconds)),
            timeline.endOfStop(timeline.stopAt(look.range->outSeconds))};
}

std::span<const std::uint8_t> bytesOf(const QImage& image) {
    static_assert(std::endian::native == std::endian::little, "RGB32 is blue first there");
    return {image.constBits(), std::size_t(image.sizeInBytes())};  // four bytes a pixel: no row has padding
}

}  // namespace

void SeenView::addCharts(const std::vector<widgets::ChartFrame*>& frames) {
    around = widgets::theme::kWindow;
    const double gap = 8 * pixelRatio;  // as between the window's parts
    double wide = 0;
    for (const widgets::ChartFrame* frame : frames) wide += frame->width();
    const double ratio = (pixels.width() - gap * double(frames.size() - 1)) / wide;
    if (!(ratio > 0)) return;
    double x = 0;
    for (widgets::ChartFrame* frame : frames) {
        charts.push_back({frame->still(ratio), {int(std::lround(x)), int(pixels.height() + gap)}});
        x += charts.back().chart.image.width() + gap;
    }
}

QSize SeenView::size() const {
    QRect all({0, 0}, pixels);
    for (const Chart& each : charts) all |= QRect(each.at, each.chart.image.size());
    return {pixels.width(), all.height()};
}

Result<media::StitchedGrid> exportView(const SeenView& view, const std::filesystem::path& output,
                                       const std::stop_token& stop, const media::StitchProgress& progress) {
    auto container = media::containerOf(output);
    if (!container) return Error{ErrorCode::BadUsage, container.error().message};
    Frames frames(view);
    const std::vector<TimedClip> timed = frames.timed();
    const Timeline timeline(timed);
    if (timeline.empty())
        return Error{ErrorCode::BadUsage, output.string() + ": no clip on show can be read, one was needed"};
    const Span span = spanOf(view.scene.look, timeline);
    media::Rational rate = frames.rate();
    if (const int most = media::encodingOf(*container).maxRate; rate.value() > most) rate = {most, 1};
    const QSize size = view.size();
    media::StitchedGrid written{size.width(), size.height(), view.scene.look.columns, rate,
                                std::max(1, int(std::ceil((span.end - span.first) * rate.value() - 1e-6)))};

    auto writer = media::Writer::create(output, {.width = written.width,
                                                 .height = written.height,
                                                 .fps = rate,
                                                 .container = *container,
                                                 .pixels = media::FramePixels::Bgrx32});
    if (!writer) return writer.error();
    GridScene scene = view.scene;
    for (GridScene::Tile& tile : scene.tiles) tile.picture = {};
    widgets::ScenePainter painter;
    QImage image(size, QImage::Format_RGB32);
    if (image.isNull()) return Error{ErrorCode::OutOfMemory, output.string() + ": no memory for a picture"};
    if (!view.charts.empty()) image.fill(view.around);
    for (int frame = 0; frame < written.frameCount; ++frame) {
        if (stop.stop_requested()) return Error{ErrorCode::Cancelled, "the export was cancelled"};
        const double seconds = span.first + frame / rate.value();
        frames.showAt(seconds, timed, scene);
        scene.flickerShowsOther = int((seconds - span.first) * scene.look.flickerHz) % 2 == 1;
        {
            QPainter onImage(&image);
            painter.draw(scene, onImage, view.pixels, view.pixelRatio);
            for (const SeenView::Chart& each : view.charts) each.chart.draw(onImage, each.at, seconds);
        }
        if (auto added = (*writer)->write(bytesOf(image)); !added) return added.error();
        if (progress) progress(frame + 1, written.frameCount);
    }
    if (auto finished = (*writer)->finish(); !finished) return finished.error();
    return written;
}

}  // namespace reelgrid::studio
