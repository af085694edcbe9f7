#include "widgets/panels/prompt_guide.h"

#include <gtest/gtest.h>

namespace reelgrid::widgets {
namespace {

constexpr const char* kGuide = R"({
    "words": {"objects": ["cat", "puppy", "fox", "t-rex", "fire truck", "snowman", "tree", "star"],
              "backgrounds": ["among the trees", "under the stars at night"],
              "motions": ["bouncing"], "colours": ["red"]},
    "suggestions": ["a red cat bouncing", "a fox among the trees"]})";

TEST(PromptGuide, HasTheWordsByGroupAndTheSuggestions) {
    const auto guide = PromptGuide::parse(kGuide, "guide");
    ASSERT_TRUE(guide) << guide.error().message;
    ASSERT_EQ(guide->groups().size(), 4U);
    EXPECT_EQ(guide->groups()[0].title, "Objects");
    EXPECT_EQ(guide->groups()[1].words, (QStringList{"among the trees", "under the stars at night"}));
    EXPECT_EQ(guide->suggestions(), (QStringList{"a red cat bouncing", "a fox among the trees"}));
    EXPECT_TRUE(PromptGuide().isEmpty());
}

TEST(PromptGuide, FindsObjectsAsWholeWordsInAnyCaseAndNumber) {
    const auto guide = PromptGuide::parse(kGuide, "guide");
    ASSERT_TRUE(guide) << guide.error().message;
    for (const char* known :
         {"a CAT, bouncing", "the cat's hat", "the cat’s hat", "two cats", "Puppies!", "foxes", "a T-Rex",
          "a t rex", "red fire trucks", "fire-truck", "three snowmen", "a tree among the trees"})
        EXPECT_TRUE(guide->namesKnownObject(QString::fromUtf8(known))) << known;
    for (const char* unknown : {"", "  ", "a wizard", "a catalogue", "a fire", "a truck on fire", "concat",
                                "starfish", "a sofa among the trees", "a sofa Under the Stars, at night"})
        EXPECT_FALSE(guide->namesKnownObject(unknown)) << unknown;
}

TEST(PromptGuide, SaysWhatIsWrongWithADamagedFile) {
    const auto messageOf = [](const char* json) {
        const auto guide = PromptGuide::parse(json, "guide.json");
        return guide ? std::string() : guide.error().message;
    };
    EXPECT_NE(messageOf("{\"words\": ").find("guide.json"), std::string::npos);
    EXPECT_NE(messageOf("[]").find("guide.json"), std::string::npos);
    EXPECT_NE(messageOf(R"({"suggestions": ["a"]})").find("words"), std::string::npos);
    EXPECT_NE(messageOf(R"({"suggestions": ["a", 3], "words": {}})").find("suggestions: 3"),
              std::string::npos);
    EXPECT_NE(messageOf(R"({"suggestions": ["a"], "words": {"objects": []}})").find("objects: empty"),
              std::string::npos);
    const auto absent = PromptGuide::read("/nowhere/demo.json");
    ASSERT_FALSE(absent);
    EXPECT_EQ(absent.error().code, ErrorCode::NotFound);
}

TEST(PromptGuide, EveryBundledSuggestionNamesAKnownObject) {
    const auto guide = PromptGuide::read(REELGRID_SOURCE_DIR "/resources/prompts/demo.json");
    ASSERT_TRUE(guide) << guide.error().message;
    EXPECT_EQ(guide->suggestions().size(), 8);
    for (const QString& prompt : guide->suggestions())
        EXPECT_TRUE(guide->namesKnownObject(prompt)) << prompt.toStdString();
}

}  // namespace
}  // namespace reelgrid::widgets
