#include "core/media/picture.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "core/media/av_error.h"
#include "core/media/image_limits.h"
#include "core/media/palette.h"

namespace reelgrid::media {
namespace {

/// swscale's vector loops may read this far past a plane's last sample.
constexpr std::size_t kReadAhead = 64;

struct PlanarFormat {
    ChromaLayout layout;
    int bitDepth;
};

bool isRgb(const AVPixFmtDescriptor& desc) {
    return (desc.flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL)) != 0;
}

/// Whether its colours are bytes, one plane or three, that can be copied as they are.
bool isByteRgb(const AVPixFmtDescriptor& desc) {
    constexpr auto kForeign = AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_HWACCEL |
                              AV_PIX_FMT_FLAG_FLOAT | AV_PIX_FMT_FLAG_BAYER;
    if ((desc.flags & AV_PIX_FMT_FLAG_RGB) == 0 || (desc.flags & kForeign) != 0 || desc.nb_components < 3)
        return false;
    return std::all_of(desc.comp, desc.comp + 3,
                       [](const AVComponentDescriptor& comp) { return comp.depth == 8 && comp.shift == 0; });
}

/// The layout of formats whose planes can be copied as they are (an alpha plane is left behind).
std::optional<PlanarFormat> planarFormat(const AVPixFmtDescriptor& desc) {
    constexpr auto kForeign = AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM |
                              AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_FLOAT | AV_PIX_FMT_FLAG_BE;
    if (desc.nb_components < 3 || (desc.flags & kForeign) != 0) return std::nullopt;
    const int depth = desc.comp[0].depth;
    if (depth < 8 || depth > 16) return std::nullopt;
    for (int i = 0; i < 3; ++i) {
        const AVComponentDescriptor& comp = desc.comp[i];
        if (comp.plane != i || comp.step != (depth > 8 ? 2 : 1) || comp.offset != 0 || comp.shift != 0 ||
            comp.depth != depth)
            return std::nullopt;
    }
    if (desc.log2_chroma_w == 1 && desc.log2_chroma_h == 1) return PlanarFormat{ChromaLayout::Yuv420, depth};
    if (desc.log2_chroma_w == 1 && desc.log2_chroma_h == 0) return PlanarFormat{ChromaLayout::Yuv422, depth};
    if (desc.log2_chroma_w == 0 && desc.log2_chroma_h == 0) return PlanarFormat{ChromaLayout::Yuv444, depth};
    return std::nullopt;
}

/// The samples of one plane, or of one colour of packed pixels; distances in bytes.
struct Samples {
    const std::uint8_t* first = nullptr;
    std::ptrdiff_t across = 1;  ///< to the next of a row
    std::ptrdiff_t down = 0;    ///< to the next row
};

/// Sample (x, y) of the plane is the source's at begin + x·across + y·down, in bytes.
struct Walk {
    std::ptrdiff_t begin = 0;
    std::ptrdiff_t across = 1;
    std::ptrdiff_t down = 0;
};

Walk walkOf(const Display& display, const Plane& plane, const Samples& source) {
    Walk walk{0, source.across, source.down};
    if (display.isTransposed) std::swap(walk.across, walk.down);
    if (display.isMirroredAcross) {
        walk.begin += (plane.width - 1) * walk.across;
        walk.across = -walk.across;
    }
    if (display.isMirroredDown) {
        walk.begin += (plane.height - 1) * walk.down;
        walk.down = -walk.down;
    }
    return walk;
}

template <class Sample>
void copyApart(Plane& plane, const Samples& source, const Walk& walk) {
    auto* out = reinterpret_cast<Sample*>(plane.bytes.data());
    for (int y = 0; y < plane.height; ++y) {
        const std::uint8_t* from = source.first + walk.begin + y * walk.down;
        for (int x = 0; x < plane.width; ++x, from += walk.across)
            *out++ = *reinterpret_cast<const Sample*>(from);
    }
}

void copyPlane(Plane& plane, const Samples& source, PictureSize size, int bytesPerSample,
               const Display& display) {
    plane.width = size.width;
    plane.height = size.height;
    if (display.isTransposed) std::swap(plane.width, plane.height);
    plane.stride = plane.width * bytesPerSample;
    const std::size_t bytes = std::size_t(plane.stride) * std::size_t(plane.height);
    plane.bytes.reserve(bytes + kReadAhead);
    plane.bytes.resize(bytes);
    const Walk walk = walkOf(display, plane, source);
    if (walk.across != bytesPerSample) {
        if (bytesPerSample == 1)
            copyApart<std::uint8_t>(plane, source, walk);
        else
            copyApart<std::uint16_t>(plane, source, walk);
        return;
    }
    const std::uint8_t* row = source.first + walk.begin;
    for (int y = 0; y < plane.height; ++y, row += walk.down)
        std::memcpy(plane.bytes.data() + std::ptrdiff_t(y) * plane.stride, row, std::size_t(plane.stride));
}

/// ColorMatrix knows two; pictures with another one are converted.
bool isOurMatrix(const ImageSpec& spec) {
    return spec.space == SWS_CS_ITU601 || spec.space == SWS_CS_ITU709;
}

bool sameSpec(const ImageSpec& a, const ImageSpec& b) {
    return a.width == b.width && a.height == b.height && a.format == b.format && a.space == b.space &&
           a.fullRange == b.fullRange;
}

/// What planes are copied from: the picture itself where it can be, else what it has to become first.
ImageSpec planesFrom(const ImageSpec& spec, const Display& display, PictureSize square) {
    const AVPixFmtDescriptor& desc = *av_pix_fmt_desc_get(spec.format);
    const auto planar = isOurMatrix(spec) ? planarFormat(desc) : std::nullopt;
    // 4:2:2 on its side would be 4:4:0, which isn't among the layouts.
    const bool isScaled = square != PictureSize{spec.width, spec.height};
    if (isByteRgb(desc) && !isScaled) return spec;
    const bool turnsIntoForeign = display.isTransposed && planar && planar->layout == ChromaLayout::Yuv422;
    ImageSpec to = spec;
    to.width = square.width;
    to.height = square.height;
    if (planar && !turnsIntoForeign) {
        if (isScaled) to.format = pixelFormatOf(planar->layout, planar->bitDepth);
        if (!isScaled || to.format != AV_PIX_FMT_NONE) return to;
    }
    // 10 bits keep the 8-bit RGB values through the round trip; 8 would lose a code here and there.
    const bool deep = isRgb(desc) || desc.comp[0].depth > 8;
    to.format = pixelFormatOf(ChromaLayout::Yuv444, deep ? 10 : 8);
    if (!isOurMatrix(spec)) to.space = SWS_CS_ITU709;
    return to;
}

}  // namespace

