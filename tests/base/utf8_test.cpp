#include "core/base/utf8.h"

#include <gtest/gtest.h>

namespace reelgrid {
namespace {

TEST(Utf8, TellsTextFromBytes) {
    for (const std::string_view text : {"", "plain\n", "caf\xc3\xa9", "\xef\xbb\xbfmark",
                                        "\xe2\x82\xac \xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf", "\xed\x9f\xbf"})
        EXPECT_TRUE(isUtf8(text)) << text;
    EXPECT_TRUE(isUtf8(std::string_view("a\0b", 3)));
    for (const std::string_view bytes :
         {"caf\xe9", "\x80", "\xc3", "a\xe2\x82", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80",
          "\xf0\x80\x80\xaf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"})
        EXPECT_FALSE(isUtf8(bytes)) << bytes;
}

TEST(Utf8, IsRequiredWithTheTextAndWhatItIs) {
    EXPECT_TRUE(requireUtf8("--output", "caf\xc3\xa9"));
    EXPECT_EQ(whyNotUtf8(""), "");
    const auto refused = requireUtf8("--output", "caf\xe9/a.mp4");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::BadUsage);
    EXPECT_EQ(refused.error().message,
              "--output: \"caf\xef\xbf\xbd/a.mp4\": its bytes aren't UTF-8, text in UTF-8 was needed");
}

TEST(Utf8, CountsACharactersBytes) {
    const std::string_view text = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80";
    EXPECT_EQ(utf8LengthAt(text, 0), 1u);
    EXPECT_EQ(utf8LengthAt(text, 1), 2u);
    EXPECT_EQ(utf8LengthAt(text, 2), 0u) << "within a character";
    EXPECT_EQ(utf8LengthAt(text, 3), 3u);
    EXPECT_EQ(utf8LengthAt(text, 6), 4u);
    EXPECT_EQ(utf8LengthAt(text, text.size()), 0u);
}

}  // namespace
}  // namespace reelgrid
