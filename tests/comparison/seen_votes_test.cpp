#include "core/comparison/seen_votes.h"

#include <gmock/gmock.h>

#include "core/base/sha256.h"
#include "tests/session/session_folder.h"

namespace reelgrid::comparison {
namespace {

using session::BlindVote;
using session::Preference;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(SeenVotes, CountForTheClipsThatWereSeenAlone) {
    const session::SessionFolder folder;
    const auto a = folder.write("a.mp4", "what was seen of a");
    const auto b = folder.write("b.mp4", "what was seen of b");
    const BlindVote known{a, b, Preference::First, sha256OfFile(a).value(), sha256OfFile(b).value()};
    const BlindVote old{b, a, Preference::Second};
    const BlindVote halfKnown{b, a, Preference::Neither, {}, sha256OfFile(a).value()};
    const std::vector<BlindVote> votes{known, old, halfKnown};
    result::ComponentHasher hasher;
    EXPECT_EQ(seenVotes(votes, hasher).counted, votes);
    EXPECT_EQ(seenVotes(votes, hasher).ofOthers, 0);

    folder.write("b.mp4", "another render in its place");
    SeenVotes seen = seenVotes(votes, hasher);
    EXPECT_THAT(seen.counted, ElementsAre(old, halfKnown)) << "they don't say which clip b was";
    EXPECT_EQ(seen.ofOthers, 1);
    folder.write("a.mp4", "another one of a, too");
    seen = seenVotes(votes, hasher);
    EXPECT_THAT(seen.counted, ElementsAre(old));
    EXPECT_EQ(seen.ofOthers, 2);

    std::filesystem::remove(a);
    std::filesystem::remove(b);
    EXPECT_EQ(seenVotes(votes, hasher).counted, votes) << "nothing else lies there";
}

TEST(SeenVotes, AreAboutTwoOfTheClips) {
    const std::vector<BlindVote> votes{{"/a", "/b", Preference::First}, {"/a", "/gone", Preference::First}};
    EXPECT_THAT(votesAbout({"/a", "/b"}, votes), ElementsAre(votes[0]));
    EXPECT_THAT(votesAbout({"/a"}, votes), IsEmpty());
}

}  // namespace
}  // namespace reelgrid::comparison
