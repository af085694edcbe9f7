// Users' own backends in the window: as the worker's program describes them.

#include <QApplication>
#include <QCheckBox>
#include <QMessageBox>
#include <QPushButton>
#include <QTimer>
#include <cstdlib>

#include "app/studio/code_trust.h"
#include "app/studio/settings.h"
#include "tests/studio/window_fixture.h"

namespace reelgrid::studio {
namespace {

/// Stands in for `reelgrid-cli backends list --json`: knows the plug-ins whose files it is given, and one
/// that lies in a folder.
constexpr const char* kProgram = R"sh(#!/bin/sh
[ "$1 $2 $3" = "backends list --json" ] || exit 3
describe() {
    printf '{"name": "%s", "plugin": {"name": "%s", "title": "Somebody'"'"'s kernel", "description": "Made up.",
        "version": "1.0", "file": "%s", "sha256": "0", "devices": ["cpu"], "dtypes": ["bf16"], "max_head_dim": 64}}' \
        "$1" "$1" "$2"
}
printf '[{"name": "sdpa"}, '
describe lying /somewhere/lying.so
while [ $# -gt 1 ]; do
    if [ "$1" = --backend-plugin ]; then
        [ -e "$2" ] || { echo "reelgrid-cli: $2: there is no such file" >&2; exit 1; }
        printf ', '
        describe "$(basename "$2" .so)" "$2"
    fi
    shift
done
printf ']\n'
)sh";

class PluginWindowTest : public WindowTest {
  protected:
    void SetUp() override {
        WindowTest::SetUp();
        const fs::path program = m_folder / "list-backends";
        std::ofstream(program) << kProgram;
        fs::permissions(program, fs::perms::owner_all);
        setenv("REELGRID_WORKER", program.c_str(), 1);
        std::ofstream(m_folder / "given.so") << "not loaded by this process";
    }
    void TearDown() override { unsetenv("REELGRID_WORKER"); }

    [[nodiscard]] const QCheckBox* box(const QString& text) {
        for (const auto* each : m_window.editor().findChildren<QCheckBox*>())
            if (each->text() == text) return each;
        return nullptr;
    }
};

TEST_F(PluginWindowTest, OffersThemWithAMarkAToolTipAndAColourAndChecksThoseThatWereGiven) {
    const QString given = QString::fromStdString((m_folder / "given.so").string());
    m_window.plugins().look({given});
    ASSERT_TRUE(waitUntil([&] { return box("given (plug-in)") != nullptr; }));
    EXPECT_TRUE(box("given (plug-in)")->isChecked());
    ASSERT_NE(box("lying (plug-in)"), nullptr);
    EXPECT_FALSE(box("lying (plug-in)")->isChecked());
    EXPECT_TRUE(box("given (plug-in)")->toolTip().contains("Plug-in, not part of ReelGrid: " + given));
    EXPECT_FALSE(box("given (plug-in)")->icon().isNull());
    EXPECT_EQ(m_window.editor().checkedBackends(), (QStringList{"sdpa", "fav2", "sagev1", "given"}));

    m_window.editor().setCheckedBackends({"sdpa", "given"});
    renderPrompt("a square");
    ASSERT_EQ(clips().size(), 2U);
    EXPECT_EQ(clips()[1].label, "given");
    EXPECT_TRUE(waitUntil([&] { return allOnDisk(); }));
    EXPECT_EQ(m_window.issues().issues(), QStringList());
}

TEST_F(PluginWindowTest, SaysWhatIsWrongWithOneAndKeepsTheOthers) {
    bool listed = false;
    QObject::connect(&m_window.plugins(), &PluginBackends::changed, [&] { listed = true; });
    m_window.plugins().add(m_folder / "missing.so");
    ASSERT_TRUE(waitUntil([&] { return listed; }));
    EXPECT_TRUE(m_window.issues().issues().join(" ").contains("missing.so: there is no such file"));
    EXPECT_EQ(box("missing (plug-in)"), nullptr);
    EXPECT_NE(box("lying (plug-in)"), nullptr);
}

TEST_F(PluginWindowTest, AsksOnceWhetherToRunItsCode) {
    const fs::path file = m_folder / "given.so";
    Settings settings;
    int asked = 0;
    const auto answerBy = [&](QMessageBox::ButtonRole role) {
        QTimer::singleShot(0, &m_window, [&asked, role] {
            auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            ASSERT_NE(box, nullptr);
            ++asked;
            EXPECT_TRUE(box->text().contains("“given.so” is code")) << box->text().toStdString();
            for (QAbstractButton* button : box->buttons())
                if (box->buttonRole(button) == role) return button->click();
            FAIL() << "no such button";
        });
    };
    answerBy(QMessageBox::RejectRole);
    EXPECT_FALSE(mayRunCode(&m_window, settings, file));
    answerBy(QMessageBox::AcceptRole);
    EXPECT_TRUE(mayRunCode(&m_window, settings, file));
    EXPECT_TRUE(mayRunCode(&m_window, settings, file)) << "without a question";
    EXPECT_EQ(asked, 2);
    std::ofstream(file) << "built anew";
    answerBy(QMessageBox::RejectRole);
    EXPECT_FALSE(mayRunCode(&m_window, settings, file));
    EXPECT_EQ(asked, 3);
}

TEST_F(PluginWindowTest, SaysWhichOneASessionWantsThatIsNotHereAndHowToAddIt) {
    const fs::path clip = writeClip("wan_attn_lost_32x32.mp4");
    fs::create_directories(m_folder / "wan_attn_lost_32x32.files");
    std::ofstream(m_folder / "wan_attn_lost_32x32.files/manifest.json")
        << R"({"plugins": [{"backend": "lost", "file": "/elsewhere/lost.so", "sha256": "00", "version": "2.1"},
                           {"backend": "lying", "file": "/somewhere/lying.so", "sha256": "0"}]})";
    const QString given = QString::fromStdString((m_folder / "given.so").string());
    m_window.plugins().look({given});
    m_window.sessions().open({clip});
    ASSERT_TRUE(waitUntil([&] { return m_window.issues().issues().size() == 1; }))
        << m_window.issues().issues().join("; ").toStdString();
    const QString said = m_window.issues().issues()[0];
    EXPECT_TRUE(said.contains("“lost” (/elsewhere/lost.so, version 2.1)")) << said.toStdString();
    EXPECT_TRUE(said.contains("File › Add attention plug-in…")) << said.toStdString();

    session::Session session;
    session.clips = {{clip, "lost", "lost", 0}};
    session.request.attentionPolicy.rules.emplace_back().backend = "gone";
    ASSERT_TRUE(session::saveSession(session, m_folder / "wants.json"));
    m_window.sessions().open({m_folder / "wants.json"});
    ASSERT_TRUE(waitUntil([&] { return m_window.issues().issues().join(' ').contains("“gone”"); }))
        << m_window.issues().issues().join("; ").toStdString();
}

}  // namespace
}  // namespace reelgrid::studio
