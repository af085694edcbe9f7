#include "app/studio/shown_session.h"

#include <algorithm>
#include <array>
#include <utility>

#include "app/studio/comparison.h"
#include "app/studio/shown_view.h"
#include "core/comparison/clip_labels.h"
#include "core/metrics/measures.h"
#include "widgets/charts/coherence_chart.h"
#include "widgets/charts/timing_chart.h"
#include "widgets/video_grid/player.h"
#include "widgets/video_grid/video_grid.h"

namespace reelgrid::studio {

namespace {

using session::SessionClip;
using widgets::TimingChart;

constexpr std::array kTimes{
    std::pair(TimingChart::View::Stages, "stages"), std::pair(TimingChart::View::Steps, "steps"),
    std::pair(TimingChart::View::SpeedUp, "speed_up"), std::pair(TimingChart::View::Memory, "memory"),
    std::pair(TimingChart::View::Backends, "backends")};

/// As `stitch` labels it, unless a person has given it another name.
std::string exportedLabel(const ComparedClip& clip) {
    const std::string label = clip.label.toStdString();
    if (clip.label != clip.backend || !clip.facts || !clip.facts->origin) return label;
    const std::string origin = clip.facts->origin->text();
    return label + (origin.empty() ? "" : " · " + origin);
}

/// Another file, or another content; a further name of it changes neither.
bool wasReplaced(const ComparedClip& clip) {
    if (!clip.facts || !clip.facts->stamp) return false;
    const result::FileStamp& then = *clip.facts->stamp;
    const auto now = result::stampOf(clip.path);
    return now && (now->inode != then.inode || now->bytes != then.bytes || now->modified != then.modified);
}

}  // namespace

void ShownSession::addClip(const SessionClip& each) {
    ComparedClip clip;
    clip.backend = QString::fromStdString(each.attentionType);
    clip.label = QString::fromStdString(each.label);
    clip.path = each.path;
    clip.onDisk = true;
    clip.offsetSeconds = each.offsetSeconds;
    m_stage.comparison->add(std::move(clip));
}

void ShownSession::showRest(const session::Session& session) {
    // A session of a program that knows no view leaves what it doesn't say to the person's habits.
    session::ViewState view = session.view.value_or(viewOf(*m_stage.player, *m_stage.grid));
    if (!session.view) {
        view.solo = -1;
        view.columns = session.columns;
        view.loop = session.loop ? session::LoopKind::Range : session::LoopKind::Whole;
        view.range = session.loop;
    }
    showView(view, *m_stage.player, *m_stage.grid);
    for (const metrics::Measure& measure : metrics::kMeasures)
        if (session.charts.measure == measure.key) m_stage.coherence->setMeasure(measure);
    for (const auto& [times, name] : kTimes)
        if (session.charts.times == name) m_stage.timing->setView(times);
    m_blindVotes = session.blindVotes;
}

QStringList ShownSession::notShown(const session::Session& session) {
    QStringList parts;
    const int count = int(session.clips.size());
    const session::ViewState view = session.view.value_or(session::ViewState());
    for (const auto& [key, tile] : {std::pair("solo", view.solo), std::pair("reference", view.reference)})
        if (tile >= count && count > 0)
            parts += QString("view.%1 %2 of %3 clips").arg(key).arg(tile).arg(count);
    const auto isKey = [&](const metrics::Measure& measure) { return session.charts.measure == measure.key; };
    if (!session.charts.measure.empty() && std::ranges::none_of(metrics::kMeasures, isKey))
        parts += QString("charts.measure “%1”").arg(QString::fromStdString(session.charts.measure));
    const auto isTimes = [&](const auto& times) { return session.charts.times == times.second; };
    if (!session.charts.times.empty() && std::ranges::none_of(kTimes, isTimes))
        parts += QString("charts.times “%1”").arg(QString::fromStdString(session.charts.times));
    return parts;
}

void ShownSession::show(const session::Session& session) {
    m_stage.comparison->clear();
    for (const SessionClip& each : session.clips) addClip(each);
    showRest(session);
    play(session.playheadSeconds);
}

void ShownSession::play(double fromSeconds) {
    widgets::Player* player = m_stage.player;
    player->seek(fromSeconds);
    player->play();
    if (!player->clock().timeline().empty()) return;
    // There is no such time before a clip is open.
    auto* once = new QObject(player);
    QObject::connect(player, &widgets::Player::timelineChanged, once, [player, once, fromSeconds] {
        if (player->clock().timeline().empty()) return;
        player->seek(fromSeconds);
        delete once;
    });
}

bool ShownSession::hasFailed(const std::string& backend) const {
    return std::ranges::any_of(m_stage.comparison->clips(), [&](const ComparedClip& clip) {
        return clip.status.failed && clip.backend.toStdString() == backend;
    });
}

void ShownSession::change(const session::Session& session) {
    Comparison& comparison = *m_stage.comparison;
    const auto isOf = [](const ComparedClip& shown, const SessionClip& clip) {
        return shown.onDisk && shown.path == clip.path && shown.offsetSeconds == clip.offsetSeconds;
    };
    // The same file may be there more than once: each tile stands for one of them.
    std::vector<SessionClip> missing = session.clips;
    std::vector<int> superfluous;
    for (const ComparedClip& shown : comparison.clips()) {
        const auto same = std::ranges::find_if(missing, [&](const auto& clip) { return isOf(shown, clip); });
        if (same != missing.end())
            missing.erase(same);
        else if (shown.onDisk)
            superfluous.push_back(shown.id);
    }
    for (const int id : superfluous) comparison.remove(id);
    for (const SessionClip& clip : missing) addClip(clip);
    for (std::size_t place = 0; place < session.clips.size(); ++place) {
        const auto& clips = comparison.clips();
        const auto same =
            std::find_if(clips.begin() + std::ptrdiff_t(place), clips.end(),
                         [&](const ComparedClip& shown) { return isOf(shown, session.clips[place]); });
        if (same == clips.end()) continue;
        const int id = same->id;
        const QString label = QString::fromStdString(session.clips[place].label);
        if (same->label != label) comparison.setLabel(id, label);
        comparison.move(id, int(place));
    }
    showRest(session);
}

std::vector<std::filesystem::path> ShownSession::reopenReplaced() {
    Comparison& comparison = *m_stage.comparison;
    std::vector<std::filesystem::path> replaced;
    for (std::size_t place = 0; place < comparison.clips().size(); ++place) {
        const ComparedClip clip = comparison.clips()[place];
        if (!clip.onDisk || !wasReplaced(clip)) continue;
        replaced.push_back(clip.path);
        // A label that the old manifest made is no person's.
        const bool isOwn = clip.label != QString::fromStdString(clip.caption().text());
        comparison.remove(clip.id);
        addClip({clip.path, (isOwn ? clip.label : clip.backend).toStdString(), clip.backend.toStdString(),
                 clip.offsetSeconds});
        comparison.move(comparison.clips().back().id, int(place));
    }
    return replaced;
}

void ShownSession::add(const std::filesystem::path& path) {
    const bool first = m_stage.comparison->clips().empty();
    addClip({path, comparison::labelOf(path), "", 0});
    if (first) m_stage.player->play();
}

void ShownSession::clear() {
    m_stage.comparison->clear();
    m_stage.grid->setColumns(0);
    m_blindVotes.clear();
}

session::Session ShownSession::current(const protocol::RenderRequest& request) const {
    session::Session session;
    for (const ComparedClip& clip : m_stage.comparison->clips())
        if (clip.onDisk)
            session.clips.push_back(
                {clip.path, clip.label.toStdString(), clip.backend.toStdString(), clip.offsetSeconds});
    session.view = viewOf(*m_stage.player, *m_stage.grid);
    // Once more for programs that know no view.
    session.columns = session.view->columns;
    session.loop = session.view->range;
    session.playheadSeconds = m_stage.player->clock().position();
    session.charts.measure = m_stage.coherence->measure().key;
    for (const auto& [times, name] : kTimes)
        if (m_stage.timing->view() == times) session.charts.times = name;
    session.blindVotes = m_blindVotes;
    session.request = request;
    return session;
}

std::vector<media::LabelledClip> ShownSession::clipsToExport() const {
    std::vector<media::LabelledClip> clips;
    const auto& shifts = m_stage.grid->look().offsets;
    std::size_t tile = 0;
    for (const ComparedClip& clip : m_stage.comparison->clips()) {
        const session::ClipOffset shift = tile < shifts.size() ? shifts[tile] : session::ClipOffset{};
        ++tile;
        if (clip.onDisk && !clip.status.failed)
            clips.push_back(
                {clip.path, exportedLabel(clip), clip.offsetSeconds + shift.seconds, shift.frames});
    }
    return clips;
}

media::StitchOptions ShownSession::exportOptions() const {
    const widgets::VideoGrid& grid = *m_stage.grid;
    media::StitchOptions options;
    options.columns = grid.scene().columns(grid.size() * grid.devicePixelRatioF(), grid.devicePixelRatioF());
    if (grid.look().sync == session::SyncBy::FrameIndex) options.sync = media::ClipSync::ByIndex;
    // The sound of the tile that is selected, or alone.
    const int active = grid.selected() >= 0 ? grid.selected() : grid.solo();
    const auto& shown = m_stage.comparison->clips();
    int exported = 0;
    for (int tile = 0; tile < int(shown.size()) && tile <= active; ++tile) {
        const ComparedClip& clip = shown[std::size_t(tile)];
        if (!clip.onDisk || clip.status.failed) continue;
        if (tile == active) options.soundOf = exported;
        ++exported;
    }
    return options;
}

std::map<std::filesystem::path, metrics::ClipMetrics> ShownSession::requestedMeasures() const {
    std::map<std::filesystem::path, metrics::ClipMetrics> measured;
    for (const ComparedClip& clip : m_stage.comparison->clips())
        if (clip.facts && !clip.facts->result.metrics.measuredWith.empty())
            measured[clip.path] = clip.facts->result.metrics;
    return measured;
}

}  // namespace reelgrid::studio
