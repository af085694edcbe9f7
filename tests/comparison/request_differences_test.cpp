#include "core/comparison/request_differences.h"

#include <gmock/gmock.h>

namespace reelgrid::comparison {
namespace {

using result::Manifest;
using testing::ElementsAre;
using testing::IsEmpty;

Manifest rendered(const std::string& backend) {
    Manifest manifest;
    manifest.modelId = "demo";
    catalog::RenderSettings& settings = manifest.settings.emplace();
    settings.attentionType = backend;
    settings.prompt = "a red car";
    settings.width = settings.height = 64;
    settings.numFrames = 5;
    settings.numInferenceSteps = 2;
    settings.guidanceScale = 2.5;
    return manifest;
}

TEST(RequestDifferences, TheBackendIsNone) {
    const Manifest sdpa = rendered("sdpa"), sla = rendered("sla");
    EXPECT_THAT(requestDifferences({&sdpa, &sla}, Beside::Kernel), IsEmpty());
    EXPECT_THAT(requestDifferences({}, Beside::Kernel), IsEmpty());
}

TEST(RequestDifferences, AreNamedOnceInAPersonsWords) {
    const Manifest sdpa = rendered("sdpa");
    Manifest sla = rendered("sla"), fav2 = rendered("fav2");
    sla.settings->prompt = "a green tree";
    sla.settings->seed = 9;
    fav2.settings->seed = 7;
    fav2.settings->width = fav2.settings->height = 96;
    fav2.settings->numInferenceSteps = 1;
    fav2.settings->flowShift = 3;
    const auto words = requestDifferences({&sdpa, &sla, &fav2}, Beside::Kernel);
    EXPECT_THAT(words, ElementsAre("prompt", "seed", "size", "steps", "flow shift"));
    EXPECT_EQ(listed(words), "prompt, seed, size, steps and flow shift");
    EXPECT_EQ(listed({"seed"}), "seed");
    EXPECT_THAT(workDifferences(sdpa, sla), IsEmpty()) << "a prompt takes no time";
    EXPECT_THAT(workDifferences(sdpa, fav2), ElementsAre("size", "steps", "flow shift"));
}

TEST(RequestDifferences, AStepCacheIsNoKernelButComparedWithOthers) {
    const Manifest whole = rendered("sdpa");
    Manifest cached = rendered("sdpa");
    cached.settings->stepCache.threshold = 0.1;
    EXPECT_THAT(requestDifferences({&whole, &cached}, Beside::Kernel), ElementsAre("step cache"));
    EXPECT_THAT(requestDifferences({&whole, &cached}, Beside::Picture), ElementsAre("step cache"));
    EXPECT_THAT(requestDifferences({&whole, &cached}, Beside::Shortcuts), IsEmpty());
}

TEST(RequestDifferences, AnotherModelIsSaidOnce) {
    Manifest here = rendered("sdpa"), there = rendered("sla");
    here.modelHashes = {{"vae", std::string(64, '3')}, {"transformer", std::string(64, '4')}};
    there.modelHashes = {{"vae", std::string(64, '5')}, {"transformer", std::string(64, '6')}};
    EXPECT_THAT(requestDifferences({&here, &there}, Beside::Kernel), ElementsAre("model"));
    EXPECT_THAT(workDifferences(here, there), ElementsAre("model"));
}

TEST(RequestDifferences, WhereOneClipAloneSaysWhatItDidTheirTimesAreNotAlike) {
    const Manifest known = rendered("sdpa"), unknown;
    EXPECT_THAT(workDifferences(known, unknown), ElementsAre("what is known of them"));
    EXPECT_THAT(workDifferences(unknown, unknown), IsEmpty());
    EXPECT_THAT(requestDifferences({&unknown, &known}, Beside::Kernel), IsEmpty());
}

}  // namespace
}  // namespace reelgrid::comparison
