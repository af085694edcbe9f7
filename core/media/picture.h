#pragma once

#include <memory>

#include "core/base/result.h"
#include "core/media/av_handles.h"
#include "core/media/display.h"
#include "core/media/frame.h"
#include "core/media/scaler.h"

namespace reelgrid::media {

/// The meaning of a decoded frame's samples; unspecified tags are resolved as frame.h says.
ImageSpec specOf(const AVFrame& frame);

/// Turns decoded frames into planes as they are to be seen: a copy where the format is planar YUV or 8-bit
/// RGB (of palettes the colours), else (deeper RGB, interleaved chroma, BT.2020 and SMPTE 240M) a conversion
/// to 4:4:4; scaled
/// (RGB by way of 4:4:4) where samples aren't square, turned where the display says so. One clip's frames
/// share the conversion context.
class PlaneExtractor {
  public:
    void setDisplay(const Display& display) { m_display = display; }
    /// index and seconds are left at 0.
    Result<std::shared_ptr<YuvFrame>> extract(const AVFrame& frame);

  private:
    Result<std::shared_ptr<YuvFrame>> planesOf(const AVFrame& frame);
    Result<AVFrame*> converted(const AVFrame& frame, const ImageSpec& from, const ImageSpec& to);

    Display m_display;

    ScalerHandle m_scaler;
    ImageSpec m_from;
    ImageSpec m_to;
    FrameHandle m_converted;
};

}  // namespace reelgrid::media
