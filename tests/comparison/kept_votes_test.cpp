#include "core/suite/kept_votes.h"

#include <gmock/gmock.h>

#include "core/suite/suite_votes.h"
#include "tests/session/session_folder.h"

namespace reelgrid::suite {
namespace {

namespace fs = std::filesystem;
using session::BlindVote;
using session::Preference;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Two windows that have opened one suite.
class KeptVotesTest : public testing::Test {
  protected:
    session::SessionFolder m_folder;
    fs::path m_file = m_folder.path() / kVotesFile;
    fs::path m_a = m_folder.path() / "a.mp4", m_b = m_folder.path() / "b.mp4";
    BlindVote m_first{m_a, m_b, Preference::First}, m_second{m_a, m_b, Preference::Second},
        m_neither{m_b, m_a, Preference::Neither};
    KeptVotes m_ours{m_file}, m_theirs{m_file};

    [[nodiscard]] std::vector<BlindVote> inFile() const { return readVotes(m_file).value(); }
};

TEST_F(KeptVotesTest, VotesOfBothAreKeptAndEachCountsOnce) {
    ASSERT_TRUE(saveVotes({m_neither}, m_file));  // both have read it
    ASSERT_TRUE(m_theirs.change({{m_first}, {}}));
    const auto now = m_ours.change({{m_second}, {}});
    ASSERT_TRUE(now) << now.error().message;
    EXPECT_THAT(*now, ElementsAre(m_neither, m_first, m_second));
    EXPECT_EQ(inFile(), *now);
    // Another person's vote may be like ours.
    ASSERT_TRUE(m_theirs.change({{m_second}, {}}));
    EXPECT_THAT(inFile(), ElementsAre(m_neither, m_first, m_second, m_second));
    EXPECT_FALSE(fs::exists(m_folder.path() / ".votes.json.lock"));
}

TEST_F(KeptVotesTest, WhatEitherWithdrewStaysAway) {
    ASSERT_TRUE(saveVotes({m_neither, m_first}, m_file));
    ASSERT_TRUE(m_ours.change({{}, {m_first}}));
    ASSERT_TRUE(m_theirs.change({{m_second}, {}}));
    EXPECT_THAT(inFile(), ElementsAre(m_neither, m_second)) << "they had it, too";
    ASSERT_TRUE(m_theirs.change({{}, {m_neither}}));
    ASSERT_TRUE(m_ours.change({{m_first}, {m_neither}})) << "both withdrew it";
    EXPECT_THAT(inFile(), ElementsAre(m_second, m_first));
}

TEST_F(KeptVotesTest, AVoteIsTheSameAfterItsClipsWereNamed) {
    BlindVote named = m_first;
    named.firstSha256 = std::string(64, '0');
    ASSERT_TRUE(saveVotes({named, m_second}, m_file));
    ASSERT_TRUE(m_ours.change({{}, {m_first}}));
    EXPECT_THAT(inFile(), ElementsAre(m_second));
}

TEST_F(KeptVotesTest, AFileThatCantBeReadIsLeftAndVotesWait) {
    m_folder.write(kVotesFile, "{");
    const auto refused = m_ours.change({{m_first, m_second}, {}});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::InvalidData);
    EXPECT_THAT(refused.error().message, HasSubstr(m_file.string()));
    EXPECT_THAT(refused.error().message, HasSubstr("votes are not written over it"));
    ASSERT_TRUE(saveVotes({m_neither}, m_file));
    ASSERT_TRUE(m_ours.change({{}, {m_first}}));
    EXPECT_THAT(inFile(), ElementsAre(m_neither, m_second));
}

TEST_F(KeptVotesTest, AChangeIsWhatCameAndWhatWent) {
    const VoteChange change = changeBetween({m_first, m_first, m_second}, {m_first, m_neither});
    EXPECT_THAT(change.added, ElementsAre(m_neither));
    EXPECT_THAT(change.withdrawn, ElementsAre(m_first, m_second));
    EXPECT_THAT(changeBetween({m_first}, {m_first}).added, IsEmpty());
}

}  // namespace
}  // namespace reelgrid::suite
