#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/media/picture_size.h"

namespace reelgrid::media {

/// What a picture file's own structure says before anything of it is decoded.
struct PictureStructure {
    std::optional<PictureSize> size;     ///< nothing where its header isn't understood
    std::optional<std::string> missing;  ///< what the file lacks or is damaged in, in words, though decoders
                                         ///< make do without
};

/// Of a whole PNG, JPEG or WebP file. Sources: ISO/IEC 15948 (PNG), ITU-T T.81 annex B (JPEG), RFC 9649
/// (WebP).
PictureStructure pictureStructure(std::string_view bytes);

}  // namespace reelgrid::media
