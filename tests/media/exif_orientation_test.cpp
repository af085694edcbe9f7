#include "core/media/exif_orientation.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/media/png_bytes.h"

namespace reelgrid::media {
namespace {

/// A TIFF header whose one tag is the orientation, as so many numbers of that type.
std::string tiffOf(int type, int orientation, int count = 1) {
    std::string tiff("II*\0\x08\0\0\0\x01\0\x12\x01", 12);
    tiff += char(type);
    tiff += {'\0', char(count), '\0', '\0', '\0'};
    tiff += char(orientation);
    return tiff + std::string(7, '\0');
}

const std::string kExif("Exif\0\0", 6);
const std::string kXmpMark("http://ns.adobe.com/xap/1.0/\0", 29);
const std::string kXmp = R"(<rdf:Description tiff:Orientation="6"/>)";

std::string jpegOf(const std::vector<std::string>& segments) {
    std::string file = "\xFF\xD8";
    for (const std::string& segment : segments) {
        const std::size_t size = segment.size() + 2;
        file += "\xFF\xE1";
        file += {char(size >> 8), char(size & 0xFF)};
        file += segment;
    }
    return file + "\xFF\xDA" + std::string(8, '\0');
}

std::string webpOf(const std::string& kind, const std::string& data) {
    std::string file = "RIFF1234WEBP" + kind + char(data.size()) + std::string(3, '\0') + data;
    return file + std::string(data.size() % 2, '\0');
}

std::string hexOf(const std::string& bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (const unsigned char byte : bytes) text += {kDigits[byte / 16], kDigits[byte % 16]};
    return text;
}

/// 6: turned a quarter to the right.
bool isTurned(const std::string& file) {
    const Display display = exifDisplay({reinterpret_cast<const std::uint8_t*>(file.data()), file.size()});
    return display.isTransposed && display.isMirroredAcross && !display.isMirroredDown;
}

TEST(ExifOrientation, MayBeAnyWholeNumber) {
    for (const int type : {3, 4, 6, 8, 9, 13})
        EXPECT_TRUE(isTurned(jpegOf({kExif + tiffOf(type, 6)}))) << type;
    for (const int type : {1, 2, 5, 7, 10}) EXPECT_FALSE(isTurned(jpegOf({kExif + tiffOf(type, 6)}))) << type;
    for (const int count : {0, 3}) EXPECT_FALSE(isTurned(jpegOf({kExif + tiffOf(3, 6, count)}))) << count;
    EXPECT_TRUE(isTurned(test::pngOf({"eXIf" + tiffOf(4, 6)})));
    EXPECT_TRUE(isTurned(webpOf("EXIF", kExif + tiffOf(4, 6))));
}

TEST(ExifOrientation, MayBeInXmpAlone) {
    const std::string asElement = "<x><tiff:Orientation>6</tiff:Orientation></x>";
    for (const std::string& xmp : {kXmp, asElement}) {
        EXPECT_TRUE(isTurned(jpegOf({kXmpMark + xmp})));
        EXPECT_TRUE(isTurned(webpOf("XMP ", xmp)));
        const std::string plain = std::string("iTXtXML:com.adobe.xmp\0\0\0\0\0", 26) + xmp;
        EXPECT_TRUE(isTurned(test::pngOf({plain})));
    }
    const std::string packed =
        std::string("iTXtXML:com.adobe.xmp\0\x01\0\0\0", 26) + test::dataChunk(kXmp).substr(4);
    EXPECT_TRUE(isTurned(test::pngOf({packed})));
    EXPECT_FALSE(isTurned(jpegOf({kXmpMark + kXmp, kExif + tiffOf(3, 1)}))) << "EXIF's counts";
    EXPECT_TRUE(isTurned(jpegOf({kXmpMark + kXmp, kExif + std::string("II*\0\x08\0\0\0\0\0", 10)})));
}

// Pillow 13's ImageOps.exif_transpose() turned and left just these.
TEST(ExifOrientation, MayBeInXmpOfAnyTextChunk) {
    const std::string keyword("XML:com.adobe.xmp\0", 18), without = "<x/>";
    const std::string plain = "tEXt" + keyword, international = "iTXt" + keyword + std::string(4, '\0');
    EXPECT_TRUE(isTurned(test::pngOf({plain + kXmp})));
    EXPECT_TRUE(
        isTurned(test::pngOf({"zTXt" + keyword + std::string(1, '\0') + test::dataChunk(kXmp).substr(4)})));
    EXPECT_TRUE(isTurned(test::pngOf({plain + without, international + kXmp})));
    EXPECT_FALSE(isTurned(test::pngOf({international + kXmp, plain + without})));
    EXPECT_FALSE(isTurned(test::pngOf(
        {"tEXt" + std::string("Raw profile type xmp\0", 21) + "\nxmp\n      39\n" + hexOf(kXmp) + "\n"})));
}

TEST(ExifOrientation, MayBeInASecondSegment) {
    const std::string upright = R"(<rdf:Description tiff:Orientation="1"/>)";
    EXPECT_TRUE(isTurned(jpegOf({kXmpMark + "<x/>", kXmpMark + kXmp})));
    EXPECT_TRUE(isTurned(jpegOf({kXmpMark + upright, kXmpMark + kXmp})));
    EXPECT_FALSE(isTurned(jpegOf({kXmpMark + kXmp, kXmpMark + "<x/>"})));
    const std::string exif = tiffOf(3, 6);
    EXPECT_TRUE(isTurned(jpegOf({kExif + exif.substr(0, 12), kExif + exif.substr(12)})));
    EXPECT_FALSE(isTurned(jpegOf({kExif + tiffOf(3, 1), kExif + exif})));
    EXPECT_TRUE(isTurned(test::pngOf({"eXIf" + tiffOf(3, 1), "eXIf" + exif})));
}

TEST(ExifOrientation, MayBeInATextOfAPng) {
    const std::string profile = "\nexif\n      26\n" + hexOf(kExif + tiffOf(3, 6)) + "\n";
    const std::string keyword("Raw profile type exif\0", 22);
    EXPECT_TRUE(isTurned(test::pngOf({"tEXt" + keyword + profile})));
    EXPECT_TRUE(isTurned(
        test::pngOf({"zTXt" + keyword + std::string(1, '\0') + test::dataChunk(profile).substr(4)})));
    EXPECT_TRUE(isTurned(test::pngOf({"iTXt" + keyword + std::string(4, '\0') + profile})));
    EXPECT_FALSE(isTurned(test::pngOf({"tEXt" + keyword + profile, "eXIf" + tiffOf(3, 1)})));
    for (const std::string damaged : {"\nexif\n", "\nexif\n 2\nzz\n", ""})
        EXPECT_FALSE(isTurned(test::pngOf({"tEXt" + keyword + damaged, "zTXt" + keyword + damaged})));
}

}  // namespace
}  // namespace reelgrid::media
