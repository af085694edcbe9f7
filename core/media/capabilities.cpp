#include "core/media/capabilities.h"

#include "core/media/av_handles.h"
#include "core/media/containers.h"
#include "core/media/label_image.h"

namespace reelgrid::media {

std::string ffmpegVersion() {
    return av_version_info();
}

Capabilities inspectCapabilities() {
    Capabilities found;
    found.version = ffmpegVersion();
    for (const ContainerFormat& format : containerFormats()) {
        if (!format.written) continue;
        const char* encoder = format.written->encoder;
        found.encoders.push_back(
            {format.written->muxer, encoder, avcodec_find_encoder_by_name(encoder) != nullptr});
    }
    if (auto drawn = drawLabel("A", 32, 32, {.fontSize = 16}); !drawn) found.labels = drawn.error();
    return found;
}

}  // namespace reelgrid::media
