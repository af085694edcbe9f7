#include "app/studio/actions.h"

#include <QAbstractButton>
#include <QApplication>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenuBar>
#include <set>

#include "app/studio/banner.h"
#include "app/studio/command_palette.h"
#include "tests/studio/window_fixture.h"
#include "widgets/theme/theme.h"

namespace reelgrid::studio {
namespace {

TEST(ActionTable, HasEveryIdAndEveryKeyOnce) {
    std::set<std::string> ids;
    std::set<QString> keys;
    for (const ActionEntry& entry : actionTable()) {
        EXPECT_TRUE(ids.insert(entry.id).second) << entry.id;
        EXPECT_FALSE(QString(entry.does).isEmpty()) << entry.id;
        for (const QString& name : QString(entry.keys).split(' ', Qt::SkipEmptyParts)) {
            const QKeySequence sequence = QKeySequence::fromString(name, QKeySequence::PortableText);
            ASSERT_EQ(sequence.count(), 1) << entry.id;
            EXPECT_NE(sequence[0].key(), Qt::Key_unknown) << entry.id << ": " << name.toStdString();
            EXPECT_TRUE(keys.insert(sequence.toString()).second) << name.toStdString() << " of " << entry.id;
        }
    }
}

TEST_F(WindowTest, EveryActionIsInTheMenus) {
    std::set<std::string> inMenus;
    for (const MenuPlace& place : actionsIn(*m_window.menuBar()))
        inMenus.insert(place.action->objectName().toStdString());
    for (const ActionEntry& entry : actionTable()) EXPECT_TRUE(inMenus.contains(entry.id)) << entry.id;
}

TEST_F(WindowTest, APlainKeyThatAFieldNeedsIsTheFields) {
    m_window.sessions().open({writeClip("one.mp4"), writeClip("two.mp4")});
    ASSERT_TRUE(waitUntil([&] { return player().clock().timeline().stopCount() == 9; }));
    player().pause();
    m_window.editor().writePrompt();
    QWidget* prompt = m_window.editor().focusProxy();
    // Where there is no window manager no field has the focus; the key goes to it all the same.
    for (QWidget* field : m_window.editor().findChildren<QWidget*>())
        if (field->inherits("QPlainTextEdit") && prompt == nullptr) prompt = field;
    ASSERT_NE(prompt, nullptr);
    QKeyEvent space(QEvent::KeyPress, Qt::Key_Space, Qt::NoModifier, " ");
    QCoreApplication::sendEvent(prompt, &space);
    EXPECT_FALSE(player().clock().playing());
    press(Qt::Key_Space);
    EXPECT_TRUE(player().clock().playing());
}

TEST_F(WindowTest, JKLShuttle) {
    m_window.sessions().open({writeClip("one.mp4"), writeClip("two.mp4")});
    ASSERT_TRUE(waitUntil([&] { return player().clock().timeline().stopCount() == 9; }));
    press(Qt::Key_L);
    EXPECT_EQ(player().clock().speed(), 2);  // it played already
    press(Qt::Key_L);
    EXPECT_EQ(player().clock().speed(), 4);
    press(Qt::Key_K);
    EXPECT_FALSE(player().clock().playing());
    press(Qt::Key_End);
    press(Qt::Key_J);
    ASSERT_TRUE(waitUntil([&] { return player().clock().currentStop() < 5; }));
    press(Qt::Key_K);
    const int here = player().clock().currentStop();
    waitUntil([] { return false; }, 200);
    EXPECT_EQ(player().clock().currentStop(), here);
    press(Qt::Key_L);
    EXPECT_EQ(player().clock().speed(), 1);
    EXPECT_TRUE(player().clock().playing());
}

TEST_F(WindowTest, ThePaletteFindsACommandByAFewLettersAndRunsIt) {
    EXPECT_GT(fitOf("expo gr", "Export grid…"), 0);
    EXPECT_GT(fitOf("eg", "Export grid…"), 0);
    EXPECT_LT(fitOf("export wipe", "Export grid…"), 0);
    ASSERT_TRUE(m_window.actions()["frame-numbers"]->isChecked());
    m_window.actions()["palette"]->trigger();
    auto* palette = m_window.findChild<CommandPalette*>();
    ASSERT_NE(palette, nullptr);
    auto* words = palette->findChild<QLineEdit*>();
    words->setText("frame num");
    EXPECT_TRUE(palette->findChild<QListWidget*>()->currentItem()->text().contains("Frame numbers"));
    Q_EMIT words->returnPressed();
    EXPECT_FALSE(m_window.actions()["frame-numbers"]->isChecked());
}

TEST_F(WindowTest, TheCheatSheetHasEveryKey) {
    m_window.actions()["keys"]->trigger();
    auto* sheet = m_window.findChild<QDialog*>("keys");
    ASSERT_NE(sheet, nullptr);
    std::set<QString> shown;
    for (const QLabel* label : sheet->findChildren<QLabel*>("key")) shown.insert(label->text());
    for (const ActionEntry& entry : actionTable()) {
        const QString keys = keysText(*m_window.actions()[entry.id]);
        EXPECT_EQ(keys.isEmpty(), *entry.keys == '\0') << entry.id;
        const bool isOfARow = QString(entry.id).startsWith("tile-");
        EXPECT_TRUE(keys.isEmpty() || shown.contains(isOfARow ? QString::fromUtf8("1 … 9") : keys))
            << entry.id;
    }
}

TEST_F(WindowTest, ThemeAndTextSizeChangeAtOnceAndStay) {
    m_window.sessions().open({writeClip("one.mp4")});
    const QColor dark = widgets::theme::kPanel;
    const QColor clipInTheDark = clips()[0].color;
    m_window.actions()["light-theme"]->trigger();
    EXPECT_GT(widgets::theme::kPanel.lightness(), dark.lightness() + 100);
    EXPECT_LT(clips()[0].color.lightness(), clipInTheDark.lightness());
    m_window.actions()["larger-text"]->trigger();
    EXPECT_EQ(QApplication::font().pixelSize(), 14);
    {
        const Settings again;
        EXPECT_EQ(again.theme(), ThemeChoice::Light);
        EXPECT_EQ(again.textPercent(), 110);
    }
    m_window.actions()["normal-text"]->trigger();
    m_window.actions()["dark-theme"]->trigger();
    EXPECT_EQ(widgets::theme::kPanel, dark);
    EXPECT_EQ(QApplication::font().pixelSize(), 13);
}

TEST_F(WindowTest, WhatIsNamedForThoseWhoDoNotSeeIt) {
    for (const QAbstractButton* button : m_window.findChildren<QAbstractButton*>()) {
        if (qobject_cast<const Banner*>(button->parentWidget()))
            continue;                                          // it has no words before it is shown
        if (button->inherits("QTableCornerButton")) continue;  // Qt's own, which a reader passes over
        const bool named =
            !button->accessibleName().isEmpty() || !button->text().isEmpty() || !button->toolTip().isEmpty();
        EXPECT_TRUE(named || button->objectName().startsWith("qt_")) << button->metaObject()->className();
    }
}

}  // namespace
}  // namespace reelgrid::studio
