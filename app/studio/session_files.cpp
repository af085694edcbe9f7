#include "app/studio/session_files.h"

#include <QMessageBox>
#include <QPushButton>
#include <algorithm>

namespace reelgrid::studio {

SessionFiles::SessionFiles(BackgroundThread* background, QWidget* window)
    : QObject(window), m_background(background), m_window(window) {}

void SessionFiles::load(const std::filesystem::path& file) {
    m_background->run([this, file](const std::stop_token&) -> BackgroundThread::Completion {
        auto read = session::loadSession(file);
        return [this, name = QString::fromStdString(file.string()), read = std::move(read)] {
            if (!read)
                Q_EMIT failed(QString::fromStdString(read.error().message));
            else if (read->outside.empty())
                Q_EMIT loaded(read->session, name);
            else
                askAboutOutside(*read, name);
        };
    });
}

void SessionFiles::askAboutOutside(const session::LoadedSession& read, const QString& file) {
    constexpr std::size_t kMostNamed = 8;
    QString names;
    for (std::size_t i = 0; i < std::min(kMostNamed, read.outside.size()); ++i)
        names += QString::fromStdString(read.outside[i].string()) + '\n';
    if (read.outside.size() > kMostNamed) names += tr("and %1 more").arg(read.outside.size() - kMostNamed);
    auto* box = new QMessageBox(QMessageBox::Question, tr("Open session"),
                                tr("This session names clips outside its own folder. Open them too?"),
                                QMessageBox::NoButton, m_window);
    box->setInformativeText(names);
    box->setTextFormat(Qt::PlainText);
    box->setAttribute(Qt::WA_DeleteOnClose);
    const auto* all = box->addButton(tr("Open all"), QMessageBox::AcceptRole);
    const auto* inside = box->addButton(tr("Only those inside"), QMessageBox::DestructiveRole);
    box->addButton(QMessageBox::Cancel);
    connect(box, &QMessageBox::buttonClicked, this,
            [this, read, file, all, inside](QAbstractButton* clicked) {
                session::Session session = read.session;
                if (clicked == inside)
                    std::erase_if(session.clips, [&](const session::SessionClip& clip) {
                        return std::ranges::find(read.outside, clip.path) != read.outside.end();
                    });
                else if (clicked != all)
                    return;
                Q_EMIT loaded(session, file);
            });
    box->open();
}

void SessionFiles::save(const session::Session& session, const std::filesystem::path& file) {
    m_background->run([this, session, file](const std::stop_token&) -> BackgroundThread::Completion {
        auto written = session::saveSession(session, file);
        return [this, name = QString::fromStdString(file.string()), written = std::move(written)] {
            if (written)
                Q_EMIT saved(name);
            else
                Q_EMIT failed(QString::fromStdString(written.error().message));
        };
    });
}

}  // namespace reelgrid::studio
