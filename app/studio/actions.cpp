#include "app/studio/actions.h"

#include <QCoreApplication>
#include <QKeyEvent>
#include <QMenu>
#include <QMenuBar>
#include <QWidget>

namespace reelgrid::studio {

namespace {

constexpr const char* kPlainKeys = "plainKeys";  // property of an action

/// Keys that text, buttons and lists have uses for; only what those leave over is an action's.
bool isPlain(const QKeyCombination& keys) {
    const bool function = keys.key() >= Qt::Key_F1 && keys.key() <= Qt::Key_F35;
    return !function &&
           !(keys.keyboardModifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier));
}

QString translated(const char* text) {
    return QCoreApplication::translate("Actions", text);
}

void collect(const QMenu& menu, const QString& name, std::vector<MenuPlace>& places) {
    for (QAction* action : menu.actions()) {
        if (action->isSeparator()) continue;
        if (action->menu() != nullptr)
            collect(*action->menu(), name + QString::fromUtf8(" › ") + plainText(*action), places);
        else
            places.push_back({name, action});
    }
}

}  // namespace

Actions::Actions(QWidget* window) : QObject(window) {
    for (const ActionEntry& entry : actionTable()) {
        auto* action = new QAction(translated(entry.text), window);
        action->setObjectName(entry.id);
        action->setStatusTip(translated(entry.does));
        action->setToolTip(translated(entry.does));
        action->setCheckable(entry.kind == ActionKind::Toggle);
        setKeys(action, entry.keys);
        window->addAction(action);
        connect(action, &QAction::triggered, this, &Actions::triggered);
        m_actions[entry.id] = action;
    }
}

void Actions::setKeys(QAction* action, const char* names) {
    QList<QKeySequence> everywhere;
    QStringList plain;
    for (const QString& name : QString::fromLatin1(names).split(' ', Qt::SkipEmptyParts)) {
        const QKeySequence keys = QKeySequence::fromString(name, QKeySequence::PortableText);
        if (!isPlain(keys[0])) {
            everywhere.append(keys);
            continue;
        }
        m_plainKeys[keys[0].toCombined()] = action;
        plain.append(keys.toString(QKeySequence::NativeText));
    }
    action->setShortcuts(everywhere);
    action->setProperty(kPlainKeys, plain);
    // Menus show what follows a tab where shortcuts stand.
    if (!plain.isEmpty() && everywhere.isEmpty()) action->setText(action->text() + '\t' + plain[0]);
}

QAction* Actions::operator[](const char* id) const {
    const auto found = m_actions.find(id);
    Q_ASSERT_X(found != m_actions.end(), "Actions", id);
    return found->second;
}

void Actions::onTriggered(const char* id, std::function<void()> run) {
    connect((*this)[id], &QAction::triggered, this, [run = std::move(run)] { run(); });
}

void Actions::onToggled(const char* id, std::function<void(bool)> run) {
    connect((*this)[id], &QAction::toggled, this, [run = std::move(run)](bool on) { run(on); });
}

bool Actions::press(const QKeyEvent& event) {
    // What a layout needs Shift for (a "?", say) comes with it, and is known by the key alone.
    const Qt::KeyboardModifiers modifiers = event.modifiers() & ~Qt::KeypadModifier;
    const bool isLetter = event.key() >= Qt::Key_A && event.key() <= Qt::Key_Z;
    const bool isSign = event.key() < Qt::Key_Escape && event.key() != Qt::Key_Space && !isLetter;
    auto found = m_plainKeys.find(QKeyCombination(modifiers, Qt::Key(event.key())).toCombined());
    if (found == m_plainKeys.end() && isSign && modifiers == Qt::ShiftModifier)
        found = m_plainKeys.find(event.key());
    if (found == m_plainKeys.end() || !found->second->isEnabled()) return false;
    found->second->trigger();
    return true;
}

QString keysText(const QAction& action) {
    QStringList keys = action.property(kPlainKeys).toStringList();
    for (const QKeySequence& shortcut : action.shortcuts())
        keys.append(shortcut.toString(QKeySequence::NativeText));
    return keys.join(QStringLiteral(", "));
}

QString plainText(const QAction& action) {
    QString text = action.text().section('\t', 0, 0);
    text.replace("&&", QString(QChar(1))).remove('&').replace(QChar(1), '&');
    return text;
}

std::vector<MenuPlace> actionsIn(const QMenuBar& menus) {
    std::vector<MenuPlace> places;
    for (const QAction* top : menus.actions())
        if (top->menu() != nullptr) collect(*top->menu(), plainText(*top), places);
    return places;
}

}  // namespace reelgrid::studio
