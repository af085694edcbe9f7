#include "core/media/svg_picture.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "core/media/av_handles.h"

namespace reelgrid::media {
namespace {

std::string bytesOf(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

FrameHandle decodedPng(std::string bytes) {
    const AVCodec* codec = avcodec_find_decoder(AV_CODEC_ID_PNG);
    const CodecHandle decoder(avcodec_alloc_context3(codec));
    const PacketHandle packet(av_packet_alloc());
    FrameHandle frame(av_frame_alloc());
    packet->size = static_cast<int>(bytes.size());
    bytes.resize(bytes.size() + AV_INPUT_BUFFER_PADDING_SIZE);
    packet->data = reinterpret_cast<std::uint8_t*>(bytes.data());
    EXPECT_EQ(avcodec_open2(decoder.get(), codec, nullptr), 0);
    EXPECT_EQ(avcodec_send_packet(decoder.get(), packet.get()), 0);
    EXPECT_EQ(avcodec_receive_frame(decoder.get(), frame.get()), 0);
    return frame;
}

TEST(SvgPicture, IsDrawnAtItsOwnSizeInItsColours) {
    if (const auto drawable = requireSvgDecoder(); !drawable) GTEST_SKIP() << drawable.error().message;
    const std::string path = testing::TempDir() + "svg_picture_test.png";
    const std::string svg =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"40\" height=\"20\" viewBox=\"0 0 40 20\">"
        "<rect width=\"40\" height=\"20\" fill=\"#fff\"/><rect width=\"20\" height=\"20\" "
        "fill=\"#f00\"/></svg>";
    ASSERT_TRUE(writePngOfSvg(svg, path));
    const FrameHandle picture = decodedPng(bytesOf(path));
    ASSERT_EQ(picture->width, 40);
    ASSERT_EQ(picture->height, 20);
    ASSERT_EQ(picture->format, AV_PIX_FMT_RGB24);
    const std::uint8_t* row = picture->data[0] + 10 * picture->linesize[0];
    EXPECT_EQ(std::vector<int>(row + 15, row + 18), (std::vector<int>{255, 0, 0}));
    EXPECT_EQ(std::vector<int>(row + 105, row + 108), (std::vector<int>{255, 255, 255}));
    std::filesystem::remove(path);
}

TEST(SvgPicture, WhatIsNoSvgIsAnErrorAndNoFile) {
    if (const auto drawable = requireSvgDecoder(); !drawable) GTEST_SKIP() << drawable.error().message;
    const std::string path = testing::TempDir() + "svg_picture_bad.png";
    EXPECT_FALSE(writePngOfSvg("<svg", path));
    EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace reelgrid::media
