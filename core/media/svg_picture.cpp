#include "core/media/svg_picture.h"

#include <cstring>

#include "core/media/av_error.h"
#include "core/media/av_handles.h"
#include "core/media/png_file.h"

namespace reelgrid::media {
namespace {

Result<FrameHandle> drawn(const std::string& svg) {
    const AVCodec* codec = avcodec_find_decoder(AV_CODEC_ID_SVG);
    const CodecHandle decoder(avcodec_alloc_context3(codec));
    if (decoder == nullptr) return Error{ErrorCode::OutOfMemory, "a codec found no memory"};
    if (const int failed = avcodec_open2(decoder.get(), codec, nullptr); failed < 0)
        return avError(codec->name, failed);
    const PacketHandle packet(av_packet_alloc());
    FrameHandle frame(av_frame_alloc());
    if (packet == nullptr || frame == nullptr ||
        av_new_packet(packet.get(), static_cast<int>(svg.size())) < 0)
        return Error{ErrorCode::OutOfMemory, "a drawing found no memory"};
    std::memcpy(packet->data, svg.data(), svg.size());
    int status = avcodec_send_packet(decoder.get(), packet.get());
    if (status >= 0) status = avcodec_receive_frame(decoder.get(), frame.get());
    if (status < 0) return avError("drawing SVG", status);
    return frame;
}

/// librsvg's premultiplied BGRA as PNG's RGB: a chart's ground is opaque, so alpha says nothing.
Result<FrameHandle> asRgb(const AVFrame& from) {
    FrameHandle rgb(av_frame_alloc());
    if (rgb == nullptr) return Error{ErrorCode::OutOfMemory, "a drawing found no memory"};
    rgb->width = from.width;
    rgb->height = from.height;
    rgb->format = AV_PIX_FMT_RGB24;
    if (const int status = av_frame_get_buffer(rgb.get(), 0); status < 0) return avError("a drawing", status);
    const ScalerHandle scaler(sws_getContext(from.width, from.height, static_cast<AVPixelFormat>(from.format),
                                             rgb->width, rgb->height, AV_PIX_FMT_RGB24, SWS_POINT, nullptr,
                                             nullptr, nullptr));
    if (scaler == nullptr) return Error{ErrorCode::Internal, "a drawing can't be converted to RGB"};
    sws_scale(scaler.get(), from.data, from.linesize, 0, from.height, rgb->data, rgb->linesize);
    return rgb;
}

}  // namespace

Result<void> requireSvgDecoder() {
    if (avcodec_find_decoder(AV_CODEC_ID_SVG) != nullptr) return {};
    return Error{ErrorCode::Unsupported, "this FFmpeg draws no SVG (librsvg), a .svg file was needed"};
}

Result<void> writePngOfSvg(const std::string& svg, const std::filesystem::path& path) {
    silenceAvLog();
    if (auto drawable = requireSvgDecoder(); !drawable) return drawable;
    const auto picture = drawn(svg);
    if (!picture) return picture.error();
    const auto rgb = asRgb(**picture);
    if (!rgb) return rgb.error();
    return writePng(**rgb, path);
}

}  // namespace reelgrid::media
