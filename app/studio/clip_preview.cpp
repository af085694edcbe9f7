#include "app/studio/clip_preview.h"

#include <algorithm>
#include <cmath>

namespace reelgrid::studio {

namespace {

/// Full-range BT.709, so that the pixels come back as they are, to a code.
media::FramePtr frameOf(const protocol::RenderPreview& preview, int index) {
    auto frame = std::make_shared<media::YuvFrame>();
    frame->width = preview.width;
    frame->height = preview.height;
    frame->layout = media::ChromaLayout::Yuv444;
    frame->color = {media::ColorMatrix::Bt709, media::ColorRange::Full};
    frame->index = index;
    const std::size_t pixels = preview.frameBytes() / 3;
    for (media::Plane* plane : {&frame->y, &frame->u, &frame->v}) {
        plane->width = plane->stride = preview.width;
        plane->height = preview.height;
        plane->bytes.resize(pixels);
    }
    const auto code = [](double value) { return std::uint8_t(std::clamp(std::lround(value), 0L, 255L)); };
    const std::uint8_t* rgb = preview.rgb.data() + std::size_t(index) * preview.frameBytes();
    for (std::size_t i = 0; i < pixels; ++i, rgb += 3) {
        const double y = 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
        frame->y.bytes[i] = code(y);
        frame->u.bytes[i] = code(128 + (rgb[2] - y) / 1.8556);
        frame->v.bytes[i] = code(128 + (rgb[0] - y) / 1.5748);
    }
    return frame;
}

}  // namespace

media::FramePtr ClipPreview::frameAt(double share) const {
    if (frames.empty()) return nullptr;
    const auto last = std::ssize(frames) - 1;
    const auto index = std::clamp(std::ptrdiff_t(share * double(frames.size())), std::ptrdiff_t(0), last);
    return frames[std::size_t(index)];
}

ClipPreview clipPreview(const protocol::RenderPreview& preview) {
    ClipPreview shown{preview.step, preview.steps, {}};
    for (int index = 0; index < preview.frames(); ++index) shown.frames.push_back(frameOf(preview, index));
    return shown;
}

}  // namespace reelgrid::studio
