#include "widgets/panels/job_row.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QProgressBar>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <cmath>

#include "widgets/theme/icons.h"

namespace reelgrid::widgets {

using jobs::JobState;

namespace {

constexpr int kProgressUnits = 1000;

QToolButton* rowButton(Glyph glyph, const QString& name) {
    auto* button = new QToolButton;
    button->setObjectName("flat");
    button->setIcon(icon(glyph, theme::kQuiet));
    button->setIconSize({16, 16});
    button->setToolTip(name);
    button->setAccessibleName(name);
    return button;
}

QToolButton* textButton(const QString& text, const QString& name) {
    auto* button = new QToolButton;
    button->setObjectName("flat");
    button->setText(text);
    button->setToolTip(name);
    button->setAccessibleName(name);
    return button;
}

QPushButton* choiceButton(const QString& text, const QString& does) {
    auto* button = new QPushButton(text);
    button->setObjectName("small");
    button->setToolTip(does);
    return button;
}

}  // namespace

QString durationText(double seconds) {
    const int whole = int(std::ceil(seconds));
    if (whole < 3600) return QString("%1:%2").arg(whole / 60).arg(whole % 60, 2, 10, QChar('0'));
    return QString("%1:%2:%3")
        .arg(whole / 3600)
        .arg(whole / 60 % 60, 2, 10, QChar('0'))
        .arg(whole % 60, 2, 10, QChar('0'));
}

JobRow::JobRow(QWidget* parent)
    : QWidget(parent),
      m_swatch(new QLabel),
      m_title(new QLabel),
      m_status(new QLabel),
      m_progress(new QProgressBar),
      m_earlier(textButton("↑", tr("Render earlier"))),
      m_later(textButton("↓", tr("Render later"))),
      m_cancel(rowButton(Glyph::Cancel, tr("Cancel"))),
      m_retry(rowButton(Glyph::Retry, tr("Render again"))),
      m_log(rowButton(Glyph::Log, tr("Show log"))),
      m_choice(new QWidget),
      m_resume(choiceButton(tr("Resume"), tr("Go on from the last step that was kept"))),
      m_anew(choiceButton(tr("From the start"), tr("Render again; the kept steps are replaced"))),
      m_discard(choiceButton(tr("Discard"), tr("Delete the kept steps"))) {
    m_swatch->setFixedSize(10, 10);
    m_title->setTextFormat(Qt::PlainText);
    m_status->setObjectName("quiet");
    m_status->setTextFormat(Qt::PlainText);
    m_status->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_status->installEventFilter(this);
    m_progress->setRange(0, kProgressUnits);
    m_progress->setTextVisible(false);

    auto* head = new QHBoxLayout;
    head->setSpacing(7);
    head->addWidget(m_swatch);
    head->addWidget(m_title);
    head->addWidget(m_status, 1);
    for (QToolButton* button : {m_earlier, m_later, m_log, m_retry, m_cancel}) head->addWidget(button);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 3, 0, 3);
    layout->setSpacing(3);
    layout->addLayout(head);
    layout->addWidget(m_progress);
    auto* choices = new QHBoxLayout(m_choice);
    choices->setContentsMargins(17, 0, 0, 2);
    for (QPushButton* button : {m_resume, m_anew, m_discard}) choices->addWidget(button);
    choices->addStretch();
    layout->addWidget(m_choice);

    connect(m_earlier, &QToolButton::clicked, this, [this] { Q_EMIT moveClicked(-1); });
    connect(m_later, &QToolButton::clicked, this, [this] { Q_EMIT moveClicked(1); });
    connect(m_cancel, &QToolButton::clicked, this, &JobRow::cancelClicked);
    connect(m_retry, &QToolButton::clicked, this, &JobRow::retryClicked);
    connect(m_resume, &QPushButton::clicked, this, &JobRow::resumeClicked);
    connect(m_anew, &QPushButton::clicked, this, &JobRow::retryClicked);
    connect(m_discard, &QPushButton::clicked, this, &JobRow::discardClicked);
    connect(m_log, &QToolButton::clicked, this, &JobRow::logClicked);
}

void JobRow::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) Q_EMIT clicked();
    QWidget::mousePressEvent(event);
}

bool JobRow::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_status && event->type() == QEvent::Resize) showStatus();
    return QWidget::eventFilter(watched, event);
}

void JobRow::showStatus() {
    m_status->setText(m_status->fontMetrics().elidedText(m_words, Qt::ElideRight, m_status->width()));
}

void JobRow::show(const JobView& job) {
    m_job = job;
    m_swatch->setStyleSheet(QString("background:%1;border-radius:3px").arg(job.color.name()));
    // A long one, such as a measurement's with its prompt, leaves room for status and buttons.
    constexpr int kMostTitle = 150;
    m_title->setText(m_title->fontMetrics().elidedText(job.title, Qt::ElideRight, theme::scaled(kMostTitle)));
    m_title->setToolTip(job.title);
    QString status = job.status;
    if (job.state == JobState::Running && job.etaSeconds >= 0)
        status += tr(" · %1 left").arg(durationText(job.etaSeconds));
    if (!job.subject.isEmpty()) status += " · " + job.subject;
    m_words = status;
    m_status->setToolTip(status);
    showStatus();
    m_status->setObjectName(job.state == JobState::Failed ? "problem" : "quiet");
    m_status->setStyleSheet(job.state == JobState::Failed ? "color:" + theme::kWrong.name() : QString());
    m_progress->setValue(int(std::lround(job.progress * kProgressUnits)));
    m_progress->setVisible(job.state == JobState::Running);
    m_cancel->setVisible(!isFinished(job.state));
    const bool endedEarly = job.state == JobState::Failed || job.state == JobState::Cancelled;
    m_retry->setVisible(job.repeatable && endedEarly && !job.leftover);
    m_choice->setVisible(job.leftover);
    m_resume->setVisible(job.resumable);
    for (QToolButton* move : {m_earlier, m_later}) move->setVisible(job.state == JobState::Queued);
    m_log->setVisible(job.state != JobState::Queued);
}

}  // namespace reelgrid::widgets
