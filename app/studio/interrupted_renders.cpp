#include "app/studio/interrupted_renders.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/studio/job_view.h"
#include "widgets/panels/job_panel.h"

namespace reelgrid::studio {

namespace fs = std::filesystem;

InterruptedRenders::InterruptedRenders(widgets::JobPanel* panel, std::function<bool(const fs::path&)> isOurs,
                                       QObject* parent)
    : QObject(parent), m_panel(panel), m_isOurs(std::move(isOurs)) {
    connect(panel, &widgets::JobPanel::resumeRequested, this,
            [this](const QString& id) { takeUp(id, jobs::Begin::AtKeptStep); });
    connect(panel, &widgets::JobPanel::retryRequested, this,
            [this](const QString& id) { takeUp(id, jobs::Begin::AtStart); });
    connect(panel, &widgets::JobPanel::discardRequested, this, [this](const QString& id) {
        const result::InterruptedRender* render = find(id);
        if (render == nullptr) return;
        discard(render->clip);
        remove(id);
    });
}

void InterruptedRenders::lookBelow(const fs::path& results) {
    look([results](const std::stop_token& stop) { return result::interruptedBelow(results, stop); });
}

void InterruptedRenders::lookIn(const fs::path& comparison) {
    look([comparison](const std::stop_token&) { return result::interruptedIn(comparison); });
}

void InterruptedRenders::look(
    std::function<std::vector<result::InterruptedRender>(const std::stop_token&)> find) {
    m_background.run(
        [this, find = std::move(find)](const std::stop_token& stop) -> BackgroundThread::Completion {
            return [this, found = find(stop)] { offer(found); };
        });
}

void InterruptedRenders::offer(const std::vector<result::InterruptedRender>& found) {
    for (const result::InterruptedRender& render : found) {
        const bool known =
            std::ranges::any_of(m_rows, [&](const auto& row) { return row.second.clip == render.clip; });
        if (known || m_isOurs(render.clip)) continue;
        const QString id = QString("interrupted-%1").arg(++m_last, 4, 10, QChar('0'));
        m_rows.emplace(id, render);
        m_panel->setJob(id, viewOf(render));
    }
}

void InterruptedRenders::takeUp(const QString& id, jobs::Begin begin) {
    const result::InterruptedRender* known = find(id);
    if (known == nullptr) return;
    const result::InterruptedRender render = *known;
    remove(id);
    Q_EMIT wanted(render, begin);
}

void InterruptedRenders::resumeAll() {
    std::vector<QString> ids;
    for (const auto& [id, render] : m_rows)
        if (render.left.stepsKept > 0) ids.push_back(id);
    for (const QString& id : ids) takeUp(id, jobs::Begin::AtKeptStep);
}

void InterruptedRenders::forget(const fs::path& clip) {
    const auto row = std::ranges::find_if(m_rows, [&](const auto& each) { return each.second.clip == clip; });
    if (row != m_rows.end()) remove(QString(row->first));
}

const result::InterruptedRender* InterruptedRenders::find(const QString& id) const {
    const auto row = m_rows.find(id);
    return row == m_rows.end() ? nullptr : &row->second;
}

QString InterruptedRenders::logOf(const QString& id) const {
    const result::InterruptedRender* render = find(id);
    if (render == nullptr) return {};
    return QString::fromStdString("interrupted, " + std::to_string(render->left.stepsKept) + " of " +
                                  std::to_string(render->left.steps) +
                                  " steps kept\nclip: " + render->clip.string() + "\n" +
                                  (render->obstacle.empty() ? "" : render->obstacle + "\n") + "\n" +
                                  protocol::toJson(render->left.request).dump(2));
}

void InterruptedRenders::discard(const fs::path& clip) {
    m_background.run([this, clip](const std::stop_token&) -> BackgroundThread::Completion {
        const auto discarded = result::discardInterrupted(clip);
        std::error_code notEmpty;
        if (discarded) fs::remove(clip.parent_path(), notEmpty);
        return [this, discarded] {
            if (!discarded) Q_EMIT failed(QString::fromStdString(discarded.error().message));
        };
    });
}

void InterruptedRenders::remove(const QString& id) {
    m_rows.erase(id);
    m_panel->remove(id);
}

}  // namespace reelgrid::studio
