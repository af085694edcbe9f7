#include "core/media/image.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "core/base/pending_file.h"
#include "core/media/resample.h"
#include "tests/media/png_bytes.h"

namespace reelgrid::media {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path kPictures = fs::path(REELGRID_SOURCE_DIR) / "tests/fixtures/media/pictures";

using Color = std::array<int, 3>;
constexpr Color kRed{255, 0, 0}, kGreen{0, 255, 0}, kBlue{0, 0, 255}, kWhite{255, 255, 255};

/// The largest difference from the picture that the fixtures show upright: 16x8, a quadrant each of red,
/// green, blue and white.
int worstOf(const RgbImage& image) {
    int worst = 0;
    for (int y = 0; y < image.height; ++y)
        for (int x = 0; x < image.width; ++x) {
            const Color& expected = y < 4 ? (x < 8 ? kRed : kGreen) : (x < 8 ? kBlue : kWhite);
            for (int color = 0; color < 3; ++color) {
                const int value = image.pixels[std::size_t(3 * (y * image.width + x) + color)];
                worst = std::max(worst, std::abs(value - expected[std::size_t(color)]));
            }
        }
    return worst;
}

class Orientations : public testing::TestWithParam<const char*> {};

TEST_P(Orientations, AreTurnedUpright) {
    const bool isLossy = std::string(GetParam()) == ".jpg";
    for (int orientation = 1; orientation <= 8; ++orientation) {
        const auto image = readImage(kPictures / (std::to_string(orientation) + GetParam()));
        ASSERT_TRUE(image) << image.error().message;
        ASSERT_EQ(image->size(), (PictureSize{16, 8})) << orientation;
        EXPECT_LE(worstOf(*image), isLossy ? 6 : 0) << orientation;
    }
}

INSTANTIATE_TEST_SUITE_P(Formats, Orientations, testing::Values(".png", ".jpg", ".webp"),
                         [](const auto& format) { return std::string(format.param).substr(1); });

TEST(Image, OfOtherKindsOfPixelsIsRgb) {
    for (const char* name : {"rgba.png", "palette.png", "interlaced.png"}) {
        const auto image = readImage(kPictures / name);
        ASSERT_TRUE(image) << image.error().message;
        EXPECT_EQ(worstOf(*image), 0) << name;
    }
    const auto lossy = readImage(kPictures / "lossy.webp");
    ASSERT_TRUE(lossy) << lossy.error().message;
    EXPECT_EQ(lossy->size(), (PictureSize{16, 8}));
    // Its chroma has half the size: only the quadrants' middles are their own.
    EXPECT_GT(lossy->pixels[std::size_t(3 * (2 * 16 + 3))], 200) << "red";

    const auto grey = readImage(kPictures / "grey.png");
    ASSERT_TRUE(grey) << grey.error().message;
    const auto* red = grey->pixels.data();
    EXPECT_EQ(red[0], red[1]);
    EXPECT_EQ(red[1], red[2]);
    EXPECT_NEAR(red[0], 76, 1);  // Pillow's luma of red
}

TEST(LossyImage, IsWithinACodeOfPillows) {
    for (const char* name : {"full.jpg", "half.jpg", "wide.jpg", "progressive.jpg", "grey.jpg", "inks.jpg",
                             "smooth.webp", "alpha.webp"}) {
        const auto image = readImage(kPictures / name),
                   pillows = readImage(kPictures / (std::string(name) + ".png"));
        ASSERT_TRUE(image) << image.error().message;
        ASSERT_TRUE(pillows) << pillows.error().message;
        ASSERT_EQ(image->size(), pillows->size());
        int worst = 0;
        for (std::size_t i = 0; i < image->pixels.size(); ++i)
            worst = std::max(worst, std::abs(int(image->pixels[i]) - int(pillows->pixels[i])));
        EXPECT_LE(worst, 1) << name;
    }
}

TEST(Resized, IsPillowsCodeForCode) {
    const RgbImage picture = readImage(kPictures / "noise.png").value();
    for (const auto& [name, filter] :
         {std::pair{"bilinear", Filter::Bilinear}, std::pair{"bicubic", Filter::Bicubic},
          std::pair{"lanczos", Filter::Lanczos}})
        for (const PictureSize size : {PictureSize{30, 20}, PictureSize{90, 40}, PictureSize{20, 80},
                                       PictureSize{61, 50}, PictureSize{30, 35}, PictureSize{70, 110}}) {
            const std::string file = std::string("noise_") + name + "_" + std::to_string(size.width) + "x" +
                                     std::to_string(size.height) + ".png";
            EXPECT_EQ(resized(picture, size, filter).pixels, readImage(kPictures / file).value().pixels)
                << file;
        }
}

class DamagedImage : public testing::Test {
  protected:
    fs::path m_file = fs::path(testing::TempDir()) / ("image_" + std::to_string(getpid()));
    void TearDown() override { fs::remove(m_file); }
    std::string complaint(const std::string& bytes) {
        writeFile(m_file, bytes).value();
        const auto image = readImage(m_file);
        return image ? "none" : image.error().message;
    }
};

TEST_F(DamagedImage, IsRefusedNamingTheFile) {
    EXPECT_THAT(complaint("hello"),
                testing::AllOf(HasSubstr(m_file.string()), HasSubstr("PNG, JPEG or WebP")));
    EXPECT_THAT(complaint("\x89PNG\r\n\x1a\n"), HasSubstr("not a picture that can be decoded as PNG"));
    const std::string whole = readFile(kPictures / "6.jpg").value();
    for (const std::size_t size : {3, 30, 40, 60})
        EXPECT_THAT(complaint(whole.substr(0, size)), HasSubstr("not a picture that can be decoded as JPEG"))
            << size;
    EXPECT_EQ(readImage("/nowhere.png").error().code, ErrorCode::NotFound);
}

TEST_F(DamagedImage, ThatDecodersMakeDoWithIsRefused) {
    for (const char* name : {"1.jpg", "6.jpg"}) {
        const std::string whole = readFile(kPictures / name).value();
        for (const std::size_t left : {std::size_t{1}, std::size_t{2}, std::size_t{20}})
            EXPECT_THAT(complaint(whole.substr(0, whole.size() - left)),
                        testing::AnyOf(HasSubstr("cut short"), HasSubstr("not a picture")));
        EXPECT_EQ(complaint(whole + "behind it"), "none");
    }
    std::string indexed = readFile(kPictures / "palette.png").value();
    const std::size_t palette = indexed.find("PLTE") - 4;
    std::size_t length = 0;
    for (int i = 0; i < 4; ++i)
        length = length << 8 | static_cast<unsigned char>(indexed[palette + std::size_t(i)]);
    indexed.erase(palette, length + 12);
    EXPECT_THAT(complaint(indexed), HasSubstr("its palette (PLTE) is missing"));
    std::string flipped = readFile(kPictures / "1.png").value();
    const std::size_t end = flipped.find("IEND") - 4;
    flipped[end - 1] ^= 1;  // in the checksum of what is before
    EXPECT_THAT(complaint(flipped), HasSubstr("a chunk's checksum isn't that of its bytes"));
    flipped[end - 1] ^= 1;
    flipped.insert(end, std::string("\0\0\0\0teXt\1\2\3\4", 12));
    EXPECT_EQ(complaint(flipped), "none") << "what isn't needed for the picture";
    for (const std::string& chunk :
         {std::string("\0\0\0\0eXIf", 8), std::string("\0\0\0\x1AiTXtXML:com.adobe.xmp\0\0\0\0\0<x/>", 34)}) {
        std::string turned = readFile(kPictures / "1.png").value();
        EXPECT_THAT(complaint(turned.insert(end, chunk + "\1\2\3\4")),
                    HasSubstr("a chunk's checksum isn't that of its bytes"));
    }
    const std::string webp = readFile(kPictures / "lossy.webp").value();
    EXPECT_NE(complaint(webp.substr(0, webp.size() / 2)), "none");
}

/// The picture with its one IDAT cut to `kept` bytes, or with a header that asks for more rows; all checksums
/// are right.
std::string withData(const std::string& png, std::size_t kept, char rows) {
    std::string picture = png;
    picture[23] = rows;
    picture.replace(29, 4, test::pngChecksum(picture.substr(12, 17)));
    const std::size_t data = picture.find("IDAT"), end = picture.find("IEND") - 4;
    const std::string chunk = picture.substr(data, 4 + kept);
    return picture.substr(0, data - 4) + test::numberText(std::uint32_t(kept)) + chunk +
           test::pngChecksum(chunk) + picture.substr(end);
}

TEST_F(DamagedImage, WhoseLastRowsAreMissingIsRefused) {
    for (const char* name : {"noise.png", "interlaced.png", "palette.png"}) {
        const std::string whole = readFile(kPictures / name).value();
        const std::size_t data = whole.find("IEND") - 8 - (whole.find("IDAT") + 4);
        EXPECT_EQ(complaint(withData(whole, data, whole[23])), "none") << name;
        // The last four bytes are the data's own checksum.
        for (const std::size_t kept : {data / 2, data - 8})
            EXPECT_THAT(complaint(withData(whole, kept, whole[23])),
                        testing::AnyOf(HasSubstr("its data (IDAT) ends before the last row"),
                                       HasSubstr("not a picture")))
                << name << " " << kept;
        // Another height gives rows of other passes other lengths: what a filter should be there is a sample.
        EXPECT_THAT(complaint(withData(whole, data, char(whole[23] + 1))),
                    testing::AnyOf(HasSubstr("its data (IDAT) ends before the last row"),
                                   HasSubstr("its data (IDAT) has a row with filter")))
            << name;
    }
}

/// 2x2, each row behind the byte that names its filter.
std::string smallPng(const std::string& rows, int depth = 8, int colorType = 0) {
    return test::pngOf({test::headerChunk(2, 2, depth, colorType), test::dataChunk(rows), "IEND"});
}

TEST_F(DamagedImage, OfSixteenBitsIsTheNearestOfEight) {
    // A pixel of each row is 200 · 257 and one is nearest to 129 and to 128.
    const std::string wide = std::string("\xc8\xc8", 2), above = std::string("\x81\x10", 2),
                      below = std::string("\x80\xf0", 2), alpha = std::string("\x12\x34", 2);
    const std::vector<int> expected{200, 129, 200, 128};
    const auto rowsOf = [&](const auto& pixel) {
        const std::string filter(1, '\0');
        return filter + pixel(wide) + pixel(above) + filter + pixel(wide) + pixel(below);
    };
    const std::string grey = rowsOf([](const std::string& v) { return v; });
    const std::string greyAlpha = rowsOf([&](const std::string& v) { return v + alpha; });
    const std::string rgb = rowsOf([](const std::string& v) { return v + v + v; });
    const std::string rgba = rowsOf([&](const std::string& v) { return v + v + v + alpha; });
    for (const auto& [rows, type] : {std::pair{grey, 0}, {greyAlpha, 4}, {rgb, 2}, {rgba, 6}}) {
        writeFile(m_file, smallPng(rows, 16, type)).value();
        const auto image = readImage(m_file);
        ASSERT_TRUE(image) << image.error().message;
        ASSERT_EQ(image->pixels.size(), 12u);
        for (std::size_t i = 0; i < 12; ++i)
            EXPECT_EQ(int(image->pixels[i]), expected[i / 3]) << i << " of type " << type;
    }
}

TEST_F(DamagedImage, WithAFilterThatThereIsntIsRefused) {
    const auto rowsWith = [](char filter) { return std::string("\0\x10\x20", 3) + filter + "\x30\x40"; };
    EXPECT_EQ(complaint(smallPng(rowsWith('\4'))), "none");
    EXPECT_THAT(complaint(smallPng(rowsWith('\5'))),
                HasSubstr("its data (IDAT) has a row with filter 5, 0 to 4 was needed"));
}

TEST_F(DamagedImage, WhoseScanEndsEarlyIsRefused) {
    for (const char* name : {"full.jpg", "progressive.jpg"}) {
        const std::string whole = readFile(kPictures / name).value();
        const std::size_t scan = whole.rfind("\xff\xda");
        EXPECT_NE(complaint(whole.substr(0, whole.size() / 2) + "\xff\xd9"), "none") << name;
        EXPECT_NE(complaint(whole.substr(0, scan + 14) + "\xff\xd9"), "none") << name;
    }
}

TEST_F(DamagedImage, WhoseComponentsLackTheirScanOrTheirStepsIsRefused) {
    std::string stepless = readFile(kPictures / "full.jpg").value();
    stepless[stepless.find("\xff\xdb") + 5 + 63] = '\0';
    EXPECT_THAT(complaint(stepless),
                HasSubstr("the quantisation table (DQT) of component 1 has a 0, at least 1 was needed"));
    // A grey picture's one scan, in a frame of three components.
    std::string scanless = readFile(kPictures / "grey.jpg").value();
    const std::size_t frame = scanless.find("\xff\xc0");
    scanless[frame + 3] = 17;
    scanless[frame + 9] = 3;
    scanless.insert(frame + 13, std::string("\2\x11\0\3\x11\0", 6));
    EXPECT_THAT(complaint(scanless), HasSubstr("no scan (SOS) has the averages (DC) of component 2"));
    const std::string refined = readFile(kPictures / "progressive.jpg").value();
    EXPECT_EQ(complaint(refined.substr(0, refined.rfind("\xff\xda")) + "\xff\xd9"), "none")
        << "scans that refine may be left out";
}

TEST_F(DamagedImage, OfTooManyPixelsSaysHowMany) {
    std::string picture = readFile(kPictures / "1.png").value();
    picture.replace(16, 8, std::string("\0\0\x2e\xe0\0\0\x2e\xe0", 8));
    EXPECT_THAT(complaint(picture), HasSubstr("it has 12000x12000 pixels, 1x1 to 16384x16384"));
    picture = readFile(kPictures / "1.jpg").value();
    const std::size_t frame = picture.find("\xff\xc0");
    ASSERT_NE(frame, picture.npos);
    picture.replace(frame + 5, 4, "\x2e\xe0\x2e\xe0");
    EXPECT_THAT(complaint(picture), HasSubstr("it has 12000x12000 pixels"));
}

TEST_F(DamagedImage, InksAreAdobesWithoutItsMarkAsInPillow) {
    std::string bytes = readFile(kPictures / "inks.jpg").value();
    const std::size_t name = bytes.find("Adobe");
    ASSERT_NE(name, std::string::npos);
    constexpr std::size_t kMark = 2, kLength = 14;  // FF EE; the length counts itself
    bytes.erase(name - kMark - 2, kMark + kLength);
    writeFile(m_file, bytes).value();
    const auto image = readImage(m_file), pillows = readImage(kPictures / "inks.jpg.png");
    ASSERT_TRUE(image) << image.error().message;
    ASSERT_EQ(image->size(), pillows->size());
    for (std::size_t i = 0; i < image->pixels.size(); ++i)
        ASSERT_NEAR(image->pixels[i], pillows->pixels[i], 1) << i;
}

TEST_F(DamagedImage, ThatIsNoFileSaysWhatItIs) {
    EXPECT_THAT(readImage(fs::path(testing::TempDir())).error().message, HasSubstr("it is a folder"));
    fs::create_symlink(m_file, m_file);
    EXPECT_THAT(readImage(m_file).error().message, HasSubstr("symbolic links"));
    fs::remove(m_file);
    ASSERT_EQ(mkfifo(m_file.c_str(), 0600), 0);
    EXPECT_THAT(readImage(m_file).error().message, HasSubstr("not a regular file"));
    fs::remove(m_file);
    writeFile(m_file, "").value();
    fs::resize_file(m_file, std::uintmax_t{20} << 30);  // without a byte on the disk
    EXPECT_THAT(readImage(m_file).error().message, HasSubstr("has 21474836480 bytes, at most"));
}

TEST_F(DamagedImage, WithAnyByteOfItsExifChangedIsReadOrRefused) {
    for (const char* name : {"6.jpg", "6.png", "6.webp"}) {
        const std::string whole = readFile(kPictures / name).value();
        for (std::size_t at = 0; at < std::min<std::size_t>(whole.size(), 160); ++at)
            for (const char value : {'\x00', '\x7f', '\xff'}) {
                std::string changed = whole;
                changed[at] = value;
                writeFile(m_file, changed).value();
                if (const auto image = readImage(m_file)) {
                    EXPECT_EQ(image->pixels.size(), 3U * unsigned(image->width) * unsigned(image->height));
                }
            }
    }
}

TEST(SizeOfArea, KeepsTheShapeInMultiples) {
    const auto size = [](PictureSize picture, double area, int multiple) {
        return *sizeOfArea(picture, area, multiple);
    };
    EXPECT_EQ(size({1000, 1000}, 832.0 * 480, 16), (PictureSize{624, 624}));
    EXPECT_EQ(size({832, 480}, 832.0 * 480, 16), (PictureSize{832, 480}));
    EXPECT_EQ(size({1080, 1920}, 1280.0 * 704, 32), (PictureSize{704, 1248}));
    const auto thin = sizeOfArea({5000, 2}, 832.0 * 480, 16);
    ASSERT_FALSE(thin);
    EXPECT_THAT(thin.error().message, HasSubstr("5000x2"));
}

TEST(MiddleOf, ASmallerPictureHasBlackAround) {
    const RgbImage dot{1, 1, {7, 8, 9}};
    const RgbImage framed = middleOf(dot, {3, 2});
    // As transformers pads: what is odd is added above.
    std::vector<std::uint8_t> expected(18, 0);
    expected[12] = 7, expected[13] = 8, expected[14] = 9;
    EXPECT_EQ(framed.size(), (PictureSize{3, 2}));
    EXPECT_EQ(framed.pixels, expected);
    EXPECT_EQ(middleOf(framed, {3, 2}).pixels, framed.pixels);
}

}  // namespace
}  // namespace reelgrid::media
