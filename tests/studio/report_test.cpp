#include "app/studio/session_report.h"

#include <unistd.h>

#include <chrono>
#include <stdexcept>

#include "app/studio/background_thread.h"
#include "core/base/pending_file.h"
#include "core/base/sha256.h"
#include "core/comparison/report.h"
#include "core/machine/local_machine.h"
#include "core/media/stitch.h"
#include "tests/studio/window_fixture.h"

namespace reelgrid::studio {
namespace {

std::string textOf(const fs::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
}

TEST_F(WindowTest, AComparisonThatSettledHasItsReport) {
    m_window.editor().setCheckedBackends({"sdpa", "fav2"});
    fs::path written;
    QObject::connect(&m_window.sessions(), &SessionController::reportSaved,
                     [&](const fs::path& file) { written = file; });
    const fs::path session = renderAndWait("a square & more");
    ASSERT_TRUE(waitUntil([&] { return !written.empty(); }))
        << m_window.issues().issues().join(' ').toStdString();
    EXPECT_EQ(written, session.parent_path() / "report.html");
    const std::string page = textOf(written);
    EXPECT_NE(page.find("<h1>a square &amp; more</h1>"), std::string::npos);
    EXPECT_NE(page.find("64×48 · 17 frames"), std::string::npos) << page.substr(0, 2000);
    for (const ComparedClip& clip : clips())  // linked, relative to the page
        EXPECT_NE(page.find("<a href=\"" + clip.path.filename().string() + "\">" + clip.label.toStdString()),
                  std::string::npos);
    EXPECT_NE(page.find("PSNR"), std::string::npos);  // measured here: the worker measures nothing
    EXPECT_EQ(m_window.issues().issues(), QStringList());
}

TEST(SessionReport, TellsAForeignPageFromItsOwn) {
    const fs::path folder = fs::path(testing::TempDir()) / ("report_" + std::to_string(getpid()));
    EXPECT_FALSE(isForeign(folder / "none.html"));
    writeFile(folder / "notes.html", "<h1>my notes</h1>").value();
    EXPECT_TRUE(isForeign(folder / "notes.html"));
    writeFile(folder / "report.html", comparison::reportHtml({})).value();
    EXPECT_FALSE(isForeign(folder / "report.html"));
    fs::remove_all(folder);
}

TEST_F(WindowTest, WorkThatThrowsIsAnIssueAndTheWindowGoesOn) {
    BackgroundThread background;
    QString why;
    QObject::connect(&background, &BackgroundThread::failed, [&](const QString& said) { why = said; });
    bool wentOn = false;
    background.run([](const std::stop_token&) -> BackgroundThread::Completion {
        throw std::runtime_error("no memory for that");
    });
    background.run(
        [&](const std::stop_token&) -> BackgroundThread::Completion { return [&] { wentOn = true; }; });
    ASSERT_TRUE(waitUntil([&] { return wentOn; }));
    EXPECT_EQ(why, "no memory for that");
}

TEST_F(WindowTest, AReportOfWhatIsOnShowCanBeSavedAnywhere) {
    session::Session session;
    session.request = m_window.editor().request();
    session.request.prompt = "a square";
    session.clips = {{writeClip("here/one.mp4"), "sdpa", "sdpa", 0},
                     {writeClip("here/two.mp4"), "mine", "fav2", 0}};
    ASSERT_TRUE(session::saveSession(session, m_folder / "session.json"));
    openIn(m_window, m_folder / "session.json", 2);
    fs::path written;
    QObject::connect(&m_window.sessions(), &SessionController::reportSaved,
                     [&](const fs::path& file) { written = file; });
    m_window.sessions().saveReport(m_folder / "page.html");
    ASSERT_TRUE(waitUntil([&] { return !written.empty(); }))
        << m_window.issues().issues().join(' ').toStdString();
    const std::string page = textOf(m_folder / "page.html");
    EXPECT_NE(page.find("<a href=\"here/two.mp4\">mine</a>"), std::string::npos) << page.substr(0, 2000);
}

TEST_F(WindowTest, ADriftFromAnotherClipIsNeitherShownNorReported) {
    const fs::path reference = writeClip("here/one.mp4");
    const fs::path metrics = m_folder / "here/two.files/metrics.json";
    session::Session session;
    session.request = m_window.editor().request();
    session.request.prompt = "a square";
    session.clips = {{reference, "sdpa", "sdpa", 0}, {writeClip("here/two.mp4"), "fav2", "fav2", 0}};
    fs::create_directories(metrics.parent_path());
    // As a comparison of another prompt leaves it, whose files have the same names.
    writeFile(metrics, R"({"frames":9,"drift":{"reference":"sdpa","reference_clip":"one.mp4",
                           "reference_sha256":"5d","measured_on":"decoded clips",
                           "psnr":{"mean":12.34,"per_frame":[12.34]}}})")
        .value();
    ASSERT_TRUE(session::saveSession(session, m_folder / "session.json"));
    openIn(m_window, m_folder / "session.json", 2);
    const auto drift = [&] {
        const auto& facts = clips().back().facts;
        return facts ? facts->result.metrics.drift : std::nullopt;
    };
    ASSERT_TRUE(waitUntil([&] { return drift().has_value(); }));
    EXPECT_EQ(drift()->referenceSha256, sha256OfFile(reference).value());
    EXPECT_EQ(drift()->psnr->mean, 100) << "the same pictures";
    const auto reported = [&] {
        EXPECT_TRUE(writeReport({session, {}, {}, machine::LocalMachine().now()}, m_folder / "page.html"));
        return textOf(m_folder / "page.html");
    };
    EXPECT_EQ(reported().find("12.34 dB"), std::string::npos);
    session.clips.erase(session.clips.begin());
    EXPECT_EQ(reported().find("12.34 dB"), std::string::npos) << "its reference isn't there";
    // Once the reference is gone, nothing is left that the others could be measured against.
    m_window.comparison().remove(clips()[0].id);
    EXPECT_TRUE(waitUntil([&] { return !drift(); }));
}

