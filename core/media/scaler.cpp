#include "core/media/scaler.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <array>
#include <string>

namespace reelgrid::media {

Result<ScalerHandle> makeScaler(const ImageSpec& from, const ImageSpec& to) {
    constexpr int kFlags =
        SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP | SWS_BITEXACT;
    ScalerHandle scaler(sws_getContext(from.width, from.height, from.format, to.width, to.height, to.format,
                                       kFlags, nullptr, nullptr, nullptr));
    if (!scaler)
        return Error{ErrorCode::Unsupported, std::string("pictures can't be converted from ") +
                                                 av_get_pix_fmt_name(from.format) + " to " +
                                                 av_get_pix_fmt_name(to.format)};
    constexpr int kUnit = 1 << 16;
    // Fails only for formats that have no matrix at all, where there is nothing to set.
    sws_setColorspaceDetails(scaler.get(), sws_getCoefficients(from.space), from.fullRange ? 1 : 0,
                             sws_getCoefficients(to.space), to.fullRange ? 1 : 0, 0, kUnit, kUnit);
    return scaler;
}

AVPixelFormat pixelFormatOf(ChromaLayout layout, int bitDepth) {
    struct Row {
        int depth;
        std::array<AVPixelFormat, 3> formats;  // in the order of ChromaLayout
    };
    static constexpr std::array kRows{
        Row{8, {AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUV422P, AV_PIX_FMT_YUV444P}},
        Row{9, {AV_PIX_FMT_YUV420P9LE, AV_PIX_FMT_YUV422P9LE, AV_PIX_FMT_YUV444P9LE}},
        Row{10, {AV_PIX_FMT_YUV420P10LE, AV_PIX_FMT_YUV422P10LE, AV_PIX_FMT_YUV444P10LE}},
        Row{12, {AV_PIX_FMT_YUV420P12LE, AV_PIX_FMT_YUV422P12LE, AV_PIX_FMT_YUV444P12LE}},
        Row{14, {AV_PIX_FMT_YUV420P14LE, AV_PIX_FMT_YUV422P14LE, AV_PIX_FMT_YUV444P14LE}},
        Row{16, {AV_PIX_FMT_YUV420P16LE, AV_PIX_FMT_YUV422P16LE, AV_PIX_FMT_YUV444P16LE}},
    };
    for (const Row& row : kRows)
        if (row.depth == bitDepth) return row.formats[std::size_t(layout)];
    return AV_PIX_FMT_NONE;
}

AVPixelFormat pixelFormatOf(const YuvFrame& frame) {
    if (frame.color.matrix != ColorMatrix::Rgb) return pixelFormatOf(frame.layout, frame.bitDepth);
    return frame.bitDepth == 8 ? AV_PIX_FMT_GBRP : AV_PIX_FMT_NONE;
}

}  // namespace reelgrid::media
