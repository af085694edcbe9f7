#include "app/studio/session_history.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/json.h"
#include "core/session/session_json.h"

namespace reelgrid::studio {

namespace {

using nlohmann::json;

constexpr std::size_t kMostStates = 200;
constexpr int kOneGestureMs = 1000;  // typing a word, turning the wheel: one change
constexpr int kLookAgainMs = 100;

json clipsBy(const json& session, const char* key) {
    json values = json::array();
    for (const json& clip : session["clips"]) values.push_back(clip.value(key, json()));
    return values;
}

QString nameOfClipChange(const json& before, const json& now) {
    if (before["clips"].size() < now["clips"].size()) return SessionHistory::tr("add clip");
    if (before["clips"].size() > now["clips"].size()) return SessionHistory::tr("remove clip");
    if (clipsBy(before, "path") != clipsBy(now, "path")) return SessionHistory::tr("move clip");
    if (clipsBy(before, "label") != clipsBy(now, "label")) return SessionHistory::tr("rename clip");
    return SessionHistory::tr("clip’s offset");
}

QString nameOfChange(const std::string& beforeText, const std::string& nowText) {
    const json before = json::parse(beforeText);
    const json now = json::parse(nowText);
    if (before["file"] != now["file"])
        return now["clips"].empty() ? SessionHistory::tr("close") : SessionHistory::tr("open");
    if (before["clips"] != now["clips"]) return nameOfClipChange(before, now);
    const auto differs = [&](const char* key) { return before.value(key, json()) != now.value(key, json()); };
    if (differs("blind_votes")) return SessionHistory::tr("vote");
    if (differs("view")) return SessionHistory::tr("view");
    if (differs("charts")) return SessionHistory::tr("charts");
    return SessionHistory::tr("request");
}

}  // namespace

SessionHistory::SessionHistory(Take take, Show show, QObject* parent)
    : QObject(parent), m_take(std::move(take)), m_show(std::move(show)) {
    m_states.emplace_back();
    m_states[0].text = m_savedText = textOf({});
    m_due.setSingleShot(true);
    connect(&m_due, &QTimer::timeout, this, &SessionHistory::look);
}

std::string SessionHistory::textOf(const FiledSession& what) {
    session::Session still = what.session;
    still.playheadSeconds = 0;
    // A clip's manifest decides it, no person.
    for (session::SessionClip& clip : still.clips) clip.attentionType.clear();
    json object = toJson(still, "/");
    object["file"] = what.file.string();
    return printJson(object);
}

void SessionHistory::lookSoon() {
    m_due.start(0);
}

bool SessionHistory::continuesLast(const QString& name) const {
    if (m_at == 0 || m_at + 1 != m_states.size() || m_states[m_at].text == m_savedText) return false;
    const bool isGesture = name == tr("view") || name == tr("charts") || name == tr("request");
    return isGesture && m_states[m_at].name == name && m_lastChange.isValid() &&
           m_lastChange.elapsed() < kOneGestureMs;
}

void SessionHistory::look() {
    auto what = m_take();
    if (!what) return m_due.start(kLookAgainMs);
    m_due.stop();
    note(*std::move(what));
    const Wish wish = std::exchange(m_wish, Wish::None);
    if (wish == Wish::Undo && canUndo()) goTo(m_at - 1);
    if (wish == Wish::Redo && canRedo()) goTo(m_at + 1);
}

void SessionHistory::note(FiledSession what) {
    std::string text = textOf(what);
    const Next next = std::exchange(m_next, Next::Change);
    if (next == Next::Opened) m_savedText = text;
    if (next == Next::Shown) {
        const bool wasSaved = m_savedText == m_states[m_at].text;
        m_states[m_at].text = text;
        if (wasSaved) m_savedText = text;
    }
    if (text == m_states[m_at].text) {
        m_states[m_at].what = std::move(what);  // its playhead may be another
        if (next == Next::Opened) Q_EMIT changed();
        return;
    }
    // What there was before anything was shown is nothing to go back to.
    const bool nothingBefore = m_at == 0 && m_states[0].what.session.clips.empty() &&
                               m_states[0].what.file.empty() && what.session.clips.empty();
    QString name = nameOfChange(m_states[m_at].text, text);
    if (nothingBefore) {
        if (m_savedText == m_states[0].text) m_savedText = text;
        m_states[0] = {std::move(what), std::move(text), {}};
    } else if (continuesLast(name)) {
        m_states[m_at] = {std::move(what), std::move(text), std::move(name)};
    } else {
        m_states.resize(m_at + 1);
        m_states.push_back({std::move(what), std::move(text), std::move(name)});
        if (m_states.size() > kMostStates) m_states.erase(m_states.begin());
        m_at = m_states.size() - 1;
    }
    m_lastChange.start();
    Q_EMIT changed();
}

void SessionHistory::undo() {
    m_wish = Wish::Undo;
    look();
}

void SessionHistory::redo() {
    m_wish = Wish::Redo;
    look();
}

void SessionHistory::goTo(std::size_t state) {
    m_at = state;
    m_lastChange.invalidate();
    const FiledSession what = m_states[m_at].what;
    m_show(what);
    m_next = Next::Shown;
    lookSoon();
    Q_EMIT changed();
}

void SessionHistory::noteRequest(const protocol::RenderRequest& request) {
    if (m_next == Next::Opened) return;  // it is of a session that was not looked at yet
    State& state = m_states[m_at];
    const bool wasSaved = state.text == m_savedText;
    state.what.session.request = request;
    state.text = textOf(state.what);
    if (wasSaved) m_savedText = state.text;
}

void SessionHistory::noteFile(const std::filesystem::path& file) {
    // The states before, too: taking a change back after saving is no change of file.
    const std::filesystem::path earlier = m_states[m_at].what.file;
    for (State& state : m_states) {
        if (state.what.file != earlier) continue;
        state.what.file = file;
        state.text = textOf(state.what);
    }
}

void SessionHistory::noteSaved(const FiledSession& saved) {
    m_savedText = textOf(saved);
    Q_EMIT changed();
}

bool SessionHistory::isUnsaved() const {
    const State& now = m_states[m_at];
    return !now.what.session.clips.empty() && now.text != m_savedText;
}

}  // namespace reelgrid::studio
