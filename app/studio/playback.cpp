#include "app/studio/playback.h"

#include <algorithm>
#include <thread>

#include <unistd.h>

#include "app/studio/difference_words.h"
#include "app/studio/lossless_opener.h"
#include "core/media/clip_options.h"
#include "core/result/warm_up.h"
#include "widgets/theme/local_number.h"

namespace reelgrid::studio {

namespace {

QString detailOf(const ComparedClip& clip, const ComparedClip* reference) {
    const result::Timing* timing = clip.timing();
    if (timing == nullptr) return {};
    const double total = timing->renderSeconds();
    if (total <= 0) return {};
    QString text = QString("%1 s").arg(widgets::fixedText(total, total < 10 ? 2 : 1));
    if (reference == nullptr || reference->id == clip.id || reference->timing() == nullptr) return text;
    const auto ratio = result::denoiseRatio(*reference->timing(), *timing);
    if (!ratio) return text;
    const QString both = text + QString(" · denoise %1×").arg(widgets::fixedText(*ratio, 2));
    const QString differs = differsText(*reference, clip);
    if (differs.isEmpty()) return both + '\n' + text;
    return both + differs + '\n' + both + Playback::tr(" (differs)") + '\n' + text;
}

/// Below a tile's label: how its frames lie in time, where that is not evenly, which track it is, whether
/// some frames are left out, and what made the clip.
QString originOf(const ClipFacts& facts) {
    QStringList lines;
    if (facts.unequal) {
        constexpr int kDigits = 4;
        const auto number = [](double value) {
            return value < 1000 ? widgets::significantText(value, kDigits) : widgets::fixedText(value, 0);
        };
        const QString from = number(facts.unequal->shortest * 1000),
                      to = number(facts.unequal->longest * 1000), rate = number(facts.rate);
        lines << (facts.unequal->isEvened
                      ? Playback::tr("frames of %1 to %2 ms, taken at %3 frames/s").arg(from, to, rate)
                      : Playback::tr("frames of %1 to %2 ms, at their own times").arg(from, to));
    }
    if (facts.track.of > 1)
        lines << Playback::tr("video track %1 of %2").arg(facts.track.number).arg(facts.track.of);
    if (facts.track.isOblique) lines << Playback::tr("turned to the nearest quarter");
    const media::MissingFrames& missing = facts.missing;
    if (missing.leftOut > 0)
        lines << Playback::tr("%1 of %2 listed frames are left out")
                     .arg(missing.leftOut)
                     .arg(missing.leftOut + int(facts.frameSeconds.size()));
    if (missing.withoutPicture > 0)
        lines << Playback::tr("packets without a picture: %1").arg(missing.withoutPicture);
    if (missing.behindGaps > 0) lines << Playback::tr("gaps in its stream: %1").arg(missing.behindGaps);
    if (missing.atOneTime > 0)
        lines << Playback::tr("packets with the time of another one: %1").arg(missing.atOneTime);
    if (missing.saidSeconds > 0)
        lines << Playback::tr("it says that it lasts %1 s").arg(widgets::fixedText(missing.saidSeconds, 2));
    if (facts.origin) lines << QString::fromStdString(facts.origin->text());
    return lines.join(" · ");
}

/// Nine 832×480 clips of 121 frames are 1.21 GiB without loss, four of 1280×720 and 81 frames 0.9: they are
/// decoded once. A quarter of a small machine's memory is enough for what was encoded.
constexpr std::size_t kFrameMemory = std::size_t{1280} << 20;
constexpr std::size_t kLeastFrameMemory = std::size_t{768} << 20;

std::size_t frameMemory() {
    const long pages = ::sysconf(_SC_PHYS_PAGES), bytes = ::sysconf(_SC_PAGESIZE);
    const std::size_t quarter = pages > 0 && bytes > 0 ? std::size_t(pages) * std::size_t(bytes) / 4 : 0;
    return std::clamp(quarter, kLeastFrameMemory, kFrameMemory);
}

/// Frames are kept by the player alone. Of many clips each gets few threads: they are decoded side by side.
Result<std::unique_ptr<media::Clip>> openForPlaying(const std::filesystem::path& path) {
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    return media::openClip(path, {.threads = int(std::clamp(cores / 4, 1U, 4U)), .cacheBytes = 0});
}

/// RGB comes from frames that were kept, or from a clip without loss.
bool isExact(const media::FramePtr& frame) {
    return frame != nullptr && frame->color.matrix == media::ColorMatrix::Rgb;
}

/// Said of all tiles once one of them is exact.
QString exactness(const media::FramePtr& frame, bool someExact) {
    if (frame == nullptr || !someExact) return {};
    return isExact(frame) ? Playback::tr(" · lossless") : Playback::tr(" · encoded");
}

}  // namespace

Playback::Playback(Comparison* comparison, widgets::VideoGrid* grid, widgets::CoherenceChart* chart,
                   QObject* parent)
    : QObject(parent), m_comparison(comparison), m_grid(grid), m_chart(chart), m_player(openForPlaying) {
    m_player.setCacheBytes(frameMemory());
    m_player.setExactOpener(openKeptFrames);
    connect(&m_player, &widgets::Player::exactFailed, this, &Playback::framesNotKept);
    connect(m_comparison, &Comparison::clipAdded, this, &Playback::syncClip);
    connect(m_comparison, &Comparison::clipArrived, this, &Playback::syncClip);
    connect(m_comparison, &Comparison::clipRemoved, this, &Playback::syncClip);
    for (const auto shownOnTiles :
         {&Comparison::clipAdded, &Comparison::clipRemoved, &Comparison::clipArrived,
          &Comparison::statusChanged, &Comparison::factsChanged})
        connect(m_comparison, shownOnTiles, this, &Playback::showTiles);
    connect(m_comparison, &Comparison::orderChanged, this, &Playback::showTiles);
    connect(m_comparison, &Comparison::previewChanged, this, &Playback::showFrames);
    connect(m_grid, &widgets::VideoGrid::lookChanged, this, &Playback::applyLook);
    connect(m_grid, &widgets::VideoGrid::tileDragged, this, [this](int from, int to) {
        const auto& clips = m_comparison->clips();
        if (from >= 0 && from < int(clips.size())) m_comparison->move(clips[std::size_t(from)].id, to);
    });
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

std::optional<double> Playback::ownSeconds(int id) const {
    const auto found = m_playerClips.find(id);
    return found == m_playerClips.end() ? std::nullopt : m_player.ownSeconds(found->second);
}

std::vector<double> Playback::frameTimes(const ComparedClip& clip) const {
    const auto playing = m_playerClips.find(clip.id);
    std::vector<double> times;
    if (playing != m_playerClips.end()) times = m_player.frameTimes(playing->second);
    return times.empty() && clip.facts ? clip.facts->frameSeconds : times;
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

void Playback::applyLook() {
    const session::ViewState& look = m_grid->look();
    m_player.setSync(look.sync);
    for (std::size_t tile = 0; tile < m_comparison->clips().size(); ++tile) {
        const ComparedClip& clip = m_comparison->clips()[tile];
        const auto playing = m_playerClips.find(clip.id);
        if (playing == m_playerClips.end()) continue;
        session::ClipOffset offset = tile < look.offsets.size() ? look.offsets[tile] : session::ClipOffset{};
        offset.seconds += clip.offsetSeconds;
        m_player.setOffset(playing->second, offset);
    }
}

void Playback::showTiles() {
    std::vector<widgets::GridTile> tiles;
    const ComparedClip* reference = m_comparison->reference();
    for (const ComparedClip& clip : m_comparison->clips()) {
        widgets::GridTile tile;
        tile.id = clip.id;
        tile.isReference = reference != nullptr && reference->id == clip.id;
        tile.label = clip.label;
        tile.detail = detailOf(clip, reference);
        if (clip.facts) tile.origin = originOf(*clip.facts);
        tile.accent = QColor(clip.pictureColor.red, clip.pictureColor.green, clip.pictureColor.blue);
        tile.message = clip.status.message;
        tile.progress = clip.status.progress;
        tile.isError = clip.status.failed;
        tiles.push_back(std::move(tile));
    }
    m_grid->setTiles(std::move(tiles));
    applyLook();
    showFrames();
}

void Playback::showFrames() {
    const widgets::Composition& composition = m_player.composition();
    std::vector<widgets::TilePicture> pictures;
    const bool someExact = std::ranges::any_of(
        composition.tiles, [](const widgets::ComposedTile& tile) { return isExact(tile.frame); });
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
                if (tile->frameIndex >= 0)
                    picture.note = QString::number(tile->frameIndex + 1) + exactness(tile->frame, someExact);
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

SeenView Playback::seenView() const {
    SeenView view;
    view.scene = m_grid->scene();
    session::ViewState& look = view.scene.look;
    look.reference = view.scene.reference();
    look.other = view.scene.other();
    const widgets::PlaybackClock& clock = m_player.clock();
    if (clock.loop() == widgets::LoopMode::Range && !clock.timeline().empty()) {
        look.loop = session::LoopKind::Range;
        look.range = {clock.timeline().stop(clock.loopFirstStop()),
                      clock.timeline().stop(clock.loopLastStop())};
    } else {
        look.loop = session::LoopKind::Whole;
    }
    view.scene.selected = -1;
    view.scene.probe.reset();
    for (const ComparedClip& clip : m_comparison->clips()) {
        const auto playing = m_playerClips.find(clip.id);
        view.clips.push_back(playing == m_playerClips.end()
                                 ? SeenView::Clip{}
                                 : SeenView::Clip{clip.path, m_player.offset(playing->second)});
    }
    view.pixelRatio = m_grid->devicePixelRatioF();
    view.pixels = m_grid->size() * view.pixelRatio;
    return view;
}

std::vector<std::pair<QString, media::FramePtr>> Playback::picturesOnShow() const {
    std::vector<std::pair<QString, media::FramePtr>> pictures;
    const auto& tiles = m_grid->scene().tiles;
    for (std::size_t i = 0; i < tiles.size(); ++i) {
        if (tiles[i].picture.frame == nullptr) continue;
        QString label = tiles[i].what.label;
        for (QChar& letter : label)
            if (!letter.isLetterOrNumber() && letter != '-' && letter != '.') letter = '_';
        // Numbered, since two clips may have one label.
        pictures.emplace_back(QString("%1_%2_frame_%3.png")
                                  .arg(i + 1, 2, 10, QChar('0'))
                                  .arg(label)
                                  .arg(tiles[i].picture.frame->index + 1, 4, 10, QChar('0')),
                              tiles[i].picture.frame);
    }
    return pictures;
}

void Playback::setFrameNumbers(bool shown) {
    session::ViewState look = m_grid->look();
    look.frameNumbers = shown;
    m_grid->setLook(look);
}

}  // namespace reelgrid::studio
