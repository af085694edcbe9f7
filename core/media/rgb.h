#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "core/base/result.h"
#include "core/media/frame.h"

namespace reelgrid::media {

/// YUV planes to 8-bit RGB as their colour tags say (accurate rounding, within one code of the exact
/// formula). Keeps its tables between frames of one kind; one thread at a time.
class RgbConverter {
  public:
    RgbConverter();
    ~RgbConverter();
    RgbConverter(RgbConverter&&) noexcept;
    RgbConverter& operator=(RgbConverter&&) noexcept;

    /// Writes height·width·3 bytes, rows from the top, to `rgb`.
    Result<void> convert(const YuvFrame& frame, std::uint8_t* rgb);
    Result<std::vector<std::uint8_t>> convert(const YuvFrame& frame);

  private:
    struct State;
    std::unique_ptr<State> m_state;
};

/// Decodes a whole clip as RGB, as its colour tags say. Fails when it would take more than `maxBytes`.
Result<RgbVideo> readRgb(const std::filesystem::path& path, std::size_t maxBytes = std::size_t{4} << 30);

}  // namespace reelgrid::media
