#include "widgets/video_grid/player.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace reelgrid::widgets {

namespace {
// Enough for a few seconds of nine 832×480 clips; the window as a whole stays below 300 MB.
constexpr std::size_t kDefaultCacheBytes = std::size_t{96} << 20;
}  // namespace

Player::Player(FrameSource::Opener opener, QObject* parent)
    : QObject(parent),
      m_opener(std::move(opener)),
      m_clock([this] { return double(m_time.nsecsElapsed()) * 1e-9; }),
      m_cacheBytes(kDefaultCacheBytes) {
    m_time.start();
    m_timer.setSingleShot(true);
    m_timer.setTimerType(Qt::PreciseTimer);
    connect(&m_timer, &QTimer::timeout, this, &Player::update);
}

Player::~Player() = default;

std::unique_ptr<FrameSource> Player::makeSource(int id, const std::filesystem::path& path) {
    auto source = std::make_unique<FrameSource>(path, m_cacheBytes, m_opener, m_exact);
    connect(source.get(), &FrameSource::opened, this, [this] {
        rebuildTimeline();
        update();
    });
    connect(source.get(), &FrameSource::failed, this, [this, id](const QString& message) {
        Q_EMIT clipFailed(id, message);
        update();
    });
    connect(source.get(), &FrameSource::pictureReady, this, [this] {
        // Once for all pictures that have come in: of hundreds of clips, all but the last leave one missing.
        if (m_waiting) m_timer.start(0);
    });
    connect(source.get(), &FrameSource::exactFailed, this, &Player::exactFailed);
    connect(source.get(), &FrameSource::pictureImproved, this, [this, id](int index) {
        const auto shown = std::ranges::find(m_composition.tiles, id, &ComposedTile::clip);
        if (shown != m_composition.tiles.end() && shown->frameIndex == index) m_timer.start(0);
    });
    return source;
}

int Player::addClip(const std::filesystem::path& path, double offsetSeconds) {
    const int id = m_nextId++;
    m_clips.push_back({id, {offsetSeconds, 0}, makeSource(id, path)});
    shareCache();
    update();
    return id;
}

void Player::removeClip(int clip) {
    std::erase_if(m_clips, [clip](const Entry& entry) { return entry.id == clip; });
    shareCache();
    rebuildTimeline();
    update();
}

void Player::clear() {
    m_clips.clear();
    m_clock.pause();
    m_clock.seek(0);
    rebuildTimeline();
    update();
    Q_EMIT stateChanged();
}

const Player::Entry* Player::find(int clip) const {
    const auto found = std::ranges::find(m_clips, clip, &Entry::id);
    return found == m_clips.end() ? nullptr : &*found;
}

const media::ClipInfo* Player::info(int clip) const {
    const Entry* entry = find(clip);
    return entry == nullptr ? nullptr : entry->source->info();
}

std::vector<double> Player::frameTimes(int clip) const {
    const Entry* entry = find(clip);
    if (entry == nullptr || entry->source->info() == nullptr) return {};
    const TimedClip clipInTime = timed(*entry);
    std::vector<double> times;
    for (int frame = 0; frame < clipInTime.info->frameCount(); ++frame)
        times.push_back(clipInTime.dueAt(frame));
    return times;
}

std::optional<double> Player::ownSeconds(int clip) const {
    const Entry* entry = find(clip);
    if (entry == nullptr || entry->source->info() == nullptr) return std::nullopt;
    const TimedClip own = timed(*entry);
    const double seconds = m_composition.seconds;
    const int frame = own.frameAt(seconds);
    // Before its first frame and behind its last one a clip stands still.
    if (seconds < own.dueAt(0) || seconds >= own.dueAt(own.info->frameCount())) return std::nullopt;
    return own.info->frameSeconds[std::size_t(frame)] + (seconds - own.dueAt(frame));
}

void Player::setCacheBytes(std::size_t total) {
    m_cacheBytes = total;
    shareCache();
}

std::size_t Player::cachedBytes() const {
    std::size_t bytes = 0;
    for (const Entry& entry : m_clips) bytes += entry.source->cachedBytes();
    return bytes;
}

void Player::setOffset(int clip, const session::ClipOffset& offset) {
    const auto entry = std::ranges::find(m_clips, clip, &Entry::id);
    if (entry == m_clips.end() || entry->offset == offset) return;
    entry->offset = offset;
    rebuildTimeline();
    update();
}

session::ClipOffset Player::offset(int clip) const {
    const Entry* entry = find(clip);
    return entry == nullptr ? session::ClipOffset{} : entry->offset;
}

void Player::setSync(session::SyncBy sync) {
    if (sync == m_sync) return;
    m_sync = sync;
    rebuildTimeline();
    update();
    Q_EMIT stateChanged();
}

/// By index the frames of the first clip keep their times.
double Player::indexRate() const {
    if (m_sync == session::SyncBy::Time) return 0;
    for (const Entry& entry : m_clips)
        if (entry.source->info() != nullptr) return entry.source->info()->fps.value();
    return 0;
}

TimedClip Player::timed(const Entry& entry) const {
    return {entry.source->info(), entry.offset.seconds, entry.offset.frames, indexRate()};
}