ImageSpec specOf(const AVFrame& frame) {
    ImageSpec spec{frame.width, frame.height, AVPixelFormat(frame.format), SWS_CS_ITU709, false};
    const AVPixFmtDescriptor* desc = av_pix_fmt_desc_get(spec.format);
    if (desc == nullptr || isRgb(*desc)) {
        spec.fullRange = true;
        return spec;
    }
    // As its number: a stream may have one that FFmpeg has no name for.
    static_assert(sizeof frame.colorspace == sizeof(int));
    int space = AVCOL_SPC_UNSPECIFIED;
    std::memcpy(&space, &frame.colorspace, sizeof space);
    switch (space) {
        case AVCOL_SPC_BT709:
            spec.space = SWS_CS_ITU709;
            break;
        case AVCOL_SPC_SMPTE240M:
            spec.space = SWS_CS_SMPTE240M;
            break;
        case AVCOL_SPC_BT470BG:
        case AVCOL_SPC_SMPTE170M:
        case AVCOL_SPC_FCC:
            spec.space = SWS_CS_ITU601;
            break;
        case AVCOL_SPC_BT2020_NCL:
        case AVCOL_SPC_BT2020_CL:
            spec.space = SWS_CS_BT2020;
            break;
        default:
            spec.space = frame.height < 720 ? SWS_CS_ITU601 : SWS_CS_ITU709;
    }
    switch (spec.format) {
        case AV_PIX_FMT_YUVJ411P:
        case AV_PIX_FMT_YUVJ420P:
        case AV_PIX_FMT_YUVJ422P:
        case AV_PIX_FMT_YUVJ440P:
        case AV_PIX_FMT_YUVJ444P:
            spec.fullRange = true;
            break;
        default:
            // Grey pictures are full range by convention; swscale takes them so whatever it is told.
            spec.fullRange = frame.color_range == AVCOL_RANGE_JPEG || desc->nb_components < 3;
    }
    return spec;
}

