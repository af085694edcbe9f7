#include "tests/studio/window_fixture.h"

#include <QDialog>
#include <QListWidget>

#include "app/studio/library.h"
#include "app/studio/recent_list.h"
#include "app/studio/render_menu.h"

namespace reelgrid::studio {
namespace {

TEST_F(WindowTest, ANewPromptKeepsTheEarlierComparisonWithinReach) {
    m_window.editor().setCheckedBackends({"sdpa", "fav2"});
    const fs::path first = renderAndWait("a square");
    const fs::path firstClip = clips()[0].path;
    m_window.editor().setCheckedBackends({"sdpa"});
    renderAndWait("a slower square");
    ASSERT_EQ(clips().size(), 1U);

    ASSERT_TRUE(waitUntil([&] { return m_window.sessions().recent().all().size() == 2; }));
    const RecentComparison& newest = m_window.sessions().recent().all()[0];
    const RecentComparison& earlier = m_window.sessions().recent().all()[1];
    EXPECT_EQ(newest.prompt, "a slower square");
    EXPECT_EQ(earlier.prompt, "a square");
    EXPECT_EQ(earlier.backends, (QStringList{"sdpa", "fav2"}));
    EXPECT_LE(std::abs(earlier.when.secsTo(QDateTime::currentDateTime())), 60);
    // Its middle frame: a bright square on the worker's ground.
    const QImage picture = QImage::fromData(earlier.picture);
    ASSERT_FALSE(picture.isNull());
    EXPECT_GT(qRed(picture.pixel(picture.width() * 16 / 64, picture.height() / 2)),
              qRed(picture.pixel(picture.width() * 50 / 64, picture.height() / 2)) + 40);

    // And the list opens it.
    m_window.sessions().close();
    auto* list = m_window.findChild<RecentList*>();
    ASSERT_NE(list, nullptr);
    ASSERT_TRUE(list->isVisible());
    ASSERT_EQ(list->count(), 2);
    EXPECT_TRUE(list->item(1)->text().startsWith("a square\nsdpa, fav2\n"))
        << list->item(1)->text().toStdString();
    EXPECT_EQ(list->item(1)->data(Qt::DecorationRole).value<QPixmap>().height(), 108);
    Q_EMIT list->itemActivated(list->item(1));
    ASSERT_TRUE(waitUntil([&] { return clips().size() == 2; }));
    EXPECT_EQ(clips()[0].path, firstClip);
    EXPECT_EQ(m_window.editor().request().prompt, "a square");
    EXPECT_TRUE(
        m_window.windowTitle().startsWith(QString::fromStdString(first.parent_path().filename().string())));
    EXPECT_EQ(m_window.issues().issues(), QStringList());
}

TEST_F(WindowTest, ClipsThatNoSessionNamesAreAComparisonOfTheirFolder) {
    const fs::path folder = m_folder / "results/20250101-000000-a-car";
    writeClip("results/20250101-000000-a-car/wan_result_t2v_attn_fav2_32x32.mp4");
    const fs::path reference = writeClip("results/20250101-000000-a-car/wan_result_t2v_attn_sdpa_32x32.mp4");
    const fs::path files = folder / "wan_result_t2v_attn_sdpa_32x32.files";
    fs::create_directories(files);
    std::ofstream(files / "manifest.json")
        << R"({"request": {"prompt": "a car", "seed": 9, "attention_type": "sdpa"}})";
    fs::create_directories(m_folder / "results/empty");
    std::ofstream(m_folder / "results/stray.txt") << "no comparison";

    const auto found = findRecentComparisons(m_folder / "results", {});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].prompt, "a car");
    EXPECT_EQ(found[0].backends, (QStringList{"sdpa", "fav2"}));
    EXPECT_FALSE(found[0].picture.isEmpty());
    openIn(m_window, folder, 2);
    EXPECT_EQ(clips()[0].path, reference);
    EXPECT_EQ(m_window.editor().request().seed, 9U);
}

TEST_F(WindowTest, TheLibraryFindsComparisonsByTheirWords) {
    for (const auto& [folder, prompt, seed] :
         {std::tuple("one", "a red car", 7), {"two", "a blue car", 8}, {"three", "a red ball", 9}}) {
        session::Session session;
        session.request.prompt = prompt;
        session.request.seed = std::uint64_t(seed);
        session.clips = {{writeClip(fs::path("results") / folder / "clip.mp4"), "fav2", "fav2", 0}};
        ASSERT_TRUE(session::saveSession(session, m_folder / "results" / folder / "session.json"));
    }
    Library* library = m_window.renderMenu().openLibrary();
    const RecentList& list = library->list();
    ASSERT_TRUE(waitUntil([&] { return list.count() == 3; }));
    const auto shown = [&] {
        int count = 0;
        for (int row = 0; row < list.count(); ++row) count += !list.item(row)->isHidden();
        return count;
    };
    library->lookFor("car RED");
    EXPECT_EQ(shown(), 1);
    library->lookFor("fav2 seed");
    EXPECT_EQ(shown(), 3);
    library->lookFor("sla");
    EXPECT_EQ(shown(), 0);
    // What has not changed is not read again.
    std::vector<RecentComparison> known = m_window.sessions().recent().all();
    known[0].prompt = "as it was known";
    EXPECT_EQ(findRecentComparisons(m_folder / "results", {}, known)[0].prompt, "as it was known");
    fs::last_write_time(known[0].folder, fs::last_write_time(known[0].folder) + std::chrono::seconds(5));
    EXPECT_NE(findRecentComparisons(m_folder / "results", {}, known)[0].prompt, "as it was known");
}

TEST_F(WindowTest, ARecentComparisonOpensNoClipFromElsewhereForItsPicture) {
    session::Session session;
    session.clips = {{writeClip("outside.mp4"), "outside", "", 0}};
    fs::create_directories(m_folder / "results/one");
    ASSERT_TRUE(session::saveSession(session, m_folder / "results/one/session.json"));
    EXPECT_TRUE(findRecentComparisons(m_folder / "results", {}).empty());
}

TEST_F(WindowTest, WhereNothingWasRenderedThereIsNoList) {
    EXPECT_TRUE(findRecentComparisons(m_folder / "nowhere", {}).empty());
    ASSERT_TRUE(waitUntil([&] { return !m_window.findChild<RecentList*>()->isVisible(); }));
}

TEST_F(WindowTest, AResultsFolderThatCannotBeReadIsOneIssue) {
    const fs::path results = m_folder / "results";
    fs::remove_all(results);
    fs::create_symlink("results", results);  // a circle, which root can't read either
    m_window.sessions().lookForRecent();
    ASSERT_TRUE(waitUntil([&] { return !m_window.issues().issues().isEmpty(); }));
    EXPECT_TRUE(m_window.issues().issues()[0].contains("results: Too many levels"))
        << m_window.issues().issues()[0].toStdString();
    fs::remove(results);
}

}  // namespace
}  // namespace reelgrid::studio
