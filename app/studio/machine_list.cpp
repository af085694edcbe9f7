#include "app/studio/machine_list.h"

#include <QFile>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "core/base/pending_file.h"
#include "widgets/theme/qt_text.h"

namespace reelgrid::studio {

using widgets::text;

MachineList::MachineList(const QString& hosts, machine::Machine here, QWidget* parent)
    : QWidget(parent),
      m_here(std::move(here)),
      m_hosts(new QPlainTextEdit(hosts)),
      m_answers(new QLabel),
      m_use(new QPushButton(tr("Use these machines"))) {
    auto* about = new QLabel(tr(
        "One machine a line: here, ssh://user@host (OpenSSH with your keys and your config; nothing listens) "
        "or slurm:partition?gpus=1. Each needs ReelGrid of this version and the models. Pictures, LoRAs and "
        "plug-ins are sent; clips come back."));
    about->setWordWrap(true);
    m_hosts->setAccessibleName(tr("Machines"));
    m_hosts->setPlaceholderText("here\nssh://gpu03?program=/opt/reelgrid/bin/reelgrid-cli");
    m_answers->setWordWrap(true);
    m_answers->setTextFormat(Qt::PlainText);
    m_answers->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* open = new QPushButton(tr("Open a file…"));
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(open);
    buttons->addStretch(1);
    buttons->addWidget(m_use);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(about);
    layout->addWidget(m_hosts, 1);
    layout->addWidget(m_answers);
    layout->addLayout(buttons);
    connect(open, &QPushButton::clicked, this, &MachineList::openFile);
    connect(m_use, &QPushButton::clicked, this, &MachineList::use);
}

QString MachineList::hosts() const {
    return m_hosts->toPlainText();
}

void MachineList::setHosts(const QString& hosts) {
    m_hosts->setPlainText(hosts);
}

QString MachineList::answers() const {
    return m_answers->text();
}

QSize MachineList::sizeHint() const {
    return {640, 420};
}

void MachineList::openFile() {
    const QString name = QFileDialog::getOpenFileName(this, tr("Machines"));
    if (name.isEmpty()) return;
    constexpr std::size_t kMostBytes = std::size_t{1} << 20;
    const auto read = readFile(name.toStdString(), kMostBytes);
    if (read)
        setHosts(text(*read));
    else
        m_answers->setText(text(read.error().message));
}

void MachineList::use() {
    const QString asked = hosts();
    if (asked.trimmed().isEmpty()) {
        m_answers->setText(tr("Renders run here, one at a time."));
        return Q_EMIT chosen(asked, {jobs::LaneOptions{}});
    }
    auto named = fleet::hostsNamed(asked.toStdString(), tr("Machines").toStdString());
    if (!named) return m_answers->setText(text(named.error().message));
    m_use->setEnabled(false);
    m_answers->setText(tr("Asking…"));
    m_asking.run([this, asked, hosts = *std::move(named), here = m_here](const std::stop_token& stop) {
        auto answered = fleet::surveyHosts(hosts, here, stop);
        return [this, asked, answered = std::move(answered)] { take(asked, answered); };
    });
}

void MachineList::take(const QString& asked, const std::vector<fleet::SurveyedHost>& hosts) {
    m_use->setEnabled(true);
    QStringList lines;
    for (const fleet::SurveyedHost& host : hosts) lines.append(text(fleet::summaryOf(host)));
    const auto lanes = fleet::lanesOf(hosts);
    lines.append(lanes.empty() ? tr("None of them can render: nothing was changed.")
                               : tr("Up to %n render(s) at once from now on.", nullptr, int(lanes.size())));
    m_answers->setText(lines.join('\n'));
    if (!lanes.empty()) Q_EMIT chosen(asked, lanes);
}

}  // namespace reelgrid::studio