TEST_F(WindowTest, AReportSaysWhichRulesDecideNothing) {
    session::Session session;
    session.request = m_window.editor().request();
    session.request.prompt = "a square";
    session.request.attentionPolicy.rules = {{.backend = "sdpa"}, {.backend = "fav2"}};
    session.clips = {{writeClip("one.mp4"), "sdpa", "sdpa", 0}};
    ASSERT_TRUE(writeReport({session, {}, {}, machine::LocalMachine().now()}, m_folder / "page.html"));
    EXPECT_NE(textOf(m_folder / "page.html").find("(idle: earlier rules decide every call that it fits)"),
              std::string::npos);
}

TEST_F(WindowTest, AReportNamesABackendThatFailedUntilItIsTriedAgain) {
    const std::string failure = "<p class=\"failed\">fav2: denoise: 9 GB were needed, 1 GB is free</p>";
    m_window.editor().setCheckedBackends({"sdpa", "fav2"});
    fs::path written;
    const auto reported = [&] { return !written.empty(); };
    QObject::connect(&m_window.sessions(), &SessionController::reportSaved,
                     [&](const fs::path& file) { written = file; });
    renderPrompt("fail once");
    ASSERT_TRUE(waitUntil(reported));
    const fs::path report = written;
    EXPECT_NE(textOf(report).find(failure), std::string::npos);
    written.clear();
    m_window.sessions().saveReport(m_folder / "page.html");
    ASSERT_TRUE(waitUntil(reported));
    EXPECT_NE(textOf(m_folder / "page.html").find(failure), std::string::npos);

    written.clear();
    Q_EMIT m_window.jobs().retryRequested(m_window.jobs().jobIds()[1]);
    ASSERT_TRUE(waitUntil(reported));
    EXPECT_EQ(written, report);
    EXPECT_EQ(textOf(report).find(failure), std::string::npos);
    EXPECT_NE(textOf(report).find("attn_fav2_"), std::string::npos);
}

TEST_F(WindowTest, AReportNamesTheStitchedGridWhereItIsOfItsVeryClips) {
    session::Session session;
    session.request = m_window.editor().request();
    session.clips = {{writeClip("here/one.mp4"), "sdpa", "sdpa", 0}};
    const auto pageOf = [&](const fs::path& folder) {
        EXPECT_TRUE(
            writeReport({session, {}, folder, machine::LocalMachine().now()}, m_folder / "page.html"));
        return textOf(m_folder / "page.html");
    };
    EXPECT_EQ(pageOf(m_folder / "here").find("comparison_grid"), std::string::npos);
    EXPECT_NE(pageOf(m_folder / "here").find("src=\"data:video/mp4;base64,AAAA"), std::string::npos);
    const fs::path grid = writeClip("here/comparison_grid.mp4");
    EXPECT_EQ(pageOf(m_folder / "here").find("comparison_grid"), std::string::npos) << "nothing proves it";
    ASSERT_TRUE(media::stitch(std::vector<media::LabelledClip>{{session.clips[0].path, "sdpa"}}, grid));
    EXPECT_NE(pageOf(m_folder / "here").find("href=\"here/comparison_grid.mp4\""), std::string::npos);
    EXPECT_EQ(pageOf({}).find("comparison_grid"), std::string::npos);
    session.clips.push_back({writeClip("here/two.mp4", 5), "fav2", "fav2", 0});
    EXPECT_EQ(pageOf(m_folder / "here").find("comparison_grid"), std::string::npos) << "one more";
    session.clips.pop_back();
    writeClip("here/one.mp4", 7);
    fs::last_write_time(session.clips[0].path, fs::last_write_time(grid) - std::chrono::seconds(9));
    EXPECT_EQ(pageOf(m_folder / "here").find("comparison_grid"), std::string::npos) << "another clip";
}

TEST_F(WindowTest, AReportThatCannotBeWrittenIsAnIssue) {
    m_window.sessions().open({writeClip("one.mp4")});
    m_window.sessions().saveReport(m_folder / "one.mp4" / "page.html");
    ASSERT_TRUE(waitUntil([&] { return !m_window.issues().issues().isEmpty(); }));
    EXPECT_TRUE(m_window.issues().issues()[0].contains("one.mp4: Not a directory"))
        << m_window.issues().issues()[0].toStdString();
}

}  // namespace
}  // namespace reelgrid::studio
