#include "core/media/svg_picture.h"

#include <cstring>
#include <string_view>

#include "core/base/pending_file.h"
#include "core/media/av_error.h"
#include "core/media/av_handles.h"

namespace reelgrid::media {
namespace {

Result<CodecHandle> opened(const AVCodec* codec, CodecHandle context) {
    if (context == nullptr) return Error{ErrorCode::OutOfMemory, "a codec found no memory"};
    if (const int status = avcodec_open2(context.get(), codec, nullptr); status < 0)
        return avError(codec->name, status);
    return context;
}

Result<FrameHandle> drawn(const std::string& svg) {
    const AVCodec* codec = avcodec_find_decoder(AV_CODEC_ID_SVG);
    auto decoder = opened(codec, CodecHandle(avcodec_alloc_context3(codec)));
    if (!decoder) return decoder.error();
    const PacketHandle packet(av_packet_alloc());
    FrameHandle frame(av_frame_alloc());
    if (packet == nullptr || frame == nullptr ||
        av_new_packet(packet.get(), static_cast<int>(svg.size())) < 0)
        return Error{ErrorCode::OutOfMemory, "a drawing found no memory"};
    std::memcpy(packet->data, svg.data(), svg.size());
    int status = avcodec_send_packet(decoder->get(), packet.get());
    if (status >= 0) status = avcodec_receive_frame(decoder->get(), frame.get());
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

Result<PacketHandle> asPng(const AVFrame& rgb) {
    const AVCodec* codec = avcodec_find_encoder(AV_CODEC_ID_PNG);
    if (codec == nullptr) return Error{ErrorCode::Unsupported, "FFmpeg has no PNG encoder"};
    CodecHandle context(avcodec_alloc_context3(codec));
    if (context != nullptr) {
        context->width = rgb.width;
        context->height = rgb.height;
        context->pix_fmt = AV_PIX_FMT_RGB24;
        context->time_base = {1, 1};
    }
    auto encoder = opened(codec, std::move(context));
    if (!encoder) return encoder.error();
    PacketHandle packet(av_packet_alloc());
    if (packet == nullptr) return Error{ErrorCode::OutOfMemory, "a picture found no memory"};
    int status = avcodec_send_frame(encoder->get(), &rgb);
    if (status >= 0) status = avcodec_send_frame(encoder->get(), nullptr);
    if (status >= 0) status = avcodec_receive_packet(encoder->get(), packet.get());
    if (status < 0) return avError("writing a PNG", status);
    return packet;
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
    const auto png = asPng(**rgb);
    if (!png) return png.error();
    const AVPacket& bytes = **png;
    return writeFile(path, std::string_view(reinterpret_cast<const char*>(bytes.data),
                                            static_cast<std::size_t>(bytes.size)));
}

}  // namespace reelgrid::media
