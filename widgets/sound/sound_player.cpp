#include "widgets/sound/sound_player.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include "core/media/sound_reader.h"

namespace reelgrid::widgets {

namespace {

/// Samples that are decoded and written at once: short beside what an ear notices.
constexpr int kChunk = media::SoundReader::kRate / 50;

void scale(std::vector<std::int16_t>& samples, double volume) {
    if (volume >= 1) return;
    for (std::int16_t& sample : samples) sample = std::int16_t(std::lround(sample * volume));
}

}  // namespace

SoundPlayer::SoundPlayer(SoundSinkOpener opener, QObject* parent)
    : QObject(parent),
      m_opener(std::move(opener)),
      m_thread([this](const std::stop_token& stop) { run(stop); }) {}

SoundPlayer::~SoundPlayer() {
    m_thread.request_stop();
    m_thread.join();
}

double SoundPlayer::now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void SoundPlayer::follow(const HeardClip& heard) {
    const std::lock_guard lock(m_mutex);
    m_wanted.heard = heard;
    m_changed.notify_all();
}

void SoundPlayer::setMuted(bool muted) {
    const std::lock_guard lock(m_mutex);
    m_wanted.muted = muted;
    m_changed.notify_all();
}

void SoundPlayer::setVolume(double volume) {
    const std::lock_guard lock(m_mutex);
    m_wanted.volume = std::clamp(volume, 0.0, 1.0);
    m_changed.notify_all();
}

bool SoundPlayer::muted() const {
    const std::lock_guard lock(m_mutex);
    return m_wanted.muted;
}

double SoundPlayer::volume() const {
    const std::lock_guard lock(m_mutex);
    return m_wanted.volume;
}

void SoundPlayer::run(const std::stop_token& stop) {
    bool isHeard = false;
    while (!stop.stop_requested()) {
        Wanted wanted;
        {
            std::unique_lock lock(m_mutex);
            const auto hasWork = [&] { return m_wanted.isAudible() && !m_hasNoDevice; };
            if (!isHeard) m_changed.wait(lock, stop, hasWork);
            wanted = m_wanted;
        }
        isHeard = wanted.isAudible() && !m_hasNoDevice;
        if (isHeard && wanted.heard.clip != m_clip) openClip(wanted.heard.clip);
        if (isHeard && m_reader && openDevice()) {
            playChunk(wanted);
            continue;
        }
        if (m_sink) m_sink->drop();
        m_follower.reset();
        if (!isHeard) continue;
        // A clip without sound: nothing to do until something else is wanted.
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, stop, [&] { return !m_wanted.isAudible() || m_wanted.heard.clip != m_clip; });
    }
}

bool SoundPlayer::openDevice() {
    if (m_sink) return true;
    auto sink = m_opener();
    if (sink) {
        m_sink = *std::move(sink);
        return true;
    }
    m_hasNoDevice = true;
    Q_EMIT failed(tr("No sound: %1").arg(QString::fromStdString(sink.error().message)));
    return false;
}

void SoundPlayer::openClip(const std::filesystem::path& clip) {
    m_clip = clip;
    m_reader.reset();
    m_follower.reset();
    auto reader = media::SoundReader::open(clip);
    if (reader)
        m_reader = *std::move(reader);
    else
        Q_EMIT failed(tr("No sound: %1").arg(QString::fromStdString(reader.error().message)));
}

void SoundPlayer::playChunk(const Wanted& wanted) {
    const SoundFollower::Step step =
        m_follower.next(wanted.heard.place, now(), m_sink->latency(), m_deviceLatency);
    if (step.what == SoundFollower::Do::Jump) {
        m_sink->drop();
        m_reader->seek(step.seconds);
    }
    std::vector<std::int16_t> chunk(std::size_t(kChunk) * media::SoundReader::kChannels);
    m_reader->read(chunk);
    scale(chunk, wanted.volume);
    constexpr double kSeconds = double(kChunk) / media::SoundReader::kRate;
    m_follower.wrote(step, kSeconds);
    if (m_sink->write(chunk)) {
        // What isn't this chunk is the device's own: the next jump counts with it.
        if (step.what == SoundFollower::Do::Jump)
            m_deviceLatency = std::clamp(m_sink->latency() - kSeconds, 0.0, 1.0);
        return;
    }
    // Headphones that were pulled out: another device may be there the next time.
    m_sink.reset();
    m_follower.reset();
}

}  // namespace reelgrid::widgets
