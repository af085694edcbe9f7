#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/session/session.h"

namespace reelgrid::studio {

/// The session on show and its file; empty: it has none.
struct FiledSession {
    session::Session session;
    std::filesystem::path file;
};

/// What undo and redo go through: the session after every change. Whatever changes it, looking at it tells;
/// nothing that changes it has to know. The playhead is no change. GUI thread.
class SessionHistory : public QObject {
    Q_OBJECT

  public:
    /// Nothing while clips are still being opened: then it is looked at again later.
    using Take = std::function<std::optional<FiledSession>()>;
    using Show = std::function<void(const FiledSession&)>;
    SessionHistory(Take take, Show show, QObject* parent = nullptr);

    /// Notes what changed since the last look, if anything did.
    void look();
    /// The same once the event loop is idle.
    void lookSoon();
    /// Once every clip is open, if some are not.
    void undo();
    void redo();
    /// Whether there is something to be done once every clip is open.
    [[nodiscard]] bool isWaiting() const { return m_due.isActive(); }
    [[nodiscard]] bool canUndo() const { return m_at > 0; }
    [[nodiscard]] bool canRedo() const { return m_at + 1 < m_states.size(); }
    /// What undo would take back, and redo make again: "remove clip".
    [[nodiscard]] QString undoName() const { return canUndo() ? m_states[m_at].name : QString(); }
    [[nodiscard]] QString redoName() const { return canRedo() ? m_states[m_at + 1].name : QString(); }

    /// What the next look finds is what was just opened: no change to it, and nothing unsaved.
    void noteOpened() { m_next = Next::Opened; }
    /// The request is another one without anybody's doing: no change.
    void noteRequest(const protocol::RenderRequest& request);
    /// What is on show belongs to this file from now on.
    void noteFile(const std::filesystem::path& file);
    /// This is what the session's file says now.
    void noteSaved(const FiledSession& saved);
    /// Whether something is on show that no file says.
    [[nodiscard]] bool isUnsaved() const;
    [[nodiscard]] const FiledSession& now() const { return m_states[m_at].what; }

  Q_SIGNALS:
    /// Something was noted, taken back, made again or saved.
    void changed();

  private:
    struct State {
        FiledSession what;
        std::string text;  ///< of the session, without the playhead
        QString name;      ///< of the change that led here
    };
    static std::string textOf(const FiledSession& what);
    [[nodiscard]] bool continuesLast(const QString& name) const;
    void note(FiledSession what);
    void goTo(std::size_t state);

    /// What the next look is to make of a difference. Shown: undo or redo led there, by another way than
    /// before perhaps; it is the same state.
    enum class Next { Change, Opened, Shown };

    /// What was asked for while clips were being opened.
    enum class Wish { None, Undo, Redo };

    Take m_take;
    Show m_show;
    std::vector<State> m_states;
    std::size_t m_at = 0;
    Next m_next = Next::Change;
    Wish m_wish = Wish::None;
    std::string m_savedText;
    QElapsedTimer m_lastChange;
    QTimer m_due;
};

}  // namespace reelgrid::studio
