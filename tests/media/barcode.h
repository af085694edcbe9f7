#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/media/frame.h"

namespace reelgrid::media::test {

/// Pictures that carry a number, so that a decoded frame says which one it is whatever the codec did to it:
/// 12 black or white blocks of 1/6 of the width by 1/2 of the height, the lowest bit first.
std::vector<std::uint8_t> barcodeRgb(int number, int width, int height);

/// The number in the part of a luma plane that starts at (left, top) and has this size; nothing when a block
/// is neither black nor white.
std::optional<int> readBarcode(const Plane& luma, int bitDepth, int left, int top, int width, int height);
std::optional<int> readBarcode(const YuvFrame& frame);

/// A folder that goes away with the test.
class ScratchFolder {
  public:
    ScratchFolder();
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return m_path / name; }
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }

  private:
    std::filesystem::path m_path;
};

/// Runs a shell command line; true when it ended with 0.
bool runs(const std::string& command);
/// What a shell command line prints.
std::vector<std::uint8_t> outputOf(const std::string& command);

/// Encodes frames 0…count-1 with the ffmpeg program: `options` come between its input and the output's name.
bool encodeBarcodes(const std::filesystem::path& path, int count, int width, int height,
                    const std::string& fps, const std::string& options);

/// The numbers in the clip's frames as the ffmpeg program decodes them, in its order.
std::vector<int> barcodesByFfmpeg(const std::filesystem::path& path, int width, int height);

}  // namespace reelgrid::media::test
