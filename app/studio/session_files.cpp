#include "app/studio/session_files.h"

#include <QMessageBox>
#include <QPushButton>
#include <algorithm>

#include "app/studio/rendered_folder.h"
#include "core/result/interrupted_renders.h"

namespace reelgrid::studio {

SessionFiles::SessionFiles(BackgroundThread* background, QWidget* window)
    : QObject(window),
      m_background(background),
      m_window(window),
      m_known(std::make_shared<session::KnownFiles>()) {}

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
                take(*read, file, SessionPart::All);
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
                if (clicked == inside || clicked == all)
                    take(read, file, clicked == all ? SessionPart::All : SessionPart::ClipsInside);
            });
    box->open();
}

void SessionFiles::take(const session::LoadedSession& read, const std::filesystem::path& file,
                        SessionPart part) {
    m_background->run([known = m_known, read, file](const std::stop_token&) -> BackgroundThread::Completion {
        known->note(file, read);
        return {};
    });
    session::Session session = read.session;
    if (part == SessionPart::ClipsInside)
        std::erase_if(session.clips, [&](const session::SessionClip& clip) {
            return std::ranges::find(read.outside, clip.path) != read.outside.end();
        });
    Q_EMIT loaded(session, file, part);
}

void SessionFiles::save(const session::Session& session, const std::filesystem::path& file) {
    write(session, file, session::KnownFiles::Others::Ask);
}

void SessionFiles::noteFile(const std::filesystem::path& file) {
    m_background->run([known = m_known, file](const std::stop_token&) -> BackgroundThread::Completion {
        known->look(file);
        return {};
    });
}

void SessionFiles::write(const session::Session& session, const std::filesystem::path& file,
                         session::KnownFiles::Others others) {
    m_background->run([this, known = m_known, session, file,
                       others](const std::stop_token&) -> BackgroundThread::Completion {
        auto written = known->save(session, file, others);
        return [this, file, written = std::move(written)] {
            if (!written)
                Q_EMIT failed(QString::fromStdString(written.error().message));
            else if (written->mustAsk)
                askAboutChanged(written->session, file);
            else
                Q_EMIT saved(file, written->session, written->added);
        };
    });
}

void SessionFiles::askAboutChanged(const session::Session& session, const std::filesystem::path& file) {
    const bool isAsked = m_asking.contains(file);
    m_asking[file] = session;
    if (isAsked) return;
    const auto answered = [this, file](ChangedFile answer) {
        const auto asked = m_asking.extract(file);
        if (asked.empty()) return;
        if (answer == ChangedFile::Overwrite)
            write(asked.mapped(), file, session::KnownFiles::Others::Overwrite);
        else if (answer == ChangedFile::SaveAs)
            Q_EMIT saveAsRequested();
    };
    if (m_question)
        m_question(file, answered);
    else
        showQuestion(file, answered);
}

void SessionFiles::showQuestion(const std::filesystem::path& file,
                                const std::function<void(ChangedFile)>& answered) {
    auto* box = new QMessageBox(
        QMessageBox::Question, tr("Save session"),
        tr("%1 has changed since it was opened or saved here.").arg(QString::fromStdString(file.string())),
        QMessageBox::Cancel, m_window);
    box->setInformativeText(
        tr("Somebody else has written it, perhaps another window. Overwriting it keeps their votes and loses "
           "what else they changed."));
    box->setTextFormat(Qt::PlainText);
    box->setAttribute(Qt::WA_DeleteOnClose);
    const auto* overwrite = box->addButton(tr("Overwrite"), QMessageBox::DestructiveRole);
    const auto* saveAs = box->addButton(tr("Save As…"), QMessageBox::AcceptRole);
    box->setDefaultButton(QMessageBox::Cancel);
    connect(box, &QMessageBox::finished, this, [box, overwrite, saveAs, answered] {
        const auto* clicked = box->clickedButton();
        answered(clicked == overwrite ? ChangedFile::Overwrite
                 : clicked == saveAs  ? ChangedFile::SaveAs
                                      : ChangedFile::Cancel);
    });
    box->open();
}

}  // namespace reelgrid::studio
