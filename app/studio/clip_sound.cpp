#include "app/studio/clip_sound.h"

#include <utility>

#include "app/studio/actions.h"
#include "app/studio/playback.h"
#include "widgets/video_grid/video_grid.h"

namespace reelgrid::studio {

namespace {
constexpr int kVolumeStep = 10;
constexpr const char* kMute = "mute";
}  // namespace

ClipSound::ClipSound(Comparison* comparison, Playback* playback, widgets::VideoGrid* grid,
                     widgets::SoundSinkOpener opener, QObject* parent)
    : QObject(parent),
      m_comparison(comparison),
      m_playback(playback),
      m_grid(grid),
      m_player(std::move(opener)) {
    connect(&m_player, &widgets::SoundPlayer::failed, this, &ClipSound::failed);
    connect(m_playback->player(), &widgets::Player::composed, this, &ClipSound::follow);
    connect(m_playback->player(), &widgets::Player::stateChanged, this, &ClipSound::follow);
    connect(m_grid, &widgets::VideoGrid::selectionChanged, this, &ClipSound::follow);
    connect(m_grid, &widgets::VideoGrid::lookChanged, this, &ClipSound::follow);
    m_player.setVolume(m_settings.volume() / 100.0);
    m_player.setMuted(m_settings.isOn(kMute, false));
}

const ComparedClip* ClipSound::active() const {
    const auto& clips = m_comparison->clips();
    const int chosen = m_grid->selected() >= 0 ? m_grid->selected() : m_grid->solo();
    const std::size_t tile = chosen >= 0 ? std::size_t(chosen) : 0;
    return tile < clips.size() && clips[tile].onDisk ? &clips[tile] : nullptr;
}

widgets::HeardClip ClipSound::heard() const {
    const ComparedClip* clip = active();
    if (clip == nullptr) return {};
    const auto seconds = m_playback->ownSeconds(clip->id);
    if (!seconds) return {};
    const widgets::PlaybackClock& clock = m_playback->player()->clock();
    const bool moves = clock.playing() && !clock.held() && clock.speed() == 1;
    return {clip->path, {*seconds, widgets::SoundPlayer::now(), moves}};
}

void ClipSound::follow() {
    m_player.follow(heard());
}

void ClipSound::changeVolume(int percent) {
    m_settings.setVolume(m_settings.volume() + percent);
    m_player.setVolume(m_settings.volume() / 100.0);
}

void ClipSound::connectTo(Actions& actions) {
    actions[kMute]->setChecked(m_player.muted());
    actions.onToggled(kMute, [this](bool on) {
        m_settings.setOn(kMute, on);
        m_player.setMuted(on);
    });
    actions.onTriggered("louder", [this] { changeVolume(kVolumeStep); });
    actions.onTriggered("quieter", [this] { changeVolume(-kVolumeStep); });
}

}  // namespace reelgrid::studio
