#include "app/studio/thumbnails.h"

#include <algorithm>

#include "app/studio/playback.h"
#include "core/media/clip.h"
#include "widgets/video_grid/yuv_conversion.h"

namespace reelgrid::studio {

namespace {
constexpr int kMostPictures = 24;
constexpr int kPictureHeight = 96;
}  // namespace

Thumbnails::Thumbnails(Comparison* comparison, widgets::CoherenceChart* chart, const Playback* playback,
                       QObject* parent)
    : QObject(parent), m_comparison(comparison), m_chart(chart), m_playback(playback) {
    for (const auto change : {&Comparison::clipAdded, &Comparison::clipArrived, &Comparison::clipRemoved,
                              &Comparison::factsChanged})
        connect(m_comparison, change, this, &Thumbnails::update);
    connect(m_chart, &widgets::ChartFrame::pageChanged, this, &Thumbnails::update);
    connect(m_playback->player(), &widgets::Player::timelineChanged, this, &Thumbnails::update);
}

void Thumbnails::update() {
    if (m_chart->view() != widgets::CoherenceChart::View::Frames) return;
    std::erase_if(m_pictures,
                  [this](const auto& entry) { return m_comparison->find(entry.first) == nullptr; });
    std::vector<widgets::ClipStrip> strips;
    for (const ComparedClip& clip : m_comparison->clips()) {
        if (!clip.onDisk || clip.status.failed) continue;
        if (!m_pictures.contains(clip.id)) read(clip);
        strips.push_back({clip.label, clip.color, inTime(clip)});
    }
    m_chart->strip().setStrips(std::move(strips));
}

/// Shifted and held together as the player does it.
Thumbnails::Pictures Thumbnails::inTime(const ComparedClip& clip) const {
    Pictures pictures = m_pictures.at(clip.id);
    const std::vector<double> times = m_playback->frameTimes(clip);
    for (widgets::ClipStrip::Picture& picture : pictures)
        if (std::size_t(picture.frame) < times.size()) picture.seconds = times[std::size_t(picture.frame)];
    return pictures;
}

void Thumbnails::read(const ComparedClip& clip) {
    m_pictures[clip.id] = {};
    m_background.run(
        [this, id = clip.id, path = clip.path](const std::stop_token& stop) -> BackgroundThread::Completion {
            Pictures pictures = picturesOf(path, stop);
            return [this, id, pictures = std::move(pictures)] {
                if (m_comparison->find(id) == nullptr) return;
                m_pictures[id] = pictures;
                update();
            };
        });
}

/// As far as they can be read: the grid says what is wrong with a clip.
Thumbnails::Pictures Thumbnails::picturesOf(const std::filesystem::path& clip, const std::stop_token& stop) {
    Pictures pictures;
    const auto opened = media::Clip::open(clip);
    if (!opened) return pictures;
    const media::ClipInfo& info = opened.value()->info();
    const int count = std::min(kMostPictures, info.frameCount());
    for (int i = 0; i < count && !stop.stop_requested(); ++i) {
        const int index = int(std::int64_t(i) * info.frameCount() / count);
        const auto frame = opened.value()->frame(index);
        if (!frame) break;
        const QImage image = widgets::toImage(**frame);
        pictures.push_back({info.frameSeconds[std::size_t(index)], index,
                            image.scaledToHeight(kPictureHeight, Qt::SmoothTransformation)});
    }
    return pictures;
}

}  // namespace reelgrid::studio
