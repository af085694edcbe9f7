#include "tests/studio/window_fixture.h"

#include <QCheckBox>
#include <algorithm>

namespace reelgrid::studio {
namespace {

TEST_F(WindowTest, OffersEveryBackendAndStartsWithBaselineExactAndQuantised) {
    EXPECT_EQ(m_window.editor().checkedBackends(), (QStringList{"sdpa", "fav2", "sagev1"}));
    const QStringList all{"sdpa", "fav2", "fav3", "fav3_fp8", "sagev1", "fav3_sage", "sla", "sagesla"};
    m_window.editor().setCheckedBackends(all);
    EXPECT_EQ(m_window.editor().checkedBackends(), all);
    for (const auto* box : m_window.editor().findChildren<QCheckBox*>())
        if (all.contains(box->text())) {
            EXPECT_EQ(box->toolTip().contains("On the CPU: "), box->text() != "sdpa")
                << box->text().toStdString();
        }
    renderPrompt("a square");
    ASSERT_EQ(clips().size(), 8U);
    ASSERT_TRUE(waitUntil([&] { return allOnDisk(); }));
    ASSERT_TRUE(waitUntil([&] {
        const auto& tiles = player().composition().tiles;
        return tiles.size() == 8 && tiles[0].frameIndex > 3 &&
               std::ranges::all_of(tiles,
                                   [&](const auto& tile) { return tile.frameIndex == tiles[0].frameIndex; });
    }));
    for (int i = 0; i < 8; ++i) EXPECT_EQ(clips()[std::size_t(i)].label, all[i]);
}

TEST_F(WindowTest, RendersThenPlaysThenExports) {
    renderPrompt("a square");
    ASSERT_EQ(clips().size(), 3U);
    EXPECT_EQ(clips()[0].label, "sdpa");  // first, as the others are measured against it
    EXPECT_EQ(m_window.grid().tileCount(), 3);
    ASSERT_TRUE(waitUntil([&] { return allOnDisk(); }));
    EXPECT_EQ(m_window.jobs().jobCount(), 3);

    // They play, in step.
    ASSERT_TRUE(waitUntil([&] {
        const auto& tiles = player().composition().tiles;
        return tiles.size() == 3 && tiles[0].frameIndex > 3 && tiles[1].frame && tiles[2].frame;
    }));
    EXPECT_TRUE(player().clock().playing());
    EXPECT_EQ(player().composition().tiles[0].frameIndex, player().composition().tiles[2].frameIndex);
    press(Qt::Key_Space);
    EXPECT_FALSE(player().clock().playing());

    // The charts have what the worker wrote and what was measured here against sdpa.
    ASSERT_TRUE(waitUntil([&] {
        return std::ranges::all_of(clips(),
                                   [](const ComparedClip& clip) { return clip.timing() && clip.facts; }) &&
               clips()[2].facts->result.metrics.drift;
    }));
    EXPECT_EQ(clips()[1].timing()->stage("denoise"), 2.0);
    EXPECT_EQ(clips()[1].facts->result.metrics.frameCorrelation->perFrame.size(), 16U);
    EXPECT_EQ(clips()[1].facts->result.metrics.drift->ssim->perFrame.size(), 17U);

    int frames = -1;
    QObject::connect(&m_window.gridExport(), &GridExport::finished,
                     [&](const QString&, const QString&, int count) { frames = count; });
    const fs::path output = m_folder / "grid.mp4";
    exportGrid(output);
    ASSERT_TRUE(waitUntil([&] { return frames >= 0; }));
    EXPECT_EQ(frames, 17);
    const auto written = media::Clip::open(output);
    ASSERT_TRUE(written) << written.error().message;
    EXPECT_EQ(written.value()->info().frameCount(), 17);
    EXPECT_GE(written.value()->info().width, 2 * 64);
    EXPECT_EQ(m_window.issues().issues(), QStringList());
}

TEST_F(WindowTest, APolicyStandsBesideThePlainRenderAndSurvivesASession) {
    m_window.editor().setCheckedBackends({"sdpa", "fav2"});
    renderPrompt("a square");
    std::ofstream(m_folder / "policy.json") << R"({"rules": [{"backend": "sdpa", "steps": [0, 1]}]})";
    m_window.editorFiles().readPolicy(m_folder / "policy.json");
    ASSERT_TRUE(waitUntil([&] { return !m_window.editor().request().attentionPolicy.empty(); }));
    m_window.editor().setCheckedBackends({"fav2"});
    Q_EMIT m_window.editor().renderRequested();
    ASSERT_EQ(clips().size(), 3U);
    EXPECT_EQ(clips()[1].label, "fav2");
    EXPECT_TRUE(clips()[2].label.startsWith("fav2+policy-")) << clips()[2].label.toStdString();
    ASSERT_TRUE(waitUntil([&] { return allOnDisk(); }));
    EXPECT_NE(clips()[1].path, clips()[2].path);
    EXPECT_EQ(m_window.comparison().reference()->label, "sdpa");

    ASSERT_TRUE(saveSession(m_folder / "session.json"));
    MainWindow other;
    other.show();
    other.sessions().open({m_folder / "session.json"});
    ASSERT_TRUE(waitUntil([&] { return other.comparison().clips().size() == 3U; }))
        << other.issues().issues().join("; ").toStdString();
    EXPECT_EQ(other.editor().request().attentionPolicy, m_window.editor().request().attentionPolicy);
    EXPECT_EQ(other.comparison().clips()[2].label, clips()[2].label);
}

TEST_F(WindowTest, ARenderOnSeveralRanksIsAskedForAndStaysInItsSession) {
    protocol::RenderRequest request = m_window.editor().request();
    request.ulyssesDegree = 3;
    request.ringDegree = 1;
    request.cfgParallel = 2;
    request.shardWeights = true;
    m_window.editor().setRequest(request);
    EXPECT_EQ(m_window.editor().request(), request);
    m_window.editor().setCheckedBackends({"sdpa"});
    const fs::path session = renderAndWait("a square");
    ASSERT_EQ(clips().size(), 1U);
    EXPECT_NE(clips()[0].path.filename().string().find("_ulysses3_ring1_cfg2_"), std::string::npos)
        << clips()[0].path;
    const auto* job = m_window.renders().jobs().find(m_window.jobs().jobIds()[0].toStdString());
    ASSERT_NE(job, nullptr);
    EXPECT_EQ(job->request.ulyssesDegree, 3);
    EXPECT_TRUE(job->request.shardWeights);
    EXPECT_EQ(m_window.issues().issues(), QStringList());

    MainWindow other;
    prepare(other);
    openIn(other, session, 1);
    EXPECT_EQ(other.editor().request().ulyssesDegree, 3);
    EXPECT_EQ(other.editor().request().cfgParallel, 2);
    EXPECT_TRUE(other.editor().request().shardWeights);
    EXPECT_EQ(other.editor().problem(), "");
}

TEST_F(WindowTest, APolicyThatCantBeReadIsAnIssueAndChangesNothing) {
    std::ofstream(m_folder / "policy.json") << R"({"rules": [{"backend": "sdpa", "step": 1}]})";
    m_window.editorFiles().readPolicy(m_folder / "policy.json");
    ASSERT_TRUE(waitUntil([&] { return m_window.issues().issues().size() == 1; }));
    EXPECT_TRUE(m_window.issues().issues()[0].contains("policy.json: rule 1: \"step\""))
        << m_window.issues().issues()[0].toStdString();
    EXPECT_TRUE(m_window.editor().request().attentionPolicy.empty());
}

}  // namespace
}  // namespace reelgrid::studio
