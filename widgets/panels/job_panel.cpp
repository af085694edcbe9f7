#include "widgets/panels/job_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include "widgets/panels/job_row.h"

namespace reelgrid::widgets {

JobPanel::JobPanel(QWidget* parent)
    : QWidget(parent), m_empty(new QLabel(tr("No renders yet."))), m_pause(new QPushButton) {
    setObjectName("panel");
    setAttribute(Qt::WA_StyledBackground);
    auto* title = new QLabel(tr("JOBS"));
    title->setObjectName("heading");
    m_empty->setObjectName("quiet");
    auto* content = new QWidget;
    m_layout = new QVBoxLayout(content);
    m_layout->setContentsMargins(0, 0, 6, 0);
    m_layout->setSpacing(2);
    m_layout->addWidget(m_empty);
    m_layout->addStretch();
    auto* scroll = new QScrollArea;
    scroll->setFocusPolicy(Qt::NoFocus);  // the arrow keys are for playing
    scroll->setWidget(content);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(14, 10, 8, 10);
    layout->setSpacing(6);
    m_pause->setObjectName("segment");
    m_pause->setCheckable(true);
    m_pause->setToolTip(tr("The render that runs goes on; no other starts until the queue is resumed"));
    connect(m_pause, &QPushButton::clicked, this, &JobPanel::pauseRequested);
    setPaused(false);
    auto* head = new QHBoxLayout;
    head->addWidget(title);
    head->addStretch();
    head->addWidget(m_pause);
    layout->addLayout(head);
    layout->addWidget(scroll, 1);
}

void JobPanel::setJob(const QString& id, const JobView& job) {
    JobRow*& row = m_rows[id];
    if (row == nullptr) {
        row = new JobRow;
        m_layout->insertWidget(m_layout->count() - 1, row);
        connect(row, &JobRow::cancelClicked, this, [this, id] { Q_EMIT cancelRequested(id); });
        connect(row, &JobRow::resumeClicked, this, [this, id] { Q_EMIT resumeRequested(id); });
        connect(row, &JobRow::retryClicked, this, [this, id] { Q_EMIT retryRequested(id); });
        connect(row, &JobRow::discardClicked, this, [this, id] { Q_EMIT discardRequested(id); });
        connect(row, &JobRow::moveClicked, this,
                [this, id](int places) { Q_EMIT moveRequested(id, places); });
        connect(row, &JobRow::clicked, this, [this, id] { Q_EMIT showRequested(id); });
        connect(row, &JobRow::logClicked, this, [this, id] { Q_EMIT logRequested(id); });
    }
    row->show(job);
    showCount();
}

void JobPanel::remove(const QString& id) {
    const auto row = m_rows.find(id);
    if (row == m_rows.end()) return;
    row->second->deleteLater();
    m_rows.erase(row);
    showCount();
}

void JobPanel::removeFinished() {
    std::erase_if(m_rows, [](const auto& entry) {
        const JobView& job = entry.second->job();
        if (!isFinished(job.state) || job.leftover) return false;
        entry.second->deleteLater();
        return true;
    });
    showCount();
}

void JobPanel::setWaitingOrder(const QStringList& ids) {
    for (const QString& id : ids) {
        const auto row = m_rows.find(id);
        if (row == m_rows.end()) continue;
        m_layout->removeWidget(row->second);
        m_layout->insertWidget(m_layout->count() - 1, row->second);
    }
}

void JobPanel::setPaused(bool paused) {
    m_pause->setChecked(paused);
    m_pause->setText(paused ? tr("Resume queue") : tr("Pause queue"));
}

QStringList JobPanel::jobIds() const {
    QStringList ids;
    for (const auto& [id, row] : m_rows) ids.append(id);
    return ids;
}

JobView JobPanel::job(const QString& id) const {
    const auto found = m_rows.find(id);
    return found == m_rows.end() ? JobView{} : found->second->job();
}

void JobPanel::showCount() {
    m_empty->setVisible(m_rows.empty());
}

}  // namespace reelgrid::widgets
