#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "core/base/result.h"
#include "core/media/frame.h"

namespace reelgrid::media {

class Clip;
struct ClipInfo;

/// Planes to 8-bit RGB as their colour tags say (accurate rounding, within one code of the exact formula;
/// RGB as it is). Keeps its tables between frames of one kind; one thread at a time.
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

/// What a whole clip may take in memory unless another limit is asked for.
inline constexpr std::size_t kMostRgbBytes = std::size_t{4} << 30;

/// A clip's RGB frames in order, some at a time: a long one needs not be in memory whole. Turned as they are
/// to be seen, but with their samples as they are coded, square or not: that is what is measured. One thread
/// at a time.
class RgbReader {
  public:
    static Result<RgbReader> open(const std::filesystem::path& path);
    ~RgbReader();
    RgbReader(RgbReader&&) noexcept;

    [[nodiscard]] const ClipInfo& info() const;
    /// Appends the next frames, at most `count` of them, to a video that is empty or of this clip; returns
    /// how many there were.
    Result<int> read(int count, RgbVideo& into);
    /// All frames that are left. OutOfMemory where the whole clip would take more than `maxBytes`.
    Result<RgbVideo> readAll(std::size_t maxBytes = kMostRgbBytes);

  private:
    RgbReader();
    std::filesystem::path m_path;
    std::unique_ptr<Clip> m_clip;
    RgbConverter m_converter;
    int m_next = 0;
};

/// Decodes a whole clip as RGB, as its colour tags say and RgbReader reads it. Fails when it would take more
/// than `maxBytes`.
Result<RgbVideo> readRgb(const std::filesystem::path& path, std::size_t maxBytes = kMostRgbBytes);

}  // namespace reelgrid::media
