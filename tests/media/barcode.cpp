#include "tests/media/barcode.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace reelgrid::media::test {
namespace {

constexpr int kColumns = 6;
constexpr int kRows = 2;
constexpr int kBits = kColumns * kRows;

bool isWhite(int number, int x, int y, int width, int height) {
    const int column = x * kColumns / width;
    const int row = y * kRows / height;
    return ((number >> (row * kColumns + column)) & 1) != 0;
}

}  // namespace

std::vector<std::uint8_t> barcodeRgb(int number, int width, int height) {
    std::vector<std::uint8_t> rgb;
    rgb.reserve(std::size_t(width) * std::size_t(height) * 3);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            rgb.insert(rgb.end(), 3, isWhite(number, x, y, width, height) ? 235 : 20);
    return rgb;
}

std::optional<int> readBarcode(const Plane& luma, int bitDepth, int left, int top, int width, int height) {
    int number = 0;
    for (int bit = 0; bit < kBits; ++bit) {
        const int x = left + (2 * (bit % kColumns) + 1) * width / (2 * kColumns);
        const int y = top + (2 * (bit / kColumns) + 1) * height / (2 * kRows);
        const std::size_t at = std::size_t(y) * std::size_t(luma.stride);
        int sample = 0;
        if (bitDepth == 8) {
            sample = luma.bytes.at(at + std::size_t(x));
        } else {
            const std::size_t byte = at + 2 * std::size_t(x);
            sample = (luma.bytes.at(byte) | luma.bytes.at(byte + 1) << 8) >> (bitDepth - 8);
        }
        if (sample > 100 && sample < 150) return std::nullopt;
        if (sample >= 150) number |= 1 << bit;
    }
    return number;
}

std::optional<int> readBarcode(const YuvFrame& frame) {
    return readBarcode(frame.y, frame.bitDepth, 0, 0, frame.width, frame.height);
}

ScratchFolder::ScratchFolder() {
    static std::atomic<int> counter{0};
    m_path = std::filesystem::path(testing::TempDir()) /
             ("reelgrid_media_" + std::to_string(getpid()) + "_" + std::to_string(counter++));
    std::filesystem::create_directories(m_path);
}

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(m_path, ignored);
}

bool runs(const std::string& command) {
    return std::system(command.c_str()) == 0;
}

std::vector<std::uint8_t> outputOf(const std::string& command) {
    std::vector<std::uint8_t> bytes;
    std::FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return bytes;
    std::vector<std::uint8_t> chunk(1 << 16);
    while (const std::size_t got = std::fread(chunk.data(), 1, chunk.size(), pipe))
        bytes.insert(bytes.end(), chunk.begin(), chunk.begin() + std::ptrdiff_t(got));
    pclose(pipe);
    return bytes;
}

bool encodeBarcodes(const std::filesystem::path& path, int count, int width, int height,
                    const std::string& fps, const std::string& options) {
    const std::string command = "ffmpeg -v error -y -f rawvideo -pix_fmt rgb24 -s " + std::to_string(width) +
                                "x" + std::to_string(height) + " -r " + fps + " -i - " + options + " '" +
                                path.string() + "'";
    std::FILE* pipe = popen(command.c_str(), "w");
    if (pipe == nullptr) return false;
    for (int i = 0; i < count; ++i) {
        const auto rgb = barcodeRgb(i, width, height);
        std::fwrite(rgb.data(), 1, rgb.size(), pipe);
    }
    return pclose(pipe) == 0;
}

std::vector<int> barcodesByFfmpeg(const std::filesystem::path& path, int width, int height) {
    const auto bytes =
        outputOf("ffmpeg -v error -i '" + path.string() + "' -vsync passthrough -f rawvideo -pix_fmt gray -");
    const std::size_t size = std::size_t(width) * std::size_t(height);
    std::vector<int> numbers;
    for (std::size_t at = 0; at + size <= bytes.size(); at += size) {
        Plane luma{width, height, width, {}};
        luma.bytes.assign(bytes.begin() + std::ptrdiff_t(at), bytes.begin() + std::ptrdiff_t(at + size));
        numbers.push_back(readBarcode(luma, 8, 0, 0, width, height).value_or(-1));
    }
    return numbers;
}

}  // namespace reelgrid::media::test