void Player::shareCache() {
    for (Entry& entry : m_clips) entry.source->setCacheBytes(m_cacheBytes / m_clips.size());
}

void Player::rebuildTimeline() {
    std::vector<TimedClip> clips;
    for (const Entry& entry : m_clips)
        if (entry.source->info() != nullptr) clips.push_back(timed(entry));
    m_clock.setTimeline(Timeline(clips));
    m_lastStop = -1;  // stops have other numbers now
    Q_EMIT timelineChanged();
}

/// While a picture is missing, or a clip is being opened, reading ahead would only keep it back.
int Player::readNow() const {
    constexpr int kWhileOpening = 8;
    if (m_waiting) return 1;
    const bool opening = std::ranges::any_of(m_clips, [](const Entry& entry) {
        return entry.source->info() == nullptr && entry.source->error().isEmpty();
    });
    return opening ? kWhileOpening : std::numeric_limits<int>::max();
}

void Player::requestFrames() {
    const double now = m_clock.position();
    const Timeline& timeline = m_clock.timeline();
    if (timeline.empty()) return;
    const double first = timeline.stop(m_clock.loopFirstStop());
    const double last = timeline.stop(m_clock.loopLastStop());
    for (const Entry& entry : m_clips) {
        if (entry.source->info() == nullptr) continue;
        const TimedClip clip = timed(entry);
        entry.source->request(
            {clip.frameAt(now), m_direction, clip.frameAt(first), clip.frameAt(last), readNow()});
    }
}

bool Player::compose(double seconds, Composition& into) const {
    into.seconds = seconds;
    into.tiles.clear();
    for (const Entry& entry : m_clips) {
        ComposedTile tile{entry.id, -1, nullptr, {}};
        if (entry.source->info() != nullptr) {
            tile.frameIndex = timed(entry).frameAt(seconds);
            const auto picture = entry.source->picture(tile.frameIndex);
            if (!picture) return false;
            tile.frame = picture->frame;
            tile.message = picture->error;
        } else {
            tile.message = entry.source->error().isEmpty() ? tr("Opening…") : entry.source->error();
        }
        into.tiles.push_back(std::move(tile));
    }
    return true;
}

void Player::update() {
    if (m_clock.ended()) {
        m_clock.pause();
        Q_EMIT stateChanged();
    }
    Composition next;
    const bool wasWaiting = m_waiting;
    m_waiting = !compose(m_clock.position(), next);
    if (m_waiting) {
        if (m_clock.playing() && !m_clock.held()) ++m_lateTicks;
        m_clock.hold();
        requestFrames();
    } else {
        m_clock.release();
        requestFrames();
        countSkipped(m_clock.timeline().stopAt(next.seconds));
        m_composition = std::move(next);
        Q_EMIT composed(m_composition);
    }
    if (wasWaiting != m_waiting) Q_EMIT stateChanged();
    armTimer();
}

void Player::countSkipped(int stop) {
    if (m_clock.playing() && m_lastStop >= 0 && stop > m_lastStop + 1)
        m_skippedStops += stop - m_lastStop - 1;
    m_lastStop = m_clock.playing() ? stop : -1;
}

void Player::armTimer() {
    const auto wait = m_clock.secondsToNextStop();
    if (!wait) {
        m_timer.stop();
        return;
    }
    // A picture that stands for weeks; whoever ticks before the stop comes again.
    constexpr double kLongestWait = 3600;
    // Rounded up: a tick just before the stop would find the old frame and have to come again.
    m_timer.start(std::max(1, int(std::ceil(std::min(*wait, kLongestWait) * 1000))));
}

void Player::play() {
    m_direction = PlayDirection::Forward;
    m_clock.play();
    update();
    Q_EMIT stateChanged();
}

void Player::pause() {
    m_clock.pause();
    update();
    Q_EMIT stateChanged();
}

void Player::togglePlay() {
    m_clock.playing() ? pause() : play();
}

void Player::seek(double seconds) {
    m_lateTicks = 0;
    m_skippedStops = 0;
    m_lastStop = -1;
    m_direction = PlayDirection::Forward;
    m_clock.seek(seconds);
    update();
}

void Player::seekToStop(int stop) {
    const Timeline& timeline = m_clock.timeline();
    if (!timeline.empty()) seek(timeline.stop(std::clamp(stop, 0, timeline.stopCount() - 1)));
}

void Player::step(int stops) {
    const bool wasPlaying = m_clock.playing();
    m_direction = stops < 0 ? PlayDirection::Backward : PlayDirection::Forward;
    m_clock.step(stops);
    update();
    if (wasPlaying) Q_EMIT stateChanged();
}

void Player::setSpeed(double factor) {
    m_clock.setSpeed(factor);
    update();
    Q_EMIT stateChanged();
}

void Player::setLoop(LoopMode mode) {
    m_clock.setLoop(mode);
    update();
    Q_EMIT stateChanged();
}

void Player::setRange(double a, double b) {
    m_clock.setRange(a, b);
    m_lastStop = -1;
    update();
    Q_EMIT stateChanged();
}

}  // namespace reelgrid::widgets
