#include "core/comparison/parameters_text.h"

#include <gtest/gtest.h>

namespace reelgrid::comparison {
namespace {

std::string settingsText(const char* parameters) {
    const auto origin = originOfParameters(parameters);
    return origin ? origin->text() : "(none)";
}

TEST(ParametersText, TellsPromptAndSettings) {
    const auto origin = originOfParameters(
        "a fox, Steps: 3 of snow\nsecond line\nNegative prompt: blurry,\nNegative prompt: bad\nSteps: 20, "
        "Sampler: DPM++ 2M, "
        "Schedule type: Karras, CFG scale: 7.5, Seed: 4294967296, Size: 512x512, Model hash: 12ab, "
        "Model: dream\\shaper_8.safetensors, Lora hashes: \"a: 1, Seed: 5\", Version: v1.9.0");
    ASSERT_TRUE(origin);
    EXPECT_EQ(origin->text(), "shaper_8 · DPM++ 2M Karras · 20 steps · cfg 7.5 · seed 4294967296");
    EXPECT_EQ(origin->prompt, "a fox, Steps: 3 of snow\nsecond line");
}

TEST(ParametersText, LeavesOutWhatIsMissingOrNoNumber) {
    EXPECT_EQ(settingsText("Steps: 5"), "5 steps");
    EXPECT_EQ(
        settingsText("Steps: many, Sampler: Euler a, Schedule type: Automatic, CFG scale: nan, Seed: -1"),
        "Euler a");
    EXPECT_EQ(settingsText("x\nSteps: 5, Hashes: \"open, Seed: 3"), "5 steps");
    EXPECT_EQ(settingsText("Steps: 5, Note: \"a, Seed: 1\\\", Seed: 2\", Seed: 3, Seed: 4"),
              "5 steps · seed 3");
}

TEST(ParametersText, OfAnotherKindGivesNothing) {
    for (const char* text :
         {"", "Steps: ", "Steps: ,,,", "a picture of Steps: 5", "{\"a\": 1}", "Steps", "\n\n\n"})
        EXPECT_EQ(settingsText(text), "(none)") << text;
}

TEST(ParametersText, ThatIsNotUtf8IsShownAllTheSame) {
    const auto origin = originOfParameters("caf\xe9\nSteps: 5, Sampler: \xff\xfe");
    ASSERT_TRUE(origin);
    EXPECT_EQ(origin->prompt, "caf\xef\xbf\xbd");
    EXPECT_EQ(origin->sampler, "??");
}

}  // namespace
}  // namespace reelgrid::comparison
