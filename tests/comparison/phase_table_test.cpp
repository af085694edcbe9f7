#include "core/comparison/phase_table.h"

#include <gmock/gmock.h>

namespace reelgrid::comparison {
namespace {

TEST(PhaseTable, HasEachPhaseAFrameAndInAllAndWhatWasHeld) {
    result::Timing timing;
    timing.stages = {{"load", 9}, {"text", 0.25}, {"denoise", 16}, {"decode", 2}, {"lockstep", 5}};
    timing.addPeak("denoise", 8'500'000'000);
    EXPECT_THAT(
        phaseTable(timing, {.frames = 16, .latentBytes = 1'048'000, .weightBytes = 3'400'000'000}),
        testing::ElementsAre("phase            a frame       total", "text             0.016 s      0.25 s",
                             "denoise          1.000 s     16.00 s", "decode           0.125 s      2.00 s",
                             "all              1.141 s     18.25 s",
                             "latents 1.0 MB, weights 3.4 GB, memory at most 8.5 GB"));
}

TEST(PhaseTable, LeavesOutWhatIsNotKnown) {
    result::Timing timing;
    timing.stages = {{"text", 1}};
    EXPECT_THAT(phaseTable(timing, {.frames = 2}), testing::SizeIs(3));
}

}  // namespace
}  // namespace reelgrid::comparison
