#pragma once

#include <QObject>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>

#include "app/studio/background_thread.h"
#include "core/session/known_files.h"

class QWidget;

namespace reelgrid::studio {

/// How much of a session a person let in.
enum class SessionPart { All, ClipsInside };

/// What becomes of a file that somebody else has written since it was opened or saved here.
enum class ChangedFile { Overwrite, SaveAs, Cancel };

/// Reads and writes sessions in the background, and asks before clips from elsewhere are opened and before
/// what somebody else has written is overwritten. GUI thread.
class SessionFiles : public QObject {
    Q_OBJECT

  public:
    /// `window` is the parent of questions.
    SessionFiles(BackgroundThread* background, QWidget* window);

    /// A session, or a folder with one, or with clips that renders left there. Ends with loaded() or
    /// failed().
    void load(const std::filesystem::path& path);
    /// With the votes that others have put into the file since. Ends with saved(), failed() or a question.
    void save(const session::Session& session, const std::filesystem::path& file);
    /// What is on show is this file's, which wasn't read here: changes of others from now on are noticed.
    void noteFile(const std::filesystem::path& file);
    /// Asks a person, and calls `answered` with the answer at once or later.
    using ChangedFileQuestion =
        std::function<void(const std::filesystem::path& file, std::function<void(ChangedFile)> answered)>;
    /// In place of a dialog.
    void setChangedFileQuestion(ChangedFileQuestion question) { m_question = std::move(question); }
    /// Whether a path is meant as a session rather than a clip.
    static bool isSession(const std::filesystem::path& path);

  Q_SIGNALS:
    void loaded(const reelgrid::session::Session& session, const std::filesystem::path& file,
                reelgrid::studio::SessionPart part);
    /// `added`: the others' votes in it.
    void saved(const std::filesystem::path& file, const reelgrid::session::Session& session,
               const std::vector<reelgrid::session::BlindVote>& added);
    void saveAsRequested();
    void failed(const QString& message);

  private:
    void askAboutOutside(const session::LoadedSession& read, const std::filesystem::path& file);

    void take(const session::LoadedSession& read, const std::filesystem::path& file, SessionPart part);
    void write(const session::Session& session, const std::filesystem::path& file,
               session::KnownFiles::Others others);
    void askAboutChanged(const session::Session& session, const std::filesystem::path& file);
    void showQuestion(const std::filesystem::path& file, const std::function<void(ChangedFile)>& answered);

    BackgroundThread* m_background;
    QWidget* m_window;
    ChangedFileQuestion m_question;
    std::shared_ptr<session::KnownFiles> m_known;                // the background's alone
    std::map<std::filesystem::path, session::Session> m_asking;  // what is to be saved once it is answered
};

}  // namespace reelgrid::studio
