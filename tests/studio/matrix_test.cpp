#include "app/studio/matrix_dialog.h"

#include <QTableView>
#include <QTreeWidget>

#include "app/studio/machine_list.h"
#include "app/studio/model_browser.h"
#include "app/studio/render_menu.h"
#include "tests/studio/window_fixture.h"

namespace reelgrid::studio {
namespace {

class MatrixTest : public WindowTest {
  protected:
    MatrixDialog* open(const QStringList& prompts, const QString& seeds) {
        protocol::RenderRequest request = m_window.editor().request();
        request.width = 64;
        request.height = 48;
        request.numFrames = 17;
        m_window.editor().setRequest(request);
        m_window.editor().setCheckedBackends({"sdpa", "fav2"});
        MatrixDialog* dialog = m_window.renderMenu().openMatrix();
        EXPECT_NE(dialog, nullptr);
        dialog->setPrompts(prompts);
        dialog->setSeeds(seeds);
        EXPECT_TRUE(waitUntil([&] { return dialog->isComplete(); }));
        return dialog;
    }
    [[nodiscard]] int sessions() const {
        int count = 0;
        std::error_code ignored;
        for (const auto& entry : fs::directory_iterator(m_folder / "results", ignored))
            count += fs::exists(entry.path() / "session.json");
        return count;
    }
};

TEST_F(MatrixTest, ShowsEveryRenderBeforeItStarts) {
    MatrixDialog* dialog = open({"a square", "a slow square"}, "1, 7-8");
    const MatrixTable& table = dialog->table();
    ASSERT_EQ(table.rowCount(), 12);
    const auto cell = [&](int row, int column) {
        return table.data(table.index(row, column), Qt::DisplayRole).toString();
    };
    EXPECT_EQ(cell(0, MatrixTable::Backend), "sdpa");
    EXPECT_EQ(cell(1, MatrixTable::Backend), "fav2");
    EXPECT_EQ(cell(4, MatrixTable::Seed), "8");
    EXPECT_EQ(cell(6, MatrixTable::Prompt), "a slow square");
    EXPECT_EQ(cell(6, MatrixTable::Subject), "4");
    EXPECT_EQ(cell(0, MatrixTable::Steps), "20");
    EXPECT_EQ(cell(0, MatrixTable::Time), "not known");
    auto* view = dialog->findChild<QTableView*>();
    dialog->resize(700, 500);
    QCoreApplication::processEvents();
    EXPECT_GE(view->columnWidth(MatrixTable::Prompt), 240) << "room for words, however narrow the window";
    // Plurals come with a translation, the English ones, too.
    EXPECT_EQ(table.summary(true), "12 render(s) in 6 comparison(s), how long isn't known");
    dialog->setSeeds("x");
    ASSERT_TRUE(waitUntil([&] { return !dialog->problem().isEmpty(); }));
    EXPECT_TRUE(dialog->problem().contains("seeds x")) << dialog->problem().toStdString();
    dialog->start();  // does nothing
    EXPECT_TRUE(dialog->isVisible());
    EXPECT_EQ(m_window.jobs().jobCount(), 0);
}

TEST_F(MatrixTest, EverySubjectBecomesAComparisonAndTheGridFollows) {
    MatrixDialog* dialog = open({"a square"}, "1, 2");
    dialog->start();
    EXPECT_EQ(m_window.jobs().jobCount(), 4);
    ASSERT_EQ(clips().size(), 2U);  // of the first subject
    const fs::path first = clips()[0].path.parent_path();
    ASSERT_TRUE(waitUntil([&] { return sessions() == 2; }));
    ASSERT_TRUE(waitUntil([&] { return clips().size() == 2 && allOnDisk(); }));
    EXPECT_NE(clips()[0].path.parent_path(), first);
    EXPECT_EQ(clips()[0].label, "sdpa");
    EXPECT_EQ(clips()[1].label, "fav2");
    EXPECT_TRUE(m_window.jobs().job(m_window.jobs().jobIds()[3]).subject.contains("seed 2"));
    // A click on a row of the first brings its comparison back.
    Q_EMIT m_window.jobs().showRequested(m_window.jobs().jobIds()[0]);
    EXPECT_TRUE(waitUntil([&] { return clips().size() == 2 && clips()[0].path.parent_path() == first; }));
    EXPECT_EQ(m_window.issues().issues(), QStringList());
}

TEST_F(MatrixTest, TheQueueIsPausedAndReordered) {
    MatrixDialog* dialog = open({"a slow square"}, "1, 2");
    dialog->start();
    ASSERT_TRUE(waitUntil(
        [&] { return m_window.jobs().job(m_window.jobs().jobIds()[0]).state == jobs::JobState::Running; }));
    Q_EMIT m_window.jobs().pauseRequested(true);
    auto& renders = m_window.renders().jobs();
    const std::vector<std::string> before = renders.waiting();
    ASSERT_EQ(before.size(), 3U);
    Q_EMIT m_window.jobs().moveRequested(QString::fromStdString(before[2]), -1);
    EXPECT_EQ(renders.waiting(), (std::vector<std::string>{before[0], before[2], before[1]}));
    Q_EMIT m_window.jobs().cancelRequested(m_window.jobs().jobIds()[0]);
    ASSERT_TRUE(
        waitUntil([&] { return isFinished(m_window.jobs().job(m_window.jobs().jobIds()[0]).state); }));
    letRun(150);
    EXPECT_EQ(renders.waiting().size(), 3U);  // nothing began
    Q_EMIT m_window.jobs().pauseRequested(false);
    EXPECT_TRUE(waitUntil([&] { return renders.allFinished(); }));
    Q_EMIT m_window.jobs().moveRequested(QString::fromStdString(before[2]), -1);  // too late: nothing happens
    EXPECT_EQ(m_window.issues().issues(), QStringList());
}

TEST_F(MatrixTest, WhatIsThereAlreadyIsTakenInsteadOfRendered) {
    MatrixDialog* dialog = open({"a square"}, "1");
    std::vector<MatrixRow> rows = dialog->table().rows();
    ASSERT_EQ(rows.size(), 2U);
    const fs::path earlier = writeClip("earlier/sdpa.mp4");
    fs::create_directories(m_folder / "earlier/sdpa.files");
    rows[0].identical = earlier;
    m_window.renders().renderMatrix(rows, {*m_window.editor().model()});
    EXPECT_EQ(m_window.jobs().jobCount(), 1);
    ASSERT_TRUE(waitUntil([&] { return sessions() == 1; }));
    ASSERT_TRUE(waitUntil([&] { return clips().size() == 2 && allOnDisk(); }));
    EXPECT_TRUE(fs::exists(earlier));
    dialog->close();
}

TEST_F(WindowTest, TheModelBrowserSaysWhatIsThereAndHowToGetTheRest) {
    ModelBrowser* browser = m_window.renderMenu().openModels();
    const QTreeWidget& tree = browser->tree();
    ASSERT_GE(tree.topLevelItemCount(), 2);
    const QTreeWidgetItem* demo = tree.topLevelItem(0);
    EXPECT_EQ(demo->text(ModelBrowser::Present), "yes");
    EXPECT_TRUE(demo->text(ModelBrowser::Where).endsWith("wan-demo"));
    EXPECT_GE(demo->childCount(), 4);
    EXPECT_EQ(browser->advice(), "");
    browser->choose("Wan-AI/Wan2.1-T2V-14B-Diffusers");
    EXPECT_TRUE(browser->advice().endsWith("models download Wan-AI/Wan2.1-T2V-14B-Diffusers"))
        << browser->advice().toStdString();
    Q_EMIT browser->used("demo");
    EXPECT_EQ(m_window.editor().request().model, "demo");
}

TEST_F(WindowTest, MachinesRenderFromThenOn) {
    MachineList* machines = m_window.renderMenu().openMachines();
    machines->setHosts("here\ngpu03");
    machines->use();
    EXPECT_TRUE(machines->answers().contains("line 2: host gpu03: here, ssh://user@host or slurm:partition"))
        << machines->answers().toStdString();
    machines->setHosts("ssh://nobody@127.0.0.1:1\n");
    machines->use();
    ASSERT_TRUE(waitUntil([&] { return machines->answers().contains("None of them can render"); }));
    machines->setHosts(" \n");
    machines->use();
    EXPECT_EQ(machines->answers(), "Renders run here, one at a time.");
    EXPECT_EQ(m_window.settings().machines().trimmed(), "");
    machines->setHosts("here?device=cpu&lanes=2");
    machines->use();
    ASSERT_TRUE(waitUntil([&] { return machines->answers().contains("Up to 2 render"); }))
        << machines->answers().toStdString();
    EXPECT_EQ(m_window.settings().machines(), "here?device=cpu&lanes=2");
    m_window.editor().setCheckedBackends({"sdpa", "fav2"});
    renderPrompt("a slow previewed square");
    const auto isRunning = [](const ComparedClip& clip) { return !clip.preview.frames.empty(); };
    ASSERT_EQ(clips().size(), 2U);
    EXPECT_TRUE(waitUntil([&] { return std::ranges::all_of(clips(), isRunning); })) << "both at once";
    ASSERT_TRUE(waitUntil([&] { return allOnDisk(); }));
    m_window.renders().jobs().setLanes({jobs::LaneOptions{}});
}

TEST_F(WindowTest, ShowsTheLatentsWhileItDenoises) {
    m_window.editor().setCheckedBackends({"sdpa"});
    renderPrompt("a slow previewed square");
    ASSERT_EQ(clips().size(), 1U);
    ASSERT_TRUE(waitUntil([&] { return !clips()[0].preview.frames.empty(); }));
    const auto& shown = m_window.grid().scene().tiles[0].picture;
    ASSERT_TRUE(shown.frame);
    EXPECT_EQ(shown.frame->width, 8);
    EXPECT_TRUE(shown.note.contains("preview")) << shown.note.toStdString();
    const int y = shown.frame->y.bytes[0];
    EXPECT_NEAR(y, 0.2126 * 200 + 0.7152 * 100 + 0.0722 * 50, 1);
    ASSERT_TRUE(waitUntil([&] { return allOnDisk(); }));
    EXPECT_TRUE(clips()[0].preview.frames.empty());
}

}  // namespace
}  // namespace reelgrid::studio
