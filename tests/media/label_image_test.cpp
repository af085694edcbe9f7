#include "core/media/label_image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/media/barcode.h"

namespace reelgrid::media {
namespace {

using test::ScratchFolder;
using testing::HasSubstr;

int inkIn(const LabelImage& image, int left, int right) {
    int ink = 0;
    for (int y = 0; y < image.height; ++y)
        for (int x = left; x < right; ++x)
            ink += image.coverage[std::size_t(y) * std::size_t(image.width) + std::size_t(x)] > 0;
    return ink;
}

TEST(LabelImage, CentresAShortText) {
    const LabelImage image = drawLabel("sdpa", 400, 54, {.fontSize = 36}).value();
    EXPECT_EQ(inkIn(image, 0, 120), 0);
    EXPECT_GT(inkIn(image, 120, 280), 100);
    EXPECT_EQ(inkIn(image, 280, 400), 0);
}

TEST(LabelImage, KeepsALongTextInsideItsCell) {
    for (const int length : {20, 40, 80, 500, 5000}) {
        const std::string text(std::size_t(length), 'W');
        const LabelImage image = drawLabel(text, 256, 36, {.fontSize = 24}).value();
        EXPECT_EQ(inkIn(image, 0, 4), 0) << length;
        EXPECT_EQ(inkIn(image, 252, 256), 0) << length;
        EXPECT_GT(inkIn(image, 4, 252), 500) << length;
    }
}

TEST(LabelImage, KeepsBothEndsOfATextThatIsTooLong) {
    const std::string middle(100, 'x');
    const LabelImage a = drawLabel("AB" + middle + "YZ", 256, 36, {.fontSize = 24}).value();
    const LabelImage b = drawLabel("AB" + middle + "x" + middle + "YZ", 256, 36, {.fontSize = 24}).value();
    EXPECT_EQ(a.coverage, b.coverage);
    EXPECT_NE(a.coverage, drawLabel("AB" + middle + "YQ", 256, 36, {.fontSize = 24}).value().coverage);
}

TEST(LabelImage, DrawsFfmpegsSpecialCharactersAsTheyAre) {
    // Each of these would end or change a filter description: they must all draw, and all differently.
    const std::vector<std::string> texts{"a",        "a:b", "a'b", "a\\b", "a%b",
                                         "a%{pts}b", "a,b", "a;b", "a[b]", "a=b"};
    std::vector<std::vector<std::uint8_t>> drawn;
    for (const std::string& text : texts) {
        auto image = drawLabel(text, 300, 36, {.fontSize = 24});
        ASSERT_TRUE(image) << text << ": " << image.error().message;
        for (const auto& other : drawn) EXPECT_NE(image->coverage, other) << text;
        drawn.push_back(image->coverage);
    }
}

TEST(LabelImage, TakesBytesThatAreNoText) {
    EXPECT_EQ(printable("a\xff\xc3+\xe2\x82z\n\x01"), "a??+??z  ");
    EXPECT_EQ(printable("\xed\xa0\x80 \xc0\xaf"), "??? ??");
    EXPECT_EQ(printable("naïve – 注意"), "naïve – 注意");
    for (const std::string& text :
         {std::string("\xff\xfe\0\x01", 4), std::string("   "), std::string(), std::string("\n\t")})
        EXPECT_TRUE(drawLabel(text, 100, 20, {.fontSize = 12}));
}

TEST(LabelImage, SaysThatThereIsNoFont) {
    const auto image = drawLabel("a", 100, 20, {.fontSize = 12, .fontFile = "/nowhere/font.ttf"});
    ASSERT_FALSE(image);
    EXPECT_EQ(image.error().code, ErrorCode::NotFound);
    EXPECT_THAT(image.error().message, HasSubstr("/nowhere/font.ttf"));
    const ScratchFolder folder;
    std::ofstream(folder / "bad.ttf") << "no font";
    EXPECT_THAT(drawLabel("a", 100, 20, {.fontSize = 12, .fontFile = folder / "bad.ttf"}).error().message,
                HasSubstr("bad.ttf"));
}

TEST(LabelImage, FitsTinyCells) {
    for (const int side : {2, 4, 16})
        EXPECT_EQ(drawLabel("sagev1", side, 16, {.fontSize = 10}).value().width, side);
}

}  // namespace
}  // namespace reelgrid::media
