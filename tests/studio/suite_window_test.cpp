#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <nlohmann/json.hpp>

#include "app/studio/blind_test_view.h"
#include "app/studio/suite/suite_windows.h"
#include "app/studio/wide_column_view.h"
#include "core/base/pending_file.h"
#include "core/result/manifest.h"
#include "core/suite/kept_votes.h"
#include "core/suite/suite_file.h"
#include "core/suite/suite_votes.h"
#include "tests/result/whole_settings.h"
#include "tests/studio/window_fixture.h"
#include "widgets/measure/result_table.h"

namespace reelgrid::studio {
namespace {

class SuiteWindowTest : public WindowTest {
  protected:
    /// Two prompts by two backends: fav2's PSNR is 42 and 30, sdpa of the second prompt failed.
    void writeSuite() {
        auto plan = suite::suitePlanFrom(
            {{"prompts", {"a cat that looks out of a window for a very long time", "a dog"}},
             {"types", {"sdpa", "fav2"}}},
            ".");
        ASSERT_TRUE(plan);
        std::vector<suite::SuiteRow> rows;
        for (std::size_t i = 0; i < plan->jobs.size(); ++i) {
            const fs::path subject = fs::path("suite") / ("000" + std::to_string(i / 2 + 1));
            suite::SuiteRow row{i, writeClip(subject / "results" / (std::to_string(i) + ".mp4")), {}, {}};
            row.measured["denoise_seconds"] = 2.0 + double(i);
            if (i % 2 == 1) row.measured["psnr"] = i == 1 ? 42 : 30;
            if (i == 2) row.error = Error{ErrorCode::OutOfMemory, "no memory"};
            rows.push_back(row);
        }
        session::Session cats;
        cats.clips = {{rows[0].clip, "sdpa", "sdpa", 0}, {rows[1].clip, "fav2", "fav2", 0}};
        ASSERT_TRUE(session::saveSession(cats, suite::sessionOf(rows[0].clip)));
        auto result = suite::sumUp(*plan, rows, suite::gateFrom("psnr>=40@50%").value());
        suite::AgainstNotes& notes = result.againstNotes.emplace();
        notes.folder = "/earlier";
        notes.notCompared = {{suite::NotCompared::What::All, {{"num_inference_steps", 8, 4}}, {1}}};
        ASSERT_TRUE(writeFile(file(), suite::toJson(result, file().parent_path()).dump()));
    }
    [[nodiscard]] fs::path file() const { return m_folder / "suite" / suite::kSuiteFile; }
    SuiteWindow* openSuite(const fs::path& path) {
        m_window.sessions().open({path});
        waitUntil([&] { return !m_window.suites().windows().empty(); });
        const auto windows = m_window.suites().windows();
        EXPECT_EQ(windows.size(), 1U) << m_window.issues().issues().join("; ").toStdString();
        return windows.empty() ? nullptr : windows.front();
    }
    static QString cell(SuiteWindow& window, int row, const QString& heading) {
        const QAbstractItemModel& model = window.order();
        for (int column = 0; column < model.columnCount(); ++column)
            if (model.headerData(column, Qt::Horizontal).toString().trimmed() == heading)
                return model.index(row, column).data().toString();
        ADD_FAILURE() << heading.toStdString();
        return {};
    }
};

TEST_F(SuiteWindowTest, ShowsTheWorstFirstWithWhatEachValueComesTo) {
    writeSuite();
    SuiteWindow* window = openSuite(file().parent_path());
    ASSERT_NE(window, nullptr);
    ASSERT_EQ(window->order().rowCount(), 4);
    EXPECT_EQ(cell(*window, 0, "Prompt"), "a dog");
    EXPECT_EQ(cell(*window, 0, "PSNR, dB"), "30.00");
    EXPECT_EQ(cell(*window, 1, "PSNR, dB"), "42.00");
    EXPECT_EQ(cell(*window, 2, "PSNR, dB"), "–") << "what has none comes last";
    EXPECT_EQ(cell(*window, 1, "Backend"), "fav2");
    // Prompts are not cut.
    const WideColumnView& view = window->clips();
    EXPECT_GT(view.columnWidth(0), view.fontMetrics().horizontalAdvance(cell(*window, 1, "Prompt")));
    EXPECT_FALSE(window->order().index(0, 0).data(Qt::ToolTipRole).toString().isEmpty());

    const QTableWidget& values = window->values();
    ASSERT_EQ(values.rowCount(), 3) << "sdpa's seconds, fav2's PSNR and seconds";
    EXPECT_EQ(values.item(1, 3)->text(), "36.00 (30.00 to 42.00)");
    EXPECT_EQ(values.item(2, 4)->text(), "+1.00 (+1.00 to +1.00)");
    EXPECT_EQ(values.item(2, 5)->text(), "0 %");
    QStringList words;
    for (const QLabel* label : window->findChildren<QLabel*>()) words << label->text();
    EXPECT_TRUE(words.contains("fav2: 1 of 2 clips meet psnr>=40@50%: passed"))
        << words.join('\n').toStdString();
    EXPECT_TRUE(words.contains("sdpa: 0 of 1 clips meet psnr>=40@50%: failed"))
        << words.join('\n').toStdString();

    EXPECT_FALSE(words.filter("against /earlier: not compared: 'a cat that looks").isEmpty())
        << words.join('\n').toStdString();
    EXPECT_FALSE(words.filter("num_inference_steps 8 here, 4 there").isEmpty());

    window->order().showOnly(SuiteTable::Mark::Failed);
    ASSERT_EQ(window->order().rowCount(), 1);
    EXPECT_EQ(cell(*window, 0, "Error"), "no memory");
    window->order().showOnly(SuiteTable::Mark::Missed);
    EXPECT_EQ(window->order().rowCount(), 2);
    window->order().showOnly({});
    window->order().lookFor("DOG fav2");
    EXPECT_EQ(window->order().rowCount(), 1);
    // Opened again it is the same window's place.
    m_window.sessions().open({file()});
    ASSERT_TRUE(waitUntil([&] {
        return m_window.suites().windows().size() == 1 && m_window.suites().windows().front() != window;
    }));
}

TEST_F(SuiteWindowTest, ARowOpensTheGridOfItsSubject) {
    writeSuite();
    SuiteWindow* window = openSuite(file());
    ASSERT_NE(window, nullptr);
    window->clips().setCurrentIndex(window->order().index(1, 0));
    QKeyEvent enter(QEvent::KeyPress, Qt::Key_Return, Qt::NoModifier);
    QCoreApplication::sendEvent(&window->clips(), &enter);
    ASSERT_TRUE(waitUntil([&] { return clips().size() == 2; }))
        << m_window.issues().issues().join("; ").toStdString();
    EXPECT_EQ(clips()[1].label, "fav2");
    // The other subject's session isn't there.
    window->clips().setCurrentIndex(window->order().index(0, 0));
    QCoreApplication::sendEvent(&window->clips(), &enter);
    ASSERT_TRUE(waitUntil([&] { return m_window.issues().issues().size() == 1; }));
    EXPECT_EQ(clips().size(), 2U);
}

TEST_F(SuiteWindowTest, AFolderThatHoldsSomethingElseIsNoRowsAndNotVotedOn) {
    writeSuite();
    SuiteWindow* window = openSuite(file());
    ASSERT_NE(window, nullptr);
    std::mt19937 chance(1);
    ASSERT_TRUE(window->blindClips()->next(chance));
    const fs::path files = m_folder / "suite/0001/results/1.files";
    fs::create_directories(files);
    result::Manifest manifest;
    manifest.request.emplace();
    manifest.settings = result::wholeSettings("a tree", "fav2");
    std::ofstream(files / "manifest.json") << result::toJson(manifest);
    window->clips().setCurrentIndex(window->order().index(1, 0));
    QKeyEvent enter(QEvent::KeyPress, Qt::Key_Return, Qt::NoModifier);
    QCoreApplication::sendEvent(&window->clips(), &enter);
    const QString issues = m_window.issues().issues().join('\n');
    EXPECT_TRUE(issues.contains("0001/results/1.mp4 is not the row’s render: prompt"))
        << issues.toStdString();
    EXPECT_TRUE(issues.contains("a tree")) << issues.toStdString();
    EXPECT_FALSE(window->blindClips()->next(chance)) << "its only other pair failed";
    ASSERT_TRUE(waitUntil([&] { return clips().size() == 2; }));
}

TEST_F(SuiteWindowTest, ABlindTestDrawsPairsAndItsVotesAreKeptBesideTheSuite) {
    writeSuite();
    SuiteWindow* window = openSuite(file());
    ASSERT_NE(window, nullptr);
    Q_EMIT window->blindTestRequested(window->blindClips());
    ASSERT_TRUE(m_window.blindTest().isRunning());
    ASSERT_TRUE(m_window.blindTestView().isVisible());
    EXPECT_TRUE(m_window.actions()["blind-test"]->isChecked());
    for (int votes = 1; votes <= 2; ++votes)
        ASSERT_TRUE(waitUntil([&] {
            QKeyEvent left(QEvent::KeyPress, Qt::Key_Left, Qt::NoModifier);
            if (m_window.blindTest().voteCount() < votes)
                QCoreApplication::sendEvent(&m_window.blindTestView(), &left);
            return m_window.blindTest().voteCount() == votes;
        }));
    EXPECT_TRUE(m_window.sessions().shown().blindVotes().empty()) << "they are the suite's";
    m_window.actions()["blind-test"]->trigger();
    EXPECT_FALSE(m_window.blindTest().isRunning());
    auto* results = m_window.findChild<QDialog*>("blind-results");
    ASSERT_NE(results, nullptr);
    const auto* table = results->findChild<QTableWidget*>();
    EXPECT_EQ(table->horizontalHeaderItem(0)->text(), "Backend");
    ASSERT_EQ(table->rowCount(), 2) << "a row a value";
    EXPECT_EQ(table->item(0, 0)->text(), "sdpa");
    ASSERT_TRUE(waitUntil([&] {
        const auto kept = suite::readVotes(file().parent_path() / suite::kVotesFile);
        return kept && kept->size() == 2;
    }));
    // The next window has them.
    window->close();
    ASSERT_TRUE(waitUntil([&] { return m_window.suites().windows().empty(); }));
    window = openSuite(file());
    ASSERT_NE(window, nullptr);
    EXPECT_EQ(votesIn(window->blindClips()->results()), 2);
}

TEST_F(SuiteWindowTest, VotesOfAnotherWindowAreKeptAndCount) {
    writeSuite();
    SuiteWindow* window = openSuite(file());
    ASSERT_NE(window, nullptr);
    const fs::path votes = file().parent_path() / suite::kVotesFile;
    const fs::path results = file().parent_path() / "0001" / "results";
    const session::BlindVote theirs{results / "0.mp4", results / "1.mp4", session::Preference::Neither};
    const session::BlindVote ours{results / "1.mp4", results / "0.mp4", session::Preference::First};
    ASSERT_TRUE(suite::KeptVotes(votes).change({{theirs}, {}}));
    const auto kept = [&] { return suite::readVotes(votes).value(); };
    const auto clips = window->blindClips();
    clips->setVotes({ours});
    ASSERT_TRUE(waitUntil([&] { return clips->votes().size() == 2; }));
    EXPECT_EQ(kept(), (std::vector{theirs, ours}));
    EXPECT_EQ(votesIn(clips->results()), 2);
    // Taking back is about what was voted last here.
    std::vector<session::BlindVote> fewer = clips->votes();
    fewer.pop_back();
    clips->setVotes(fewer);
    ASSERT_TRUE(waitUntil([&] { return kept().size() == 1; }));
    EXPECT_EQ(kept(), std::vector{theirs});
    EXPECT_EQ(clips->votes(), std::vector{theirs});
    EXPECT_EQ(m_window.issues().issues(), QStringList());
}

TEST_F(SuiteWindowTest, WhatIsWrongWithASuiteIsSaidInOneLine) {
    writeSuite();
    auto document = nlohmann::json::parse(std::ifstream(file()));
    document["jobs"][1]["clip"] = "../../clip.mp4";
    ASSERT_TRUE(writeFile(file(), document.dump()));
    m_window.sessions().open({file()});
    ASSERT_TRUE(waitUntil([&] { return m_window.issues().issues().size() == 1; }));
    EXPECT_TRUE(m_window.issues().issues()[0].contains("job 2: clip \"../../clip.mp4\": a file inside"))
        << m_window.issues().issues()[0].toStdString();
    EXPECT_TRUE(m_window.suites().windows().empty());
}

}  // namespace
}  // namespace reelgrid::studio
