#include "app/cli/option_spelling.h"

#include <gmock/gmock.h>

namespace reelgrid::cli {
namespace {

using testing::ElementsAre;

TEST(OptionSpelling, UnderscoresBecomeHyphensInNamesOnly) {
    EXPECT_THAT(
        withCurrentSpelling({"render", "--num_frames", "81", "--output=my_clip.mp4", "--prompt", "a_b"}),
        ElementsAre("render", "--num-frames", "81", "--output=my_clip.mp4", "--prompt", "a_b"));
}

TEST(OptionSpelling, OldNamesBecomeTheNewOnes) {
    EXPECT_THAT(
        withCurrentSpelling({"--model_path", "x", "--model-path=y", "--compile", "-metric", "-no_k_smooth"}),
        ElementsAre("--model", "x", "--model=y", "--use-torch-compile", "--metric", "--no-k-smooth"));
}

TEST(OptionSpelling, StepsAreThoseOfInference) {
    EXPECT_THAT(withCurrentSpelling({"render", "--steps", "28"}),
                ElementsAre("render", "--num-inference-steps", "28"));
}

TEST(OptionSpelling, LeavesWhatFollowsTheSeparator) {
    EXPECT_THAT(withCurrentSpelling({"stitch", "--", "--my_clip.mp4"}),
                ElementsAre("stitch", "--", "--my_clip.mp4"));
}

}  // namespace
}  // namespace reelgrid::cli
