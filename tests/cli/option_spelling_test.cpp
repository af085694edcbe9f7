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

TEST(OptionSpelling, TurboDiffusionsNamesBecomeOurs) {
    EXPECT_THAT(withCurrentSpelling({"--num_steps=4", "--save_path", "a_b.mp4", "--low_noise_model_path",
                                     "l.pth", "--high_noise_model_path", "h.pth", "--dit_path", "d.pth"}),
                ElementsAre("--num-inference-steps=4", "--output", "a_b.mp4", "--transformer-2", "l.pth",
                            "--dit-path", "h.pth", "--dit-path", "d.pth"));
}

TEST(OptionSpelling, LeavesWhatFollowsTheSeparator) {
    EXPECT_THAT(withCurrentSpelling({"stitch", "--", "--my_clip.mp4"}),
                ElementsAre("stitch", "--", "--my_clip.mp4"));
}

}  // namespace
}  // namespace reelgrid::cli
