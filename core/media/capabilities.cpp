#include "core/media/capabilities.h"

#include <utility>

#include "core/media/av_handles.h"
#include "core/media/encoded_file.h"
#include "core/media/label_image.h"

namespace reelgrid::media {

Capabilities inspectCapabilities() {
    Capabilities found;
    found.version = av_version_info();
    for (const auto& [container, name] :
         {std::pair{Container::Mp4, "mp4"}, std::pair{Container::WebM, "webm"},
          std::pair{Container::Gif, "gif"}}) {
        const char* encoder = encoderOf(container);
        found.encoders.push_back({name, encoder, avcodec_find_encoder_by_name(encoder) != nullptr});
    }
    if (auto drawn = drawLabel("A", 32, 32, {.fontSize = 16}); !drawn) found.labels = drawn.error();
    return found;
}

}  // namespace reelgrid::media
