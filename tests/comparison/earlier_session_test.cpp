#include "core/comparison/earlier_session.h"

#include <gmock/gmock.h>

#include "core/base/sha256.h"
#include "tests/session/session_folder.h"

namespace reelgrid::comparison {
namespace {

namespace fs = std::filesystem;
using session::Preference;
using session::Session;
using testing::ElementsAre;
using testing::IsEmpty;

/// A folder with two renders, a third one of a person's, and a session of them as the studio saves it.
class EarlierSessionTest : public testing::Test {
  protected:
    session::SessionFolder m_folder;
    fs::path m_file = m_folder.path() / "session.json";
    fs::path m_sdpa = m_folder.write("results/sdpa.mp4", "clip of sdpa");
    fs::path m_fav2 = m_folder.write("results/fav2.mp4", "clip of fav2");
    fs::path m_own = m_folder.write("own.mp4", "a clip of their own");
    Session m_session;

    void SetUp() override {
        for (const fs::path& clip : {m_sdpa, m_fav2}) {
            fs::path files = clip;
            fs::create_directories(files.replace_extension(".files"));
        }
        m_session.clips = {{m_own, "the original", "", 0.5},
                           {m_fav2, "my favourite", "fav2", 0},
                           {m_sdpa, "sdpa", "sdpa", 0}};
        m_session.loop = session::LoopRange{0.25, 1};
        m_session.playheadSeconds = 0.5;
        m_session.charts.measure = "psnr";
        session::ViewState& view = m_session.view.emplace();
        view.reference = 2;
        view.solo = 1;
        view.offsets = {{}, {0, 3}, {}};
        m_session.blindVotes = {{m_sdpa, m_fav2, Preference::First},
                                {m_fav2, m_own, Preference::Second},
                                {m_own, m_sdpa, Preference::Neither}};
    }
    [[nodiscard]] EarlierSession read() const {
        EXPECT_TRUE(session::saveSession(m_session, m_file));
        return EarlierSession::read(m_file);
    }
    /// As a comparison of both makes it.
    [[nodiscard]] Session fresh() const {
        Session session;
        session.clips = {{m_sdpa, "sdpa", "sdpa", 0}, {m_fav2, "fav2", "fav2", 0}};
        session.request.prompt = "a red car";
        return session;
    }
    static std::vector<std::string> labelsOf(const Session& session) {
        std::vector<std::string> labels;
        for (const session::SessionClip& clip : session.clips) labels.push_back(clip.label);
        return labels;
    }
};

TEST_F(EarlierSessionTest, IsKeptWholeWhereItsClipsAreTheSame) {
    const EarlierSession earlier = read();
    Session session = fresh();
    EXPECT_THAT(earlier.keepIn(session), IsEmpty());
    EXPECT_THAT(labelsOf(session), ElementsAre("the original", "my favourite", "sdpa"));
    EXPECT_EQ(session.clips[0].offsetSeconds, 0.5);
    EXPECT_EQ(session.blindVotes, m_session.blindVotes);
    EXPECT_EQ(session.loop, m_session.loop);
    EXPECT_EQ(session.playheadSeconds, 0.5);
    EXPECT_EQ(session.charts, m_session.charts);
    EXPECT_EQ(session.view->reference, 2);
    EXPECT_EQ(session.view->offsets[1], (session::ClipOffset{0, 3}));
    EXPECT_EQ(session.request.prompt, "a red car") << "of the comparison";
}

TEST_F(EarlierSessionTest, LosesWhatIsOfAClipThatWasRenderedAgain) {
    const EarlierSession earlier = read();
    m_folder.write("results/fav2.mp4", "another one of fav2");
    Session session = fresh();
    EXPECT_THAT(earlier.keepIn(session),
                ElementsAre("2 votes were of clips that were rendered again: dropped",
                            "1 label was of a clip that was rendered again: dropped",
                            "1 offset was of a clip that was rendered again: dropped"));
    EXPECT_THAT(labelsOf(session), ElementsAre("the original", "fav2", "sdpa"));
    EXPECT_THAT(session.blindVotes, ElementsAre(m_session.blindVotes[2]));
    EXPECT_EQ(session.loop, m_session.loop);
    EXPECT_EQ(session.view->solo, 1) << "a place in the grid is no clip's";
    EXPECT_THAT(session.view->offsets, IsEmpty());
}

TEST_F(EarlierSessionTest, AVoteWithHashesHoldsForTheClipsThatWereSeen) {
    m_session.blindVotes = {
        {m_sdpa, m_fav2, Preference::First, sha256OfFile(m_sdpa).value(), sha256OfFile(m_fav2).value()},
        {m_sdpa, m_fav2, Preference::Second, sha256OfFile(m_sdpa).value(), std::string(64, '0')}};
    const EarlierSession earlier = read();
    Session session = fresh();
    EXPECT_THAT(earlier.keepIn(session),
                ElementsAre("1 vote was of a clip that was rendered again: dropped"));
    EXPECT_THAT(session.blindVotes, ElementsAre(m_session.blindVotes[0]));
}

TEST_F(EarlierSessionTest, ARenderThatWasNotAskedForStaysForWhatWasSaidOfItAlone) {
    m_session.clips[1].label = "fav2";
    m_session.blindVotes = {m_session.blindVotes[2]};
    Session session = fresh();
    session.clips.pop_back();
    EXPECT_THAT(read().keepIn(session), IsEmpty());
    EXPECT_THAT(labelsOf(session), ElementsAre("the original", "sdpa")) << "nobody said a thing of fav2";
    EXPECT_EQ(session.view->reference, 1) << "sdpa, still";
    EXPECT_EQ(session.view->solo, -1);

    m_session.blindVotes = {{m_sdpa, m_fav2, Preference::First}};
    session = fresh();
    session.clips.pop_back();
    EXPECT_THAT(read().keepIn(session), IsEmpty());
    EXPECT_THAT(labelsOf(session), ElementsAre("the original", "fav2", "sdpa"));
    EXPECT_EQ(session.blindVotes, m_session.blindVotes);
}

TEST_F(EarlierSessionTest, HowItIsLookedAtIsOfClipsThatStay) {
    m_session.clips = {{m_sdpa, "sdpa", "sdpa", 0}};
    m_session.blindVotes.clear();
    m_session.view.reset();
    const EarlierSession earlier = read();
    m_folder.write("results/sdpa.mp4", "another one of sdpa");
    Session session = fresh();
    EXPECT_THAT(earlier.keepIn(session),
                ElementsAre("how it was looked at was of clips that were rendered again: dropped"));
    EXPECT_FALSE(session.loop);
}

TEST_F(EarlierSessionTest, IsNothingWithoutAFileAndAnErrorOfADamagedOne) {
    Session session = fresh();
    const EarlierSession none = EarlierSession::read(m_folder.path() / "none.json");
    EXPECT_FALSE(none.error());
    EXPECT_THAT(none.keepIn(session), IsEmpty());
    const EarlierSession damaged = EarlierSession::read(m_folder.write("damaged.json", "{"));
    ASSERT_TRUE(damaged.error());
    EXPECT_THAT(damaged.keepIn(session), IsEmpty());
    EXPECT_EQ(session.clips.size(), 2U);
}

}  // namespace
}  // namespace reelgrid::comparison
