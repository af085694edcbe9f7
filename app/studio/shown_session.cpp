#include "app/studio/shown_session.h"

#include "app/studio/comparison.h"
#include "widgets/video_grid/player.h"
#include "widgets/video_grid/video_grid.h"

namespace reelgrid::studio {

void ShownSession::show(const session::Session& session) {
    m_comparison->clear();
    m_columns = session.columns;
    m_grid->setColumns(m_columns);
    for (const session::SessionClip& each : session.clips) {
        ComparedClip clip;
        clip.backend = QString::fromStdString(each.attentionType);
        clip.label = QString::fromStdString(each.label);
        clip.path = each.path;
        clip.onDisk = true;
        clip.offsetSeconds = each.offsetSeconds;
        m_comparison->add(std::move(clip));
    }
    if (session.loop)
        m_player->setRange(session.loop->inSeconds, session.loop->outSeconds);
    else
        m_player->setLoop(widgets::LoopMode::Whole);
    m_player->seek(session.playheadSeconds);
    m_player->play();
}

void ShownSession::add(const std::filesystem::path& path) {
    ComparedClip clip;
    clip.label = QString::fromStdString(media::labelOf(path));
    clip.path = path;
    clip.onDisk = true;
    const bool first = m_comparison->clips().empty();
    m_comparison->add(std::move(clip));
    if (first) m_player->play();
}

void ShownSession::clear() {
    m_comparison->clear();
    m_columns = 0;
    m_grid->setColumns(m_columns);
}

session::Session ShownSession::current(const protocol::RenderRequest& request) const {
    session::Session session;
    session.columns = m_columns;
    for (const ComparedClip& clip : m_comparison->clips())
        if (clip.onDisk)
            session.clips.push_back(
                {clip.path, clip.label.toStdString(), clip.backend.toStdString(), clip.offsetSeconds});
    const widgets::PlaybackClock& clock = m_player->clock();
    session.playheadSeconds = clock.position();
    if (clock.loop() == widgets::LoopMode::Range)
        session.loop = {clock.timeline().stop(clock.loopFirstStop()),
                        clock.timeline().stop(clock.loopLastStop())};
    session.request = request;
    return session;
}

std::vector<media::LabelledClip> ShownSession::clipsToExport() const {
    std::vector<media::LabelledClip> clips;
    for (const ComparedClip& clip : m_comparison->clips())
        if (clip.onDisk && !clip.status.failed)
            clips.push_back({clip.path, clip.label.toStdString(), clip.offsetSeconds});
    return clips;
}

}  // namespace reelgrid::studio
