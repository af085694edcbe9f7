#include <webp/decode.h>

#include <cstdint>

#include "core/media/image_limits.h"
#include "core/media/lossy_picture.h"
#include "core/media/rgb_frame.h"

namespace reelgrid::media {

Result<FrameHandle> decodeWebp(const std::string& bytes) {
    const Error damaged{ErrorCode::InvalidData, "not a picture that can be decoded as WebP"};
    const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
    WebPBitstreamFeatures features;
    if (WebPGetFeatures(data, bytes.size(), &features) != VP8_STATUS_OK ||
        !isSaneSize(features.width, features.height))
        return damaged;
    if (features.has_animation != 0)
        return Error{ErrorCode::Unsupported, "an animated WebP file: one picture was needed"};
    auto made = rgbFrame(features.width, features.height);
    if (!made) return made.error();
    AVFrame& frame = **made;
    const std::size_t room = std::size_t(frame.linesize[0]) * std::size_t(frame.height);
    if (WebPDecodeRGBInto(data, bytes.size(), frame.data[0], room, frame.linesize[0]) == nullptr)
        return damaged;
    return made;
}

}  // namespace reelgrid::media
