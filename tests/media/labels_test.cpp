#include "core/media/labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/media/label_image.h"
#include "tests/base/failing_readdir.h"
#include "tests/media/barcode.h"

namespace reelgrid::media {
namespace {

using test::ScratchFolder;
using testing::HasSubstr;

TEST(LabelOf, ReadsBothKindsOfResultNames) {
    EXPECT_EQ(labelOf("out/cogvideox-2b_sagev1.mp4"), "sagev1");
    EXPECT_EQ(labelOf("cogvideox-2b_fav3_fp8.mp4"), "fav3_fp8");
    EXPECT_EQ(labelOf("wan_result_t2v_ulysses1_ring1_compileFalse_attn_sagev1_480x832.mp4"), "sagev1");
    EXPECT_EQ(labelOf("wan_result_i2v_ulysses8_ringNone_compileTrue_attn_fav3_fp8_720x1280.mp4"), "fav3_fp8");
    EXPECT_EQ(labelOf("cogvideox_result_t2v_attn_sla_480x720.mp4"), "sla");
    EXPECT_EQ(labelOf("cogvideox-2b_x_attn_sla_480x720.mp4"), "sla");
}

TEST(LabelOf, TakesAnyOtherNameAsItIs) {
    EXPECT_EQ(labelOf("dir.d/my clip.v2.mp4"), "my clip.v2");
    EXPECT_EQ(labelOf("cogvideox-2b.mp4"), "cogvideox-2b");
    EXPECT_EQ(labelOf("cogvideox-2b_.mp4"), "cogvideox-2b_");
    EXPECT_EQ(labelOf("a_attn_480x832.mp4"), "a_attn_480x832");
    EXPECT_EQ(labelOf("x_attn_sla_480x832.mov"), "x_attn_sla_480x832");
}

TEST(FindClips, MatchesPatternsSortsByNameAndLeavesTheEarlierGridOut) {
    const ScratchFolder folder;
    for (const char* name :
         {"cogvideox-2b_b.mp4", "cogvideox-2b_a.mp4", "z_attn_c_1x1.mp4", "other.mp4",
          "cogvideox-2b_grid.mp4", ".z_attn_d_1x1.mp4.partial-1-1.mp4", "z_attn_d_1x1.mp4.partial-552-3.mp4"})
        std::ofstream(folder / name) << "x";
    std::filesystem::create_directory(folder / "cogvideox-2b_d.mp4");
    const auto clips =
        findClips(folder.path(), defaultClipPatterns(), folder / "cogvideox-2b_grid.mp4").value();
    std::vector<std::string> labels;
    for (const LabelledClip& clip : clips) labels.push_back(clip.label);
    EXPECT_EQ(labels, (std::vector<std::string>{"a", "b", "c"}));

    const std::vector<std::string> none{"*.webm", "?.gif"};
    const auto missing = findClips(folder.path(), none);
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, ErrorCode::NotFound);
    EXPECT_THAT(missing.error().message, HasSubstr("*.webm, ?.gif"));
    EXPECT_EQ(findClips(folder / "nowhere", none).error().code, ErrorCode::NotFound);
}

TEST(FindClips, AFolderThatCannotBeReadToItsEndIsAnErrorNotHalfOfItsClips) {
    const ScratchFolder folder;
    for (const char* name : {"z_attn_a_1x1.mp4", "z_attn_b_1x1.mp4"}) std::ofstream(folder / name) << "x";
    const FailingReaddir failing(3);
    const auto clips = findClips(folder.path(), defaultClipPatterns());
    ASSERT_FALSE(clips);
    EXPECT_EQ(clips.error().message, folder.path().string() + ": Input/output error");
}

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
