#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "core/base/pending_file.h"
#include "core/media/image.h"
#include "core/media/png/png_header.h"
#include "core/media/png/png_palette.h"
#include "tests/media/png_bytes.h"

namespace reelgrid::media {
namespace {

namespace fs = std::filesystem;
using test::dataChunk;
using test::headerChunk;
using test::pngOf;
using testing::HasSubstr;

constexpr int kRgb = 2, kIndexed = 3;
const std::string kThreeColors = "PLTE\x10\x20\x30\x40\x50\x60\x70\x7A\x7F";

/// Bytes as they stand there, zeros among them.
std::string rawBytes(const std::vector<int>& values) {
    std::string bytes;
    for (const int value : values) bytes += char(value);
    return bytes;
}

class DamagedPng : public testing::Test {
  protected:
    fs::path m_file = fs::path(testing::TempDir()) / ("damaged_png_" + std::to_string(getpid()));
    void TearDown() override { fs::remove(m_file); }
    std::string complaint(const std::vector<std::string>& chunks) {
        writeFile(m_file, pngOf(chunks)).value();
        const auto image = readImage(m_file);
        return image ? "none" : image.error().message;
    }
    /// Of a picture of 2x1 pixels in two colours whose header is this one.
    std::string complaintOf(const std::string& header) {
        return complaint({header, kThreeColors, dataChunk(rawBytes({0, 1, 2, 3, 4, 5, 6})), "IEND"});
    }
    /// Of a picture whose pixels are numbers of a palette's three colours.
    std::string complaintOf(const std::string& header, const std::vector<int>& rows) {
        return complaint({header, kThreeColors, dataChunk(rawBytes(rows)), "IEND"});
    }
};

TEST_F(DamagedPng, WhoseHeaderHasAValueThatThereIsntIsRefused) {
    EXPECT_EQ(complaintOf(headerChunk(2, 1, 8, kRgb)), "none");
    EXPECT_THAT(complaintOf(headerChunk(2, 1, 8, kRgb, 0, 64)),
                testing::AllOf(HasSubstr(m_file.string()),
                               HasSubstr("its header (IHDR) has filter method 64, 0 was needed")));
    EXPECT_THAT(complaintOf(headerChunk(2, 1, 8, kRgb, 1)),
                HasSubstr("its header (IHDR) has compression method 1, 0 was needed"));
    EXPECT_THAT(complaintOf(headerChunk(2, 1, 8, kRgb, 0, 0, 2)),
                HasSubstr("its header (IHDR) has interlace method 2, 0 or 1 was needed"));
    EXPECT_THAT(complaintOf(headerChunk(2, 1, 3, kRgb)),
                HasSubstr("its header (IHDR) has bit depth 3, 8 or 16 beside colour type 2 was needed"));
    EXPECT_THAT(complaintOf(headerChunk(2, 1, 16, kIndexed)),
                HasSubstr("has bit depth 16, 1, 2, 4 or 8 beside colour type 3 was needed"));
    EXPECT_THAT(complaintOf(headerChunk(2, 1, 8, 5)),
                HasSubstr("has colour type 5, 0, 2, 3, 4 or 6 was needed"));
}

TEST(PngHeader, HasFifteenPairsOfColourTypeAndDepth) {
    int sound = 0;
    for (int type = 0; type < 256; ++type)
        for (int depth = 0; depth < 256; ++depth)
            sound += pngHeaderOf(pngOf({headerChunk(1, 1, depth, type)}))->fault() ? 0 : 1;
    EXPECT_EQ(sound, 15);
    EXPECT_FALSE(pngHeaderOf(pngOf({"IEND"})));
}

TEST_F(DamagedPng, WhosePixelsHaveColoursThatThePaletteLacksIsRefused) {
    const std::string lacks3 = "its data (IDAT) has a pixel of colour 3, its palette (PLTE) has 0 to 2";
    EXPECT_EQ(complaintOf(headerChunk(2, 1, 8, kIndexed), {0, 2, 1}), "none");
    EXPECT_THAT(complaintOf(headerChunk(2, 1, 8, kIndexed), {0, 2, 215}),
                HasSubstr("its data (IDAT) has a pixel of colour 215, its palette (PLTE) has 0 to 2"));
    // Filters are undone: 1 to the left of it, 2 above it, 3 the mean of both, 4 Paeth's.
    EXPECT_THAT(complaintOf(headerChunk(2, 1, 8, kIndexed), {1, 2, 1}), HasSubstr(lacks3));
    EXPECT_EQ(complaintOf(headerChunk(2, 1, 8, kIndexed), {1, 2, 255}), "none");
    EXPECT_THAT(complaintOf(headerChunk(1, 2, 8, kIndexed), {0, 2, 2, 1}), HasSubstr(lacks3));
    EXPECT_THAT(complaintOf(headerChunk(2, 2, 8, kIndexed), {0, 2, 2, 3, 0, 2}), HasSubstr(lacks3));
    EXPECT_THAT(complaintOf(headerChunk(2, 2, 8, kIndexed), {0, 0, 2, 4, 0, 1}), HasSubstr(lacks3));
    // Two bits a pixel: what is behind the last one of a row is nobody's.
    EXPECT_EQ(complaintOf(headerChunk(3, 1, 2, kIndexed), {0, 0b00'01'10'11}), "none");
    EXPECT_THAT(complaintOf(headerChunk(4, 1, 2, kIndexed), {0, 0b00'01'10'11}), HasSubstr(lacks3));
    // Adam7: its second pixel is in a pass of its own.
    EXPECT_EQ(complaintOf(headerChunk(2, 1, 8, kIndexed, 0, 0, 1), {0, 1, 2, 2}), "none");
    EXPECT_THAT(complaintOf(headerChunk(2, 1, 8, kIndexed, 0, 0, 1), {0, 1, 2, 3}), HasSubstr(lacks3));
}

TEST_F(DamagedPng, WhosePaletteCantBeIsRefused) {
    const std::string header = headerChunk(2, 1, 8, kIndexed), data = dataChunk(rawBytes({0, 0, 0}));
    for (const std::size_t bytes : {0U, 10U, 771U})
        EXPECT_THAT(complaint({header, "PLTE" + std::string(bytes, '\1'), data, "IEND"}),
                    HasSubstr("its palette (PLTE) has " + std::to_string(bytes) +
                              " bytes, 3 for each of 1 to 256 colours were needed"));
    EXPECT_THAT(complaint({header, kThreeColors, kThreeColors, data, "IEND"}),
                HasSubstr("its palette (PLTE) is there 2 times, one was needed"));
    EXPECT_THAT(complaint({header, data, kThreeColors, "IEND"}),
                HasSubstr("its palette (PLTE) is behind the picture's data (IDAT)"));
    EXPECT_THAT(complaint({header, data, "IEND"}), HasSubstr("its palette (PLTE) is missing"));
    EXPECT_EQ(complaint({header, "PLTE" + std::string(768, '\1'), data, "IEND"}), "none");
    // More colours than a pixel can name are legal for libpng, and harmless.
    EXPECT_EQ(complaintOf(headerChunk(2, 1, 1, kIndexed), {0, 0b01'000000}), "none");
}

TEST(PngPalette, OfAPictureThatDoesNotNameItsColoursIsAdvice) {
    const std::string png = pngOf({headerChunk(2, 1, 8, kRgb), "PLTE" + std::string(10, '\1'), kThreeColors,
                                   dataChunk(rawBytes({0, 1, 2, 3, 4, 5, 6})), "IEND"});
    EXPECT_FALSE(pngPaletteOf(png).fault);
}

}  // namespace
}  // namespace reelgrid::media
