#include "tests/studio/window_fixture.h"

#include "app/studio/comparison_charts.h"
#include "app/studio/rendered_comparison.h"
#include "app/studio/rendered_folder.h"
#include "core/machine/local_machine.h"

namespace reelgrid::studio {
namespace {

std::vector<std::string> backendsIn(const fs::path& session) {
    std::vector<std::string> names;
    const auto loaded = session::loadSession(session);
    EXPECT_TRUE(loaded) << loaded.error().message;
    for (const session::SessionClip& clip : loaded->session.clips) names.push_back(clip.attentionType);
    return names;
}

TEST_F(WindowTest, ARenderAfterOpeningASessionJoinsIt) {
    m_window.editor().setCheckedBackends({"sdpa", "fav2"});
    const fs::path session = renderAndWait("a square");
    ASSERT_EQ(backendsIn(session), (std::vector<std::string>{"sdpa", "fav2"}));

    MainWindow other;
    prepare(other);
    openIn(other, session, 2);
    EXPECT_EQ(other.editor().checkedBackends(), QStringList({"sdpa", "fav2"}));
    other.editor().setCheckedBackends({"sagev1"});
    other.editor().submit();
    const auto& joined = other.comparison().clips();
    ASSERT_EQ(joined.size(), 3U);
    EXPECT_EQ(joined[0].path, clips()[0].path);
    EXPECT_TRUE(joined[0].onDisk && joined[1].onDisk);
    EXPECT_EQ(joined[2].label, "sagev1");
    EXPECT_EQ(joined[2].path.parent_path(), session.parent_path());
    ASSERT_TRUE(waitUntil([&] { return allOnDisk(other) && backendsIn(session).size() == 3; }));

    // One of its backends again takes that clip's place.
    other.editor().setCheckedBackends({"fav2"});
    other.editor().submit();
    ASSERT_EQ(joined.size(), 3U);
    EXPECT_EQ(joined[2].label, "fav2");
    ASSERT_TRUE(waitUntil([&] {
        return allOnDisk(other) && backendsIn(session) == std::vector<std::string>{"sdpa", "sagev1", "fav2"};
    }));
}

TEST_F(WindowTest, ARenderOfAnotherSeedLeavesTheOpenedSessionAsItIs) {
    m_window.editor().setCheckedBackends({"sdpa"});
    const fs::path session = renderAndWait("a square");
    MainWindow other;
    prepare(other);
    openIn(other, session, 1);
    protocol::RenderRequest request = other.editor().request();
    request.seed = 7;
    other.editor().setRequest(request);
    other.editor().setCheckedBackends({"sdpa"});
    other.editor().submit();
    ASSERT_EQ(other.comparison().clips().size(), 1U);
    EXPECT_NE(other.comparison().clips()[0].path.parent_path(), session.parent_path());
    ASSERT_TRUE(waitUntil([&] { return allOnDisk(other); }));
    EXPECT_EQ(backendsIn(session), std::vector<std::string>{"sdpa"});
    EXPECT_TRUE(fs::exists(clips()[0].path));
}

TEST_F(WindowTest, AComparisonThatWasLeftWhileItRenderedIsSavedToo) {
    m_window.editor().setCheckedBackends({"sdpa", "fav2"});
    renderPrompt("a slow square");
    const fs::path first = clips()[0].path.parent_path() / "session.json";
    renderPrompt("another");
    EXPECT_NE(clips()[0].path.parent_path(), first.parent_path());
    ASSERT_TRUE(waitUntil([&] { return fs::exists(first); }));
    EXPECT_EQ(backendsIn(first), (std::vector<std::string>{"sdpa", "fav2"}));
    EXPECT_EQ(session::loadSession(first)->session.request.prompt, "a slow square");
    ASSERT_TRUE(waitUntil([&] { return allOnDisk(); }));
}

TEST_F(WindowTest, WhatIsRenderedAfterAComparisonWasClosedIsANewOne) {
    m_window.editor().setCheckedBackends({"sdpa"});
    const fs::path session = renderAndWait("a square");
    m_window.sessions().close();
    EXPECT_TRUE(clips().empty());
    renderPrompt("a square");
    EXPECT_NE(clips()[0].path.parent_path(), session.parent_path());
    ASSERT_TRUE(waitUntil([&] { return allOnDisk(); }));
}

TEST(OpenedComparison, RendersGoWhereItsClipsAre) {
    const fs::path folder = fs::path(testing::TempDir()) / ("opened_" + std::to_string(getpid()));
    fs::create_directories(folder);
    session::Session session;
    session.clips = {{folder / "results/a.mp4", "a", "", 0}};
    const auto folderFor = [&](const fs::path& file) {
        return openedComparison(session, file, "/results").folder;
    };
    EXPECT_EQ(folderFor(folder / "session.json"), folder / "results");
    session.clips[0].path = folder / "a.mp4";
    EXPECT_EQ(folderFor(folder / "session.json"), folder);
    session.clips[0].path = "/elsewhere/a.mp4";
    EXPECT_EQ(folderFor(folder / "session.json"), folder);
    // Nothing can be written there, or the session was opened in part.
    EXPECT_EQ(folderFor("/nowhere/session.json").parent_path(), "/results");
    EXPECT_EQ(folderFor("").parent_path(), "/results");
    fs::remove_all(folder);
}

TEST(OpenedComparison, APlaceThatCannotBeLookedAtIsLeftToTheRenderToNameAndEndsNothing) {
    const fs::path tooLong = fs::path(testing::TempDir()) / std::string(300, 'x');
    EXPECT_EQ(openedComparison({}, "", tooLong).folder.parent_path(), tooLong);
    EXPECT_FALSE(readRenderedFolder(tooLong));
}

TEST(Subject, IsEverythingThatDecidesThePicture) {
    families::ModelInfo model;
    model.id = "demo";
    model.tasks = {{.name = "t2v"}};
    model.extraFields = {"negative_prompt", "guidance_scale", "scheduler", "flow_shift"};
    model.schedulers = {"unipc", "euler"};
    model.defaults.task = "t2v";
    model.defaults.width = 256;
    model.defaults.height = 144;
    model.defaults.numFrames = 33;
    model.defaults.numInferenceSteps = 20;
    model.defaults.guidanceScale = 5;
    model.defaults.fps = 16;
    protocol::RenderRequest request;
    request.prompt = "a square";
    const auto same = [&](auto change) {
        protocol::RenderRequest other = request;
        change(other);
        return isSameSubject(request, other, model, machine::LocalMachine().now());
    };
    EXPECT_TRUE(same([](auto& other) { other.attentionType = "fav2"; }));
    EXPECT_TRUE(same([](auto& other) { other.attentionPolicy.rules = {{.backend = "fav2"}}; }));
    EXPECT_TRUE(same([](auto& other) { other.output = "/a.mp4"; }));
    EXPECT_TRUE(same([](auto& other) { other.numRepetitions = 3; }));
    EXPECT_TRUE(same([&](auto& other) { other.width = model.defaults.width; }));  // said or left to the model
    EXPECT_FALSE(same([](auto& other) { other.prompt = "a circle"; }));
    EXPECT_FALSE(same([](auto& other) { other.negativePrompt = "blurry"; }));
    EXPECT_FALSE(same([](auto& other) { other.seed = 7; }));
    EXPECT_FALSE(same([](auto& other) { other.width = 64; }));
    EXPECT_FALSE(same([](auto& other) { other.height = 64; }));
    EXPECT_FALSE(same([](auto& other) { other.numFrames = 5; }));
    EXPECT_FALSE(same([](auto& other) { other.numInferenceSteps = 5; }));
    EXPECT_FALSE(same([](auto& other) { other.guidanceScale = 1; }));
    EXPECT_FALSE(same([](auto& other) { other.scheduler = "euler"; }));
    EXPECT_FALSE(same([](auto& other) { other.flowShift = 2; }));
    // One of them is this machine's own.
    EXPECT_NE(same([](auto& other) { other.dtype = "fp32"; }),
              same([](auto& other) { other.dtype = "bf16"; }));
    EXPECT_FALSE(same([](auto& other) { other.model = "/models/other"; }));
}

TEST(ComparisonCharts, ProgressDrawsNoChartAgain) {
    Comparison comparison;
    widgets::TimingChart timing;
    widgets::CoherenceChart coherence;
    const ComparisonCharts charts(&comparison, &timing, &coherence);
    ComparedClip clip;
    clip.label = "sdpa";
    const int id = comparison.add(clip);
    ClipFacts facts;
    facts.result.timings.emplace_back().stages = {{"denoise", 2.0}};
    comparison.setFacts(id, facts);
    ASSERT_TRUE(waitUntil([&] { return timing.timings().size() == 1; }));
    const auto* drawn = timing.timings().data();
    comparison.setStatus(id, {"denoise 7 / 20", 0.3});
    letRun(150);
    EXPECT_EQ(timing.timings().data(), drawn);
    comparison.setFacts(id, facts);
    EXPECT_TRUE(waitUntil([&] { return timing.timings().data() != drawn; }));
    comparison.clear();
    EXPECT_TRUE(waitUntil([&] { return timing.timings().empty(); }));
}

}  // namespace
}  // namespace reelgrid::studio
