#include "app/studio/playback.h"

#include <algorithm>

namespace reelgrid::studio {

namespace {

QString detailOf(const ComparedClip& clip, const ComparedClip* reference) {
    const result::Timing* timing = clip.timing();
    if (timing == nullptr) return {};
    const double total = timing->renderSeconds();
    if (total <= 0) return {};
    QString text = QString("%1 s").arg(total, 0, 'f', total < 10 ? 2 : 1);
    if (reference == nullptr || reference->id == clip.id || reference->timing() == nullptr) return text;
    const double own = timing->stage("denoise").value_or(0);
    const double first = reference->timing()->stage("denoise").value_or(0);
    if (own > 0 && first > 0) text += QString(" · denoise %1×").arg(first / own, 0, 'f', 2);
    return text;
}

}  // namespace

Playback::Playback(Comparison* comparison, widgets::VideoGrid* grid, widgets::CoherenceChart* chart,
                   QObject* parent)
    : QObject(parent),
      m_comparison(comparison),
      m_grid(grid),
      m_chart(chart),
      m_player([](const std::filesystem::path& path) { return media::Clip::open(path); }) {
    connect(m_comparison, &Comparison::clipAdded, this, &Playback::syncClip);
    connect(m_comparison, &Comparison::clipArrived, this, &Playback::syncClip);
    connect(m_comparison, &Comparison::clipRemoved, this, &Playback::syncClip);
    for (const auto shownOnTiles :
         {&Comparison::clipAdded, &Comparison::clipRemoved, &Comparison::clipArrived,
          &Comparison::statusChanged, &Comparison::factsChanged})
        connect(m_comparison, shownOnTiles, this, &Playback::showTiles);
    connect(m_comparison, &Comparison::orderChanged, this, &Playback::showTiles);
    connect(m_comparison, &Comparison::previewChanged, this, &Playback::showFrames);
    connect(&m_player, &widgets::Player::composed, this, &Playback::showFrames);
    connect(&m_player, &widgets::Player::timelineChanged, this,
            [this] { m_chart->setDuration(m_player.clock().timeline().duration()); });
    connect(m_chart, &widgets::CoherenceChart::seekRequested, &m_player, &widgets::Player::seek);
    connect(&m_player, &widgets::Player::clipFailed, this, [this](int playerClip, const QString& message) {
        const auto failed = std::ranges::find_if(
            m_playerClips, [&](const auto& entry) { return entry.second == playerClip; });
        if (failed == m_playerClips.end()) return;
        m_comparison->setStatus(failed->first, {message, -1, true});
        Q_EMIT clipFailed(message);
    });
}

const media::ClipInfo* Playback::info(int id) const {
    const auto found = m_playerClips.find(id);
    return found == m_playerClips.end() ? nullptr : m_player.info(found->second);
}

void Playback::syncClip(int id) {
    const ComparedClip* clip = m_comparison->find(id);
    const auto playing = m_playerClips.find(id);
    const bool wanted = clip != nullptr && clip->onDisk;
    if (wanted && playing == m_playerClips.end()) {
        m_playerClips[id] = m_player.addClip(clip->path, clip->offsetSeconds);
    } else if (!wanted && playing != m_playerClips.end()) {
        const int playerClip = playing->second;
        m_playerClips.erase(playing);
        m_player.removeClip(playerClip);
    }
}

void Playback::showTiles() {
    std::vector<widgets::GridTile> tiles;
    const ComparedClip* reference = m_comparison->reference();
    for (const ComparedClip& clip : m_comparison->clips()) {
        widgets::GridTile tile;
        tile.label = clip.label;
        tile.detail = detailOf(clip, reference);
        tile.accent = clip.color;
        tile.message = clip.status.message;
        tile.progress = clip.status.progress;
        tile.isError = clip.status.failed;
        tiles.push_back(std::move(tile));
    }
    m_grid->setTiles(std::move(tiles));
    showFrames();
}

void Playback::showFrames() {
    const widgets::Composition& composition = m_player.composition();
    std::vector<widgets::TilePicture> pictures;
    for (const ComparedClip& clip : m_comparison->clips()) {
        widgets::TilePicture picture;
        const auto playing = m_playerClips.find(clip.id);
        if (playing != m_playerClips.end()) {
            const auto tile =
                std::ranges::find(composition.tiles, playing->second, &widgets::ComposedTile::clip);
            if (tile != composition.tiles.end()) {
                picture.frame = tile->frame;
                picture.message = tile->message;
                picture.isError = tile->frameIndex >= 0 && !tile->frame;
                if (m_frameNumbers && tile->frameIndex >= 0)
                    picture.note = QString::number(tile->frameIndex + 1);
            }
        } else if (!clip.preview.frames.empty()) {
            const double duration = m_player.clock().timeline().duration();
            picture.frame = clip.preview.frameAt(duration > 0 ? composition.seconds / duration : 0.5);
            picture.note = tr("preview, step %1 of %2").arg(clip.preview.step).arg(clip.preview.steps);
        }
        pictures.push_back(std::move(picture));
    }
    m_grid->present(std::move(pictures));
    m_chart->setPlayhead(composition.seconds);
}

void Playback::setFrameNumbers(bool shown) {
    m_frameNumbers = shown;
    showFrames();
}

}  // namespace reelgrid::studio
