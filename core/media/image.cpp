#include "core/media/image.h"

#include <span>
#include <string>
#include <string_view>

#include "core/base/file_check.h"
#include "core/base/pending_file.h"
#include "core/media/av_error.h"
#include "core/media/exif_orientation.h"
#include "core/media/image_limits.h"
#include "core/media/lossy_picture.h"
#include "core/media/picture.h"
#include "core/media/picture_structure.h"
#include "core/media/png_picture.h"
#include "core/media/rgb.h"
#include "core/media/wide_samples.h"

namespace reelgrid::media {
namespace {

namespace fs = std::filesystem;

/// What a file's first bytes ask for, of whole files: no demuxer sees them. Null for other formats.
auto decoderOf(std::string_view bytes) -> Result<FrameHandle> (*)(const std::string&) {
    if (bytes.starts_with(kPngSignature)) return decodePng;
    if (bytes.starts_with("\xFF\xD8\xFF")) return decodeJpeg;
    if (bytes.starts_with("RIFF") && bytes.substr(0, 12).ends_with("WEBP")) return decodeWebp;
    return nullptr;
}

Result<RgbImage> imageFrom(const std::string& bytes) {
    const auto decode = decoderOf(bytes);
    if (decode == nullptr) return Error{ErrorCode::Unsupported, "a PNG, JPEG or WebP file was needed"};
    const PictureStructure structure = pictureStructure(bytes);
    if (const auto& size = structure.size; size && !isSaneSize(size->width, size->height))
        return Error{ErrorCode::InvalidData,
                     "it has " + std::to_string(size->width) + "x" + std::to_string(size->height) +
                         " pixels, 1x1 to " + std::to_string(kMaxSide) + "x" + std::to_string(kMaxSide) +
                         " and at most " + std::to_string(kMaxPixels) + " together were expected"};
    auto frame = decode(bytes);
    if (frame && structure.missing) return Error{ErrorCode::InvalidData, *structure.missing};
    if (!frame) return frame.error();
    frame = inEightBits(*std::move(frame));
    if (!frame) return frame.error();
    PlaneExtractor planes;
    planes.setDisplay(exifDisplay({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}));
    auto yuv = planes.extract(**frame);
    if (!yuv) return yuv.error();
    auto rgb = RgbConverter().convert(**yuv);
    if (!rgb) return rgb.error();
    return RgbImage{(*yuv)->width, (*yuv)->height, *std::move(rgb)};
}

}  // namespace

Result<RgbImage> readImage(const fs::path& path) {
    silenceAvLog();
    if (auto readable = requireFile(path, kMostPictureBytes); !readable) return readable.error();
    auto bytes = readFile(path, kMostPictureBytes);
    if (!bytes) return bytes.error();
    auto image = imageFrom(*bytes);
    if (!image) return image.error().in(path.string());
    return image;
}

}  // namespace reelgrid::media
