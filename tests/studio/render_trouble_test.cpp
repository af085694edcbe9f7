#include "tests/studio/window_fixture.h"

#include <algorithm>

namespace reelgrid::studio {
namespace {

TEST_F(WindowTest, AFailedBackendIsNamedAndTheOthersGoOn) {
    renderPrompt("fail, please");
    ASSERT_TRUE(
        waitUntil([&] { return clips()[0].onDisk && clips()[2].onDisk && clips()[1].status.failed; }));
    EXPECT_EQ(clips()[1].status.message, "denoise: 9 GB were needed, 1 GB is free");
    EXPECT_EQ(m_window.issues().issues(), QStringList{"fav2: denoise: 9 GB were needed, 1 GB is free"});
}

TEST_F(WindowTest, AWorkerThatDiesFailsItsJobsAndTheWindowLives) {
    m_window.editor().setCheckedBackends({"sdpa"});
    renderPrompt("die");
    ASSERT_TRUE(waitUntil([&] { return clips()[0].status.failed; }));
    EXPECT_FALSE(m_window.issues().issues().isEmpty());
    renderPrompt("live");
    ASSERT_TRUE(waitUntil([&] { return !clips().empty() && allOnDisk(); }));
}

TEST_F(WindowTest, ARunningRenderCanBeCancelled) {
    renderPrompt("slow");
    const auto states = [&] {
        std::vector<jobs::JobState> all;
        for (const QString& id : m_window.jobs().jobIds()) all.push_back(m_window.jobs().job(id).state);
        return all;
    };
    ASSERT_TRUE(waitUntil([&] { return std::ranges::count(states(), jobs::JobState::Running) == 1; }));
    for (const QString& id : m_window.jobs().jobIds()) Q_EMIT m_window.jobs().cancelRequested(id);
    ASSERT_TRUE(
        waitUntil([&] { return std::ranges::count(states(), jobs::JobState::Cancelled) == 3; }, 5000));
    for (const ComparedClip& clip : clips()) EXPECT_EQ(clip.status.message, "cancelled");
}

TEST_F(WindowTest, AFailedRenderCanBeTriedAgain) {
    m_window.editor().setCheckedBackends({"sdpa", "fav2"});
    int settled = 0;
    QObject::connect(&m_window.renders(), &RenderController::settled, [&] { ++settled; });
    const fs::path session = renderAndWait("fail once");
    ASSERT_TRUE(clips()[1].status.failed);
    EXPECT_EQ(settled, 1);
    EXPECT_EQ(session::loadSession(session)->session.clips.size(), 1U);
    for (const QString& id : m_window.jobs().jobIds())
        if (m_window.jobs().job(id).state == jobs::JobState::Failed)
            Q_EMIT m_window.jobs().retryRequested(id);
    EXPECT_TRUE(waitUntil([&] { return allOnDisk() && settled == 2; }));
    ASSERT_EQ(clips().size(), 2U);
    EXPECT_FALSE(clips()[1].status.failed);
    EXPECT_TRUE(waitUntil([&] { return session::loadSession(session)->session.clips.size() == 2; }));
}

TEST_F(WindowTest, PlaysOnceTheLastRenderHasEndedAndNotBefore) {
    int settled = 0;
    int arrived = 0;
    QObject::connect(&m_window.comparison(), &Comparison::clipArrived, [&] {
        ++arrived;
        EXPECT_EQ(settled, 0);
        EXPECT_FALSE(player().clock().playing());  // it would take time from the renders that are timed
    });
    QObject::connect(&m_window.renders(), &RenderController::settled, [&] {
        ++settled;
        EXPECT_TRUE(allOnDisk());
        EXPECT_TRUE(player().clock().playing());
    });
    renderPrompt("a square");
    ASSERT_TRUE(waitUntil([&] { return settled > 0; }));
    letRun(100);
    EXPECT_EQ(arrived, 3);
    EXPECT_EQ(settled, 1);
}

}  // namespace
}  // namespace reelgrid::studio
