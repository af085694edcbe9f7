#include "core/session/known_files.h"

#include <gmock/gmock.h>

#include "tests/session/session_folder.h"

namespace reelgrid::session {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using Others = KnownFiles::Others;

/// Two windows that have opened one session.
class KnownFilesTest : public testing::Test {
  protected:
    SessionFolder m_folder;
    fs::path m_file = m_folder.path() / "session.json";
    fs::path m_a = m_folder.path() / "a.mp4", m_b = m_folder.path() / "b.mp4";
    BlindVote m_vote{m_a, m_b, Preference::First};
    KnownFiles m_ours, m_theirs;
    Session m_session;

    void SetUp() override {
        m_session.clips = {{m_a, "a", "sdpa", 0}, {m_b, "b", "fav2", 0}};
        ASSERT_TRUE(saveSession(m_session, m_file));
        for (KnownFiles* each : {&m_ours, &m_theirs}) each->note(m_file, loadSession(m_file).value());
    }
    [[nodiscard]] Session inFile() const { return loadSession(m_file).value().session; }
};

TEST_F(KnownFilesTest, VotesOfOthersAreAddedToOurs) {
    Session theirs = m_session;
    theirs.blindVotes = {m_vote, m_vote};
    theirs.playheadSeconds = 3;
    ASSERT_TRUE(m_theirs.save(theirs, m_file, Others::Ask));
    Session ours = m_session;
    ours.blindVotes = {m_vote};
    const auto saved = m_ours.save(ours, m_file, Others::Ask);
    ASSERT_TRUE(saved);
    EXPECT_FALSE(saved->mustAsk) << "a playhead is nobody's work";
    EXPECT_THAT(saved->added, ElementsAre(m_vote, m_vote));
    EXPECT_EQ(inFile().blindVotes.size(), 3U);
    EXPECT_THAT(m_ours.save(saved->session, m_file, Others::Ask)->added, IsEmpty());
    EXPECT_EQ(inFile().blindVotes.size(), 3U);
    EXPECT_THAT(m_theirs.save(theirs, m_file, Others::Ask)->added, ElementsAre(m_vote));
    EXPECT_EQ(inFile().blindVotes.size(), 3U);
}

TEST_F(KnownFilesTest, OtherChangesAreOverwrittenOnRequestAlone) {
    Session theirs = m_session;
    theirs.clips[0].label = "renamed";
    theirs.blindVotes = {m_vote};
    ASSERT_TRUE(m_theirs.save(theirs, m_file, Others::Ask));
    const auto asked = m_ours.save(m_session, m_file, Others::Ask);
    ASSERT_TRUE(asked);
    EXPECT_TRUE(asked->mustAsk);
    EXPECT_EQ(inFile().clips[0].label, "renamed");
    const auto written = m_ours.save(m_session, m_file, Others::Overwrite);
    ASSERT_TRUE(written);
    EXPECT_FALSE(written->mustAsk);
    EXPECT_EQ(inFile().clips[0].label, "a");
    EXPECT_THAT(inFile().blindVotes, ElementsAre(m_vote));
    // What both did is nobody's loss.
    ASSERT_TRUE(m_theirs.save(theirs, m_file, Others::Overwrite));
    Session same = m_session;
    same.clips[0].label = "renamed";
    EXPECT_FALSE(m_ours.save(same, m_file, Others::Ask)->mustAsk);
}

TEST_F(KnownFilesTest, WhatIsNoSessionAnyMoreIsAskedAboutToo) {
    m_folder.write("session.json", "{");
    EXPECT_TRUE(m_ours.save(m_session, m_file, Others::Ask)->mustAsk);
    EXPECT_FALSE(m_ours.save(m_session, m_file, Others::Overwrite)->mustAsk);
    EXPECT_EQ(inFile().clips.size(), 2U);
    fs::remove(m_file);
    EXPECT_FALSE(m_ours.save(m_session, m_file, Others::Ask)->mustAsk) << "nothing is lost";
    // A file that nobody opened here is what a person has chosen to replace.
    m_folder.write("other.json", "{");
    EXPECT_FALSE(KnownFiles().save(m_session, m_folder.path() / "other.json", Others::Ask)->mustAsk);
}

TEST_F(KnownFilesTest, AVoteOfTwoIsTakenAwayOnce) {
    EXPECT_THAT(votesSince({m_vote}, {m_vote, m_vote}), ElementsAre(m_vote));
    EXPECT_THAT(votesSince({m_vote, m_vote}, {m_vote}), IsEmpty());
}

}  // namespace
}  // namespace reelgrid::session
