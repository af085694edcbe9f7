#include "core/protocol/prompt_travel.h"

#include <gmock/gmock.h>

namespace reelgrid::protocol {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(PromptTravel, IsPromptsAtFrames) {
    EXPECT_THAT(promptTravelFrom("").value(), testing::IsEmpty());
    const auto travel = promptTravelFrom(" 0: a cat: black, small |8:a dog|\n12 : ").value();
    EXPECT_THAT(travel,
                ElementsAre(PromptAt{0, "a cat: black, small"}, PromptAt{8, "a dog"}, PromptAt{12, ""}));
    EXPECT_EQ(promptTravelFrom(promptTravelText(travel)).value(), travel);
}

TEST(PromptTravel, SaysWhatIsWrongWithAnEntry) {
    for (const auto& [text, needed] : {std::pair{"a dog", "'a dog': FRAME: PROMPT"},
                                       {" \t", "FRAME: PROMPT"},
                                       {"8: a|b: c", "'b: c': FRAME: PROMPT"},
                                       {"-1: a", "'-1: a': FRAME: PROMPT"},
                                       {"99999999999: a", "FRAME: PROMPT"},
                                       {"8: a | 8: b", "a frame after 8"}}) {
        const auto travel = promptTravelFrom(text);
        ASSERT_FALSE(travel) << text;
        EXPECT_EQ(travel.error().code, ErrorCode::BadUsage);
        EXPECT_THAT(travel.error().message, HasSubstr(needed));
    }
}

}  // namespace
}  // namespace reelgrid::protocol
