#include "core/media/text_tags.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/jobs/temporary_folder.h"
#include "tests/media/tagged_file.h"

namespace reelgrid::media {
namespace {

std::string tagText(const std::vector<TextTag>& tags, const std::string& name) {
    for (const TextTag& tag : tags)
        if (tag.name == name) return tag.text;
    return "(none)";
}

class TextTags : public testing::Test {
  protected:
    jobs::TemporaryFolder m_folder;
};

TEST_F(TextTags, OfEveryKindOfFileAreReadUnderOneName) {
    const std::string text = R"({"3": {"a": "é \" \\ = ;"}})";
    for (const char* name : {"a.mp4", "a.mkv", "a.webm"}) {
        writeTaggedClip(m_folder.path() / name, {{"prompt", text}, {"comment", "said"}});
        const auto tags = readTextTags(m_folder.path() / name);
        ASSERT_TRUE(tags) << tags.error().message;
        EXPECT_EQ(tagText(*tags, "prompt"), text) << name;
        EXPECT_EQ(tagText(*tags, "comment"), "said") << name;
    }
    writeTaggedPng(m_folder.path() / "a.png", {{"prompt", "{\"1\": {}}"}, {"parameters", "Steps: 1"}});
    const auto tags = readTextTags(m_folder.path() / "a.png");
    ASSERT_TRUE(tags) << tags.error().message;
    EXPECT_EQ(tagText(*tags, "prompt"), "{\"1\": {}}");
    EXPECT_EQ(tagText(*tags, "parameters"), "Steps: 1");
}

TEST_F(TextTags, BeyondTheLimitsAreLeftOut) {
    Tags many;
    for (int i = 0; i < 200; ++i) many.emplace_back("tag" + std::to_string(i), "x");
    writeTaggedPng(m_folder.path() / "many.png", many);
    EXPECT_EQ(readTextTags(m_folder.path() / "many.png").value().size(), kMaxTags);
    writeTaggedPng(m_folder.path() / "long.png",
                   {{"long", std::string(kMaxTagBytes + 1, 'x')}, {"most", std::string(kMaxTagBytes, 'x')}});
    const auto tags = readTextTags(m_folder.path() / "long.png").value();
    EXPECT_EQ(tagText(tags, "long"), "(none)");
    EXPECT_EQ(tagText(tags, "most").size(), kMaxTagBytes);
}

TEST_F(TextTags, OfWhatIsNoClipAreAnError) {
    EXPECT_EQ(readTextTags(m_folder.path() / "absent.mp4").error().code, ErrorCode::NotFound);
    std::ofstream(m_folder.path() / "text.mp4") << "not a video at all";
    const auto text = readTextTags(m_folder.path() / "text.mp4");
    ASSERT_FALSE(text);
    EXPECT_NE(text.error().message.find("text.mp4"), std::string::npos) << text.error().message;
    std::ofstream(m_folder.path() / "cut.png") << "\x89PNG\r\n\x1a\n";
    EXPECT_EQ(readTextTags(m_folder.path() / "cut.png").error().code, ErrorCode::InvalidData);
}

}  // namespace
}  // namespace reelgrid::media
