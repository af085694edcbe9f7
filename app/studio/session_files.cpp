#include "app/studio/session_files.h"

#include <QMessageBox>
#include <QPushButton>
#include <algorithm>

#include "app/studio/rendered_folder.h"
#include "core/result/interrupted_renders.h"

namespace reelgrid::studio {

SessionFiles::SessionFiles(BackgroundThread* background, QWidget* window)
    : QObject(window), m_background(background), m_window(window) {}

bool SessionFiles::isSession(const std::filesystem::path& path) {
    std::error_code ignored;
    return path.extension() == ".json" || std::filesystem::is_directory(path, ignored);
}

void SessionFiles::load(const std::filesystem::path& path) {
    m_background->run([this, path](const std::stop_token&) -> BackgroundThread::Completion {
        std::error_code ignored;
        const bool isFolder = std::filesystem::is_directory(path, ignored);
        const std::filesystem::path file = isFolder ? path / kSessionFile : path;
        auto read = isFolder ? readRenderedFolder(path) : session::loadSession(path);
        // A comparison of which nothing is finished: the job panel has it.
        if (isFolder && !read && !result::interruptedIn(path).empty()) return {};
        return [this, file, read = std::move(read)] {
            if (!read)
                Q_EMIT failed(QString::fromStdString(read.error().message));
            else if (read->outside.empty())
                Q_EMIT loaded(read->session, file, SessionPart::All);
            else
                askAboutOutside(*read, file);
        };
    });
}

void SessionFiles::askAboutOutside(const session::LoadedSession& read, const std::filesystem::path& file) {
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
    auto* inside = box->addButton(tr("Only those inside"), QMessageBox::DestructiveRole);
    box->addButton(QMessageBox::Cancel);
    // Whoever just presses Enter gets nothing that somebody else chose.
    box->setDefaultButton(inside);
    connect(box, &QMessageBox::buttonClicked, this,
            [this, read, file, all, inside](QAbstractButton* clicked) {
                session::Session session = read.session;
                if (clicked == inside)
                    std::erase_if(session.clips, [&](const session::SessionClip& clip) {
                        return std::ranges::find(read.outside, clip.path) != read.outside.end();
                    });
                else if (clicked != all)
                    return;
                Q_EMIT loaded(session, file, clicked == all ? SessionPart::All : SessionPart::ClipsInside);
            });
    box->open();
}

void SessionFiles::save(const session::Session& session, const std::filesystem::path& file) {
    m_background->run([this, session, file](const std::stop_token&) -> BackgroundThread::Completion {
        auto written = session::saveSession(session, file);
        return [this, session, file, written = std::move(written)] {
            if (written)
                Q_EMIT saved(file, session);
            else
                Q_EMIT failed(QString::fromStdString(written.error().message));
        };
    });
}

}  // namespace reelgrid::studio