Result<AVFrame*> PlaneExtractor::converted(const AVFrame& frame, const ImageSpec& from, const ImageSpec& to) {
    if (!m_scaler || !sameSpec(from, m_from) || !sameSpec(to, m_to)) {
        auto scaler = makeScaler(from, to);
        if (!scaler) return scaler.error();
        m_scaler = std::move(*scaler);
        m_from = from;
        m_to = to;
        m_converted.reset(av_frame_alloc());
        m_converted->width = to.width;
        m_converted->height = to.height;
        m_converted->format = to.format;
        if (const int failed = av_frame_get_buffer(m_converted.get(), 0); failed < 0)
            return avError("picture buffer", failed);
    }
    const int rows = sws_scale(m_scaler.get(), frame.data, frame.linesize, 0, from.height, m_converted->data,
                               m_converted->linesize);
    if (rows < 0) return avError("picture conversion", rows);
    return m_converted.get();
}

Result<std::shared_ptr<YuvFrame>> PlaneExtractor::extract(const AVFrame& frame) {
    const AVPixFmtDescriptor* desc = av_pix_fmt_desc_get(AVPixelFormat(frame.format));
    if (desc == nullptr || (desc->flags & AV_PIX_FMT_FLAG_HWACCEL) != 0)
        return Error{ErrorCode::Unsupported,
                     "pixel format " + std::to_string(frame.format) + " can't be shown"};
    if (!isSaneSize(frame.width, frame.height))
        return Error{ErrorCode::InvalidData, "a picture of " + std::to_string(frame.width) + "x" +
                                                 std::to_string(frame.height) + " is too large"};
    if (frame.format != AV_PIX_FMT_PAL8) return planesOf(frame);
    const auto colors = withoutPalette(frame);
    if (!colors) return colors.error();
    return planesOf(**colors);
}

Result<std::shared_ptr<YuvFrame>> PlaneExtractor::planesOf(const AVFrame& frame) {
    auto square = m_display.squareSize(frame.width, frame.height);
    if (!square) return square.error();
    const ImageSpec decoded = specOf(frame);
    const ImageSpec spec = planesFrom(decoded, m_display, *square);
    const AVFrame* source = &frame;
    if (!sameSpec(spec, decoded)) {
        auto planes = converted(frame, decoded, spec);
        if (!planes) return planes.error();
        source = *planes;
    }

    auto out = std::make_shared<YuvFrame>();
    out->width = m_display.isTransposed ? square->height : square->width;
    out->height = m_display.isTransposed ? square->width : square->height;
    const AVPixFmtDescriptor& planes = *av_pix_fmt_desc_get(spec.format);
    if (isByteRgb(planes)) {
        out->layout = ChromaLayout::Yuv444;
        out->color = {ColorMatrix::Rgb, ColorRange::Full};
        const auto samplesOf = [&](const AVComponentDescriptor& comp) {
            return Samples{source->data[comp.plane] + comp.offset, comp.step, source->linesize[comp.plane]};
        };
        copyPlane(out->y, samplesOf(planes.comp[1]), *square, 1, m_display);
        copyPlane(out->u, samplesOf(planes.comp[2]), *square, 1, m_display);
        copyPlane(out->v, samplesOf(planes.comp[0]), *square, 1, m_display);
        return out;
    }
    const std::optional<PlanarFormat> format = planarFormat(planes);
    out->layout = format->layout;
    out->bitDepth = format->bitDepth;
    out->color.matrix = spec.space == SWS_CS_ITU709 ? ColorMatrix::Bt709 : ColorMatrix::Bt601;
    out->color.range = spec.fullRange ? ColorRange::Full : ColorRange::Limited;
    const int bytes = format->bitDepth > 8 ? 2 : 1;
    const PictureSize chroma{format->layout == ChromaLayout::Yuv444 ? spec.width : (spec.width + 1) / 2,
                             format->layout == ChromaLayout::Yuv420 ? (spec.height + 1) / 2 : spec.height};
    const auto samplesOf = [&](int plane) {
        return Samples{source->data[plane], bytes, source->linesize[plane]};
    };
    copyPlane(out->y, samplesOf(0), *square, bytes, m_display);
    copyPlane(out->u, samplesOf(1), chroma, bytes, m_display);
    copyPlane(out->v, samplesOf(2), chroma, bytes, m_display);
    return out;
}

}  // namespace reelgrid::media
